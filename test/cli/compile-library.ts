import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';

const root = join(__dirname, '..', '..');

/**
 * Compiles the library once for every test file that runs it as a process, so that the tests need no build and the
 * programs' own compiler is the only one. The folder is gone when the tests are.
 */
export default function compileLibrary(): void {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-library-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const files = (readdirSync(join(root, 'lib'), { recursive: true }) as string[]).filter((file) =>
    file.endsWith('.ts'),
  );
  for (const below of new Set(files.map(dirname))) {
    mkdirSync(join(folder, 'dist', below), { recursive: true });
  }
  for (const file of files) {
    writeFileSync(join(folder, 'dist', file.replace(/\.ts$/, '.js')), compiled(join(root, 'lib', file)));
  }
  const bundled = join(folder, 'dist', 'cli', 'lint-and-harden');
  cpSync(`${bundled}.js`, `${bundled}-modules.js`);
  execFileSync(process.execPath, [join(root, '.ci', 'bundle.cjs'), join(folder, 'dist')]);
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  process.env['COMPILED_LIBRARY'] = folder;
}

function compiled(file: string): string {
  return transformFileSync(file, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
    swcrc: false,
  }).code;
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, pages, root } from './documents';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const blocks = pages.flatMap((page) => blocksOf(page, 'ts'));

/** Each block as a file of its own, in one program: the library is read once. */
const problems = ((): ReadonlyMap<string, readonly string[]> => {
  // Within the project, so that packages are found.
  mkdirSync(join(root, 'out'), { recursive: true });
  const folder = mkdtempSync(join(root, 'out', 'docs-'));
  try {
    blocks.forEach(({ code }, index) => writeFileSync(join(folder, `block-${index}.ts`), code));
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      moduleDetection: 'force',
      experimentalDecorators: true,
      resolveJsonModule: true,
      types: ['node'],
      paths: Object.fromEntries([
        ['cluster-canary', ['../../lib/index.ts']],
        ...Object.entries<string[]>(manifest.typesVersions['*']).map(([subpath, [types]]) => [
          `cluster-canary/${subpath}`,
          [types!.replace(/^dist/, '../../lib').replace('.d.ts', '.ts')],
        ]),
      ]),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = spawnSync(
      process.execPath,
      [compiler, '--singleThreaded', '--pretty', 'false', '-p', folder],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    const found = [...stdout.matchAll(/^block-(\d+)\.ts\((\d+),\d+\): error TS\d+: (.*)$/gm)];
    // What is wrong elsewhere would hide what is wrong here.
    const elsewhere = stdout
      .split('\n')
      .filter((line) => /error TS/.test(line) && !line.startsWith('block-'));
    const said = new Map(blocks.map(({ place }) => [place, [...elsewhere]]));
    for (const [, index, line, message] of found) {
      const { page, line: before, place } = blocks[Number(index)]!;
      said.get(place)!.push(`${page}:${before + Number(line)} ${message}`);
    }
    return said;
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

test('there is code in the pages', () => {
  expect(blocks.length).toBeGreaterThan(20);
});

test.each(blocks.map(({ place }) => place))('%s compiles', (place) => {
  expect(problems.get(place)).toEqual([]);
});

import { join, resolve } from 'node:path';
import { isolated } from './isolate';
import { provide } from './provide';
import { partsByDefault, suites } from './suites';
import { cacheFolder } from './tools/go-tools';

const root = resolve(__dirname, '../..');

async function main(): Promise<number> {
  const chosen = process.argv.slice(2).filter((each) => !each.startsWith('-'));
  const options = process.argv.slice(2).filter((each) => each.startsWith('-'));
  const unknown = chosen.filter((each) => !(each in suites));
  const nightly = options.includes('--nightly');
  if (unknown.length > 0 || options.includes('--help')) {
    const list = (names: string[]) => names.map((name) => `  ${name.padEnd(12)} ${suites[name]!.shows}`);
    console.error(
      [
        ...unknown.map((each) => `"${each}" is no part of the suite`),
        'Parts:',
        ...list(partsByDefault(false)),
        'Parts with --nightly, or by their name:',
        ...list(partsByDefault(true)),
      ].join('\n'),
    );
    return unknown.length > 0 ? 2 : 0;
  }
  const names = chosen.length > 0 ? chosen : partsByDefault(nightly);
  await provide(names.map((name) => suites[name]!));
  if (options.includes('--provide')) {
    return 0;
  }
  return isolated(
    [
      process.execPath,
      join(root, 'node_modules/jest/bin/jest.js'),
      ...['--ci', '--config', join(root, 'jest.e2e.config.js')],
      ...['--cacheDirectory', join(cacheFolder, 'jest')],
      ...options.filter((each) => each !== '--nightly'),
      ...names.map((name) => join('test/e2e', `${name}.e2e.ts`)),
    ],
    root,
  );
}

main().then(
  (status) => process.exit(status),
  (error: Error) => {
    console.error(error.message);
    process.exit(2);
  },
);

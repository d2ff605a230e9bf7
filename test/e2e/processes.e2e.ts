import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

interface Report {
  readonly testResults: readonly {
    /** The file. */
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const root = resolve(__dirname, '../..');

/** Runs `*.process.ts`: they have the environment of `npm test`, not that of this suite. */
function runProcessTests(): Report {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-processes-'));
  const file = join(folder, 'report.json');
  try {
    const jest = [
      join(root, 'node_modules/jest/bin/jest.js'),
      '--config',
      join(root, 'jest.process.config.js'),
    ];
    const { stderr } = spawnSync(process.execPath, [...jest, '--ci', '--json', `--outputFile=${file}`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      maxBuffer: 2 ** 28,
    });
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Report;
    } catch {
      throw new Error(stderr);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const files = (readdirSync(join(root, 'test'), { recursive: true }) as string[])
  .filter((file) => file.endsWith('.process.ts'))
  .map((file) => join('test', file));
const { testResults } = runProcessTests();

test('every file ran', () => {
  const withTests = testResults.filter(({ assertionResults }) => assertionResults.length > 0);
  expect(withTests.map(({ name }) => relative(root, name)).sort()).toEqual(files.sort());
});

// Each of their tests is one here, so that it is counted and named.
describe.each(testResults.map((result) => [relative(root, result.name), result] as const))(
  '%s',
  (_file, { message, assertionResults }) => {
    if (assertionResults.length === 0) {
      throw new Error(message);
    }
    for (const { fullName, status, failureMessages } of assertionResults) {
      test(fullName, () => expect([status, ...failureMessages]).toEqual(['passed']));
    }
  },
);

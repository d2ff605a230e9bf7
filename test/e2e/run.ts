import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { requireProviders } from './bench/plugin-choice';
import { isolated } from './isolate';
import { provide } from './provide';
import type { RunReport } from './repeat';
import { failedFiles, summary } from './repeat';
import { partsByDefault, partsByName, suites } from './suites';
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
        "Parts by their name alone, with Pulumi's own providers in CLUSTER_CANARY_E2E_PLUGINS:",
        ...list(partsByName()),
        'With --repeat-failed, files that fail are run once more, and named at the end.',
      ].join('\n'),
    );
    return unknown.length > 0 ? 2 : 0;
  }
  const names = chosen.length > 0 ? chosen : partsByDefault(nightly);
  if (chosen.length === 0) {
    console.error(`e2e: parts that are left out: ${leftOut(names).join(', ')} (--help says how to run them)`);
  }
  const parts = names.map((name) => suites[name]!);
  if (!options.includes('--provide')) {
    const needed = parts.flatMap(({ providers = [] }) => providers);
    requireProviders(process.env.CLUSTER_CANARY_E2E_PLUGINS, needed);
  }
  await provide(parts);
  if (options.includes('--provide')) {
    return 0;
  }
  const jestOptions = options.filter((each) => each !== '--nightly' && each !== '--repeat-failed');
  return run(names, jestOptions, options.includes('--repeat-failed'));
}

/** The parts for users that are not among these. */
function leftOut(names: readonly string[]): string[] {
  return [...partsByDefault(false), ...partsByDefault(true), ...partsByName()].filter(
    (name) => !names.includes(name),
  );
}

/** The files of parts, in the order in which they begin. */
function filesOf(names: readonly string[]): string[] {
  const isLong = (name: string) => suites[name]!.long === true;
  return [...names.filter(isLong), ...names.filter((name) => !isLong(name))].flatMap((name) =>
    name === 'slow' ? slowFiles() : [`test/e2e/${name}.e2e.ts`],
  );
}

function slowFiles(): string[] {
  return (readdirSync(join(root, 'test'), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.slow.ts'))
    .map((file) => join('test', file));
}

/**
 * Runs files in Jest, and answers its exit status and what it reports.
 * `*.slow.ts` have the environment of `npm test`, and run before the engines, which would starve them.
 */
async function runFiles(files: readonly string[], options: readonly string[]): Promise<Run> {
  const slow = files.filter((file) => file.endsWith('.slow.ts'));
  const engines = files.filter((file) => !slow.includes(file));
  const runs: Run[] = [];
  for (const [config, each] of [
    ['jest.slow.config.js', slow],
    ['jest.e2e.config.js', engines],
  ] as const) {
    if (each.length > 0 && !runs.some(({ status }) => status > 1)) {
      runs.push(await jest(config, each, options));
    }
  }
  return {
    status: Math.max(...runs.map(({ status }) => status)),
    report: { testResults: runs.flatMap(({ report }) => report.testResults) },
  };
}

interface Run {
  readonly status: number;
  readonly report: RunReport;
}

async function jest(config: string, files: readonly string[], options: readonly string[]): Promise<Run> {
  const output = join(cacheFolder, `run-${process.pid}.json`);
  try {
    const status = await isolated(
      [
        process.execPath,
        join(root, 'node_modules/jest/bin/jest.js'),
        ...['--ci', '--config', join(root, config), '--cacheDirectory', join(cacheFolder, 'jest')],
        ...['--json', `--outputFile=${output}`, ...options, '--runTestsByPath', ...files],
      ],
      root,
    );
    // A run that was interrupted leaves no report.
    const report =
      status <= 1 ? (JSON.parse(readFileSync(output, 'utf8')) as RunReport) : { testResults: [] };
    return { status, report };
  } finally {
    rmSync(output, { force: true });
  }
}

/** A file that fails is run once more by itself where that is wanted, since a busy machine can starve an engine; it is said which. */
async function run(names: readonly string[], options: readonly string[], repeat: boolean): Promise<number> {
  const first = await runFiles(filesOf(names), options);
  if (first.status > 1) {
    return first.status;
  }
  const failed = failedFiles(first.report);
  const second = repeat && failed.length > 0 ? await runFiles(failed, options) : undefined;
  console.error(summary(first.report, second?.report));
  return second?.status ?? first.status;
}

main().then(
  (status) => process.exit(status),
  (error: Error) => {
    console.error(error.message);
    process.exit(2);
  },
);

import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { requireProviders } from './bench/plugin-choice';
import { isolated } from './isolate';
import { provide } from './provide';
import type { RunReport } from './repeat';
import { failedParts, summary } from './repeat';
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
        'With --repeat-failed, parts that fail are run once more, and named at the end.',
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
  return options.includes('--repeat-failed')
    ? runAndRepeat(names, jestOptions)
    : runParts(names, jestOptions);
}

/** The parts for users that are not among these. */
function leftOut(names: readonly string[]): string[] {
  return [...partsByDefault(false), ...partsByDefault(true), ...partsByName()].filter(
    (name) => !names.includes(name),
  );
}

/** Runs parts in Jest, and answers its exit status. */
function runParts(names: readonly string[], options: readonly string[]): Promise<number> {
  return isolated(
    [
      process.execPath,
      join(root, 'node_modules/jest/bin/jest.js'),
      ...['--ci', '--config', join(root, 'jest.e2e.config.js')],
      ...['--cacheDirectory', join(cacheFolder, 'jest')],
      ...options,
      ...names.map((name) => join('test/e2e', `${name}.e2e.ts`)),
    ],
    root,
  );
}

/** A part that fails is run once more by itself, since a busy machine can starve an engine; it is said which. */
async function runAndRepeat(names: readonly string[], options: readonly string[]): Promise<number> {
  const file = join(cacheFolder, `run-${process.pid}.json`);
  const run = async (parts: readonly string[]) => {
    const status = await runParts(parts, [...options, '--json', `--outputFile=${file}`]);
    // A run that was interrupted leaves no report.
    const report =
      status === 0 || status === 1 ? (JSON.parse(readFileSync(file, 'utf8')) as RunReport) : undefined;
    return { status, report };
  };
  try {
    const first = await run(names);
    if (first.status === 0 || first.report === undefined) {
      return first.status;
    }
    const second = await run(failedParts(first.report));
    if (second.report !== undefined) {
      console.error(summary(first.report, second.report));
    }
    return second.status;
  } finally {
    rmSync(file, { force: true });
  }
}

main().then(
  (status) => process.exit(status),
  (error: Error) => {
    console.error(error.message);
    process.exit(2);
  },
);

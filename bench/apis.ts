import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCorpus } from './lint/corpus';
import { quotients, rounds, spread } from './measure';
import { root, runNode } from './run-node';
import { apisHeading, withSection } from './sections';
import { measuredLine, spread as spreadText, table, whole } from './text';

/**
 * `cluster-canary ready` of 20,000 objects beside pluto and kubent, whose paths are in PLUTO and KUBENT. Writes its section of
 * docs/benchmarks.md: `PLUTO=/path/to/pluto npx ts-node -T bench/apis.ts [ROUNDS]`.
 */
const times = Number(process.argv[2] ?? 5);
const objects = 20_000;
const goal = 2;

interface Taken {
  readonly seconds: number;
}

/** What each peer is started with; they exit with statuses of their own where they find something. */
const peers: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  pluto: (folder) => ['detect-files', '-d', folder, '-t', 'k8s=v1.36.0', '-o', 'json'],
  kubent: (folder) => ['-c=false', '--helm3=false', '-o', 'json', ...filesOf(folder)],
};

function filesOf(folder: string): string[] {
  return readdirSync(folder).flatMap((file) => ['-f', join(folder, file)]);
}

function runPeer(program: string, args: readonly string[]): Taken {
  const started = performance.now();
  const { error, stdout } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: Infinity });
  if (error !== undefined || stdout === '') {
    throw new Error(`${program}: ${error?.message ?? 'printed nothing'}`);
  }
  return { seconds: (performance.now() - started) / 1000 };
}

const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-apis-'));
try {
  writeCorpus(folder, objects);
  for (const file of readdirSync(folder).map((name) => join(folder, name))) {
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^apiVersion: policy\/v1$/gm, '$&beta1'));
  }
  const load = loadavg()[0]!;
  const fine = ['-r', join(__dirname, 'lint', 'findings-are-fine.cjs')];
  const main = join(root, 'dist', 'cli', 'main.js');
  const given = Object.entries(peers).flatMap(([name, args]) => {
    const program = process.env[name.toUpperCase()];
    return program === undefined ? [] : [[name, () => runPeer(program, args(folder))] as const];
  });
  const samples = rounds<string, Taken>('removed APIs', times, {
    ready: () => runNode([...fine, main, 'ready', '--to', '1.36', folder, '--format', 'json']),
    parse: () => runNode([join(__dirname, 'lint', 'parse.mjs'), folder]),
    ...Object.fromEntries(given),
  });
  const seconds = (name: string): number[] => samples[name]!.map((each) => each.seconds);
  const missing = Object.keys(peers).filter((name) => samples[name] === undefined);
  const section = [
    apisHeading,
    '',
    measuredLine(new Date().toISOString().slice(0, 10), process.version, load),
    '',
    `\`cluster-canary ready --to 1.36\` of ${whole(objects)} objects, ten in a file, of which every budget is of policy/v1beta1, beside the same files read by \`js-yaml\` alone${given.length > 0 ? ` and by ${given.map(([name]) => name).join(' and ')}` : ''}. The goal is at most ${goal} times pluto's time.${missing.length > 0 ? ` Not measured, since their programs were not given: ${missing.map((name) => `\`${name}\``).join(', ')}.` : ''}`,
    '',
    ...table(
      ['Program', 'seconds', 'ready beside it'],
      Object.keys(samples).map((name) => [
        name,
        spreadText(spread(seconds(name))),
        name === 'ready' ? '' : spreadText(spread(quotients(seconds('ready'), seconds(name)))),
      ]),
    ),
    '',
  ];
  const file = join(root, 'docs', 'benchmarks.md');
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), apisHeading, section));
  process.stdout.write(section.join('\n'));
} finally {
  rmSync(folder, { recursive: true });
}

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCorpus } from './lint/corpus';
import type { Form } from './lint/forms';
import { forms, writeInOneFile } from './lint/forms';
import type { Spread } from './measure';
import { quotients, rounds, spread } from './measure';
import { root, runNode, typescript } from './run-node';

/** What one program took. */
export interface LintRun {
  readonly seconds: Spread;
  readonly cpuSeconds: Spread;
  readonly peakMegabytes: number;
}

/** What was measured for one number of objects. */
export interface LintResult {
  readonly objects: number;
  /** @default - ten objects a file */
  readonly form?: Form;
  readonly megabytes: number;
  readonly findings: number;
  readonly lint: LintRun;
  /** js-yaml alone. */
  readonly parse: LintRun;
  /** A Go program. @default - there is no Go to build it */
  readonly kubeconform?: LintRun;
  /** Of lint to kubeconform. */
  readonly ratio?: Spread;
}

/** What the start of the command takes. */
export interface LintStart {
  /** Of Node.js: `v20.19.0`. */
  readonly version: string;
  readonly objects: number;
  readonly lint: Spread;
  /** `node -e 0` */
  readonly node: Spread;
  /** Of lint to it, by the clock. */
  readonly ratio: Spread;
}

/** The goal for lint of a few objects, as a multiple of `node -e 0`. */
export const startGoal = 2;

/** Measures `cluster-canary lint` of a small folder beside a process of Node.js that does nothing, by each Node.js. */
export function measureLintStart(times: number, programs: readonly string[]): LintStart[] {
  const objects = 3;
  return inFolder((folder) => {
    writeCorpus(folder, objects);
    const samples = rounds(
      'lint, start',
      times,
      Object.fromEntries(
        programs.flatMap((program) => [
          [`${program} lint`, () => runNode([...fine, main, 'lint', folder], program)],
          [`${program} node`, () => runNode(['-e', '0'], program)],
        ]),
      ),
    );
    return programs.map((program) => {
      const of = (name: 'lint' | 'node') => samples[`${program} ${name}`]!.map(({ seconds }) => seconds);
      return {
        version: runNode(['-p', 'process.version'], program).output.trim(),
        objects,
        lint: spread(of('lint')),
        node: spread(of('node')),
        ratio: spread(quotients(of('lint'), of('node'))),
      };
    });
  });
}

/** The goals for 20,000 objects. */
export const lintGoals = { objects: 20_000, ratio: 2, megabytes: 1000 };

interface Sample {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

/** Measures `cluster-canary lint` beside a mere parse, in Go and in JavaScript. */
export function measureLint(sizes: readonly number[], times: number): LintResult[] {
  const kubeconform = builtKubeconform();
  return sizes.map((objects) =>
    inFolder((folder) => {
      writeCorpus(folder, objects);
      return measured(folder, objects, times, kubeconform);
    }),
  );
}

/** The same with all objects in one file, in each form. */
export function measureLintForms(objects: number, times: number): LintResult[] {
  const kubeconform = builtKubeconform();
  return forms.map((form) =>
    inFolder((folder) => {
      writeInOneFile(folder, objects, form);
      return { ...measured(folder, objects, times, kubeconform), form };
    }),
  );
}

function inFolder<T>(measure: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-lint-'));
  try {
    return measure(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const main = join(root, 'dist', 'cli', 'main.js');
const fine = ['-r', join(__dirname, 'lint', 'findings-are-fine.cjs')];

function measured(
  folder: string,
  objects: number,
  times: number,
  kubeconform: string | undefined,
): LintResult {
  const { summary } = JSON.parse(runNode([...fine, main, 'lint', folder, '--format', 'json']).output) as {
    summary: { error: number; warning: number; info: number; objects: number };
  };
  if (summary.objects !== objects) {
    throw new Error(`${summary.objects} of ${objects} objects were judged`);
  }
  const contenders: Record<string, () => Sample> = {
    lint: () => runNode([...fine, main, 'lint', folder]),
    parse: () => runNode([join(__dirname, 'lint', 'parse.mjs'), folder]),
    ...(kubeconform === undefined ? {} : { kubeconform: () => runKubeconform(kubeconform, folder) }),
  };
  const samples = rounds(`lint, objects: ${objects}`, times, contenders);
  const seconds = (name: string): number[] => samples[name]!.map((sample) => sample.seconds);
  return {
    objects,
    megabytes: sizeOf(folder),
    findings: summary.error + summary.warning + summary.info,
    lint: runOf(samples['lint']!),
    parse: runOf(samples['parse']!),
    ...(kubeconform === undefined
      ? {}
      : {
          kubeconform: runOf(samples['kubeconform']!),
          ratio: spread(quotients(seconds('lint'), seconds('kubeconform'))),
        }),
  };
}

function runOf(samples: readonly Sample[]): LintRun {
  return {
    seconds: spread(samples.map(({ seconds }) => seconds)),
    cpuSeconds: spread(samples.map(({ cpuSeconds }) => cpuSeconds)),
    peakMegabytes: Math.max(...samples.map(({ peakMegabytes }) => peakMegabytes)),
  };
}

/** Builds it where there is Go. */
function builtKubeconform(): string | undefined {
  try {
    return runNode([...typescript, join(__dirname, 'lint', 'kubeconform.ts')]).output;
  } catch (error) {
    process.stderr.write(
      `lint is measured without kubeconform: ${(error as Error).message.split('\n')[0]}\n`,
    );
    return undefined;
  }
}

const time = '/usr/bin/time';

/** Without schemas: it reads every document and names its kind. */
function runKubeconform(program: string, folder: string): Sample {
  const args = ['-ignore-missing-schemas', '-schema-location', '/nowhere/{{.ResourceKind}}.json', folder];
  const started = performance.now();
  const { status, stderr } = existsSync(time)
    ? spawnSync(time, ['-f', '%U %S %M', program, ...args], { encoding: 'utf8' })
    : spawnSync(program, args, { encoding: 'utf8' });
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) {
    throw new Error(`kubeconform: exit status ${status}\n${stderr}`);
  }
  const [user = NaN, system = NaN, kilobytes = NaN] = stderr.trim().split(' ').map(Number);
  return { seconds, cpuSeconds: user + system, peakMegabytes: kilobytes / 1024 };
}

function sizeOf(folder: string): number {
  const { stdout } = spawnSync('du', ['-sb', folder], { encoding: 'utf8' });
  return Number(stdout.split('\t')[0]) / 1e6;
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { PreviewPlan } from '../../lib/pulumi/preview';

const root = resolve(__dirname, '../..');

/** A program of the examples, with what differs from its files. */
export interface ProgramRun {
  /** Its folder below `examples`. */
  readonly program: string;
  readonly stack?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** File below `examples`. */
  readonly answers?: string;
}

/**
 * Previews programs one after another in one process of Node with the compiled library: Pulumi is loaded once, and a
 * program runs anew each time, which a test's own process does not let it.
 */
export function previewPrograms(runs: readonly ProgramRun[]): PreviewPlan[] {
  const script = `
    const { join } = require('node:path');
    const { preview } = require('./dist/pulumi/preview');
    const runs = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    const all = async () => {
      const plans = [];
      for (const { program, answers, ...options } of runs) {
        plans.push(await preview({
          ...options,
          program: join('examples', program),
          answers: answers && join('examples', answers),
        }));
      }
      return plans;
    };
    all().then(
      (plans) => process.stdout.write(JSON.stringify(plans)),
      (error) => { process.exitCode = 1; console.error(error.message ?? error); },
    );`;
  return JSON.parse(
    execFileSync(process.execPath, ['-e', script], {
      cwd: root,
      input: JSON.stringify(runs),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: 'pipe',
    }),
  );
}

/** The configuration of a stack, and after each of the numbered steps that the README has. */
export function configurationsOf(program: string, stack: string): Record<string, any>[] {
  const read = (file: string) => readFileSync(join(root, 'examples', program, file), 'utf8');
  const begin = parse(read(`Pulumi.${stack}.yaml`)).config;
  const steps = [...read('README.md').matchAll(/^#+ \d+\. .*\n\n```yaml\n([^`]*)```$/gm)];
  return steps.reduce<Record<string, any>[]>(
    (all, [, change]) => [...all, { ...all.at(-1), ...parse(change!) }],
    [begin],
  );
}

/** Inputs of the one resource with a type that ends so and a name. */
export function inputsOf(plan: PreviewPlan, type: string, name: string): any {
  const found = plan.resources.filter((each) => each.type.endsWith(type) && each.name === name);
  expect([type, name, found.length]).toEqual([type, name, 1]);
  return found[0]!.inputs;
}

/** Names of the resources with a type that ends so. */
export function namesOf(plan: PreviewPlan, type: string): string[] {
  return plan.resources.filter((each) => each.type.endsWith(type)).map(({ name }) => name);
}

/** Weights of a rule, in the order of the slots. */
export function weightsOf(plan: PreviewPlan, rule: string): number[] {
  const [action] = inputsOf(plan, ':ListenerRule', rule).actions;
  return action.forward.targetGroups.map(({ weight }: any) => weight);
}

import type { OpenRoute, Plan } from '../../plans';
import { openRoute } from '../../plans';
import type { Schedule, Weights } from '../../shift';
import { describeDuration, describeWeights, schedule, shiftPlan, weightsBefore } from '../../shift';
import { jsonText, writeOut } from '../output';

/** What `shift --dry-run --json` prints for one route. Times are seconds from the start. */
export interface DryRun {
  readonly schemaVersion: 1;
  readonly dryRun: true;
  readonly from: Weights;
  readonly to: Weights;
  /** Whether `from` was read from the router; else it is only taken to be so. */
  readonly live: boolean;
  /** Why the live weights could not be read; null where they were. */
  readonly problem: string | null;
  readonly steps: readonly {
    readonly atSeconds: number;
    /** Place on the way, in percent. */
    readonly place: number;
    readonly weights: Weights;
    /** Place of the pause that comes before it. */
    readonly pauseBefore?: number;
  }[];
  readonly bakeFromSeconds: number;
  readonly leastSeconds: number;
  /** What a step, or a write, takes its time for. */
  readonly waits: readonly string[];
  readonly warnings: readonly string[];
  /** Names of the checks. */
  readonly checks: readonly string[];
}

/** Prints what a plan would do; reads the live weights where it can, and writes nothing. */
export async function showDryRun(plan: Plan, json: boolean): Promise<void> {
  const runs: [string, DryRun][] = [];
  for (const name of Object.keys(plan.routes)) {
    const route = await openRoute(plan, name);
    try {
      runs.push([name, await rehearse(plan, route)]);
    } finally {
      route.close();
    }
  }
  const [[, only] = []] = runs;
  if (json) {
    const several = { schemaVersion: 1, dryRun: true, waves: plan.waves, routes: Object.fromEntries(runs) };
    await writeOut(jsonText(runs.length === 1 ? only : several));
    return;
  }
  const wave = (name: string): number => plan.waves.findIndex((names) => names.includes(name)) + 1;
  const texts = runs.map(([name, run]) =>
    runs.length === 1
      ? dryRunText(run)
      : `${name} (wave ${wave(name)} of ${plan.waves.length}):\n${dryRunText(run)}`,
  );
  await writeOut(texts.join('\n'));
}

async function rehearse(plan: Plan, route: OpenRoute): Promise<DryRun> {
  const checks = route.checks.map(({ name }) => name);
  try {
    const live = await route.router.read();
    const { because, milliseconds, writeMilliseconds } = await route.leastWait();
    const known = shiftPlan(plan.slots, plan.weights, plan.shift, milliseconds, writeMilliseconds);
    return { ...dryRunOf(schedule(live, known), checks), waits: because };
  } catch (error) {
    const supposed = weightsBefore(plan.slots, plan.weights);
    const unread = shiftPlan(plan.slots, plan.weights, plan.shift);
    return dryRunOf(schedule(supposed, unread), checks, (error as Error).message);
  }
}

/** The schedule of a shift as a document. */
export function dryRunOf(
  { from, to, steps, bakeFromMs, leastMs, warnings }: Schedule,
  checks: readonly string[],
  problem?: string,
): DryRun {
  return {
    schemaVersion: 1,
    dryRun: true,
    from,
    to,
    live: problem === undefined,
    problem: problem ?? null,
    steps: steps.map(({ atMs, ...step }) => ({ atSeconds: atMs / 1000, ...step })),
    bakeFromSeconds: bakeFromMs / 1000,
    leastSeconds: leastMs / 1000,
    waits: [],
    warnings,
    checks,
  };
}

/** The schedule of a shift for a person. */
export function dryRunText(run: DryRun): string {
  const { from, to, steps, problem, checks, warnings } = run;
  const seconds = (amount: number): string => describeDuration(amount * 1000);
  const width = Math.max(
    ...[...steps.map(({ atSeconds }) => atSeconds), run.leastSeconds].map((at) => seconds(at).length),
  );
  const row = (at: number, text: string): string => `  ${seconds(at).padStart(width)}  ${text}`;
  const rows = steps.flatMap(({ atSeconds, weights, place, pauseBefore }) => [
    ...(pauseBefore === undefined
      ? []
      : [row(atSeconds, `waits for a person, at ${pauseBefore} % of the way`)]),
    row(atSeconds, `${describeWeights(weights)}  (${place} % of the way)`),
  ]);
  return [
    `From ${describeWeights(from)} to ${describeWeights(to)}, at least ${seconds(run.leastSeconds)}.`,
    ...(problem === null
      ? []
      : [`The live weights could not be read, so these are taken to be live: ${problem}`]),
    ...(steps.length === 0 ? ['The wanted weights are live already: there is nothing to do.'] : rows),
    ...(steps.length === 0 || run.leastSeconds === run.bakeFromSeconds
      ? []
      : [row(run.bakeFromSeconds, 'the wanted weights bake')]),
    ...(steps.length === 0 ? [] : [row(run.leastSeconds, 'complete, if every check passes at once')]),
    ...run.waits.map((wait) => `It takes its time: ${wait}.`),
    checks.length === 0 ? 'No checks.' : `Checks: ${checks.join(', ')}.`,
    ...warnings.map((warning) => `Warning: ${warning}.`),
    'Nothing was written.',
    '',
  ].join('\n');
}

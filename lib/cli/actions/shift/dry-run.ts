import { systemClock } from '../../../core/async';
import {
  formatRoundedDuration,
  formatWeights,
  equalWeights,
  outlook,
  schedule,
  shiftPlan,
  assumedLiveWeights,
} from '../../../shift/engine';
import type {
  LeaseLook,
  Outlook,
  Schedule,
  ShiftEndRecord,
  ShiftPlan,
  Verdict,
  Weights,
} from '../../../shift/engine';
import { openRoute } from '../../../shift/plan-file';
import type { OpenRoute, CheckedPlanFile } from '../../../shift/plan-file';
import { hangingLines, jsonText, writeDocument, writeOut } from '../../output';
import type { ShiftFlags } from './flags';

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
  /** The record that the lease holds, and what this run does with it; null where there is none. */
  readonly record: DryRunRecord | null;
  /** Why the lease could not be read, or what it holds is no record; null where there is no problem. */
  readonly recordProblem: string | null;
  /** Who runs a shift of these weights now; null where no one does. */
  readonly heldBy: string | null;
  /** When that lease expires unless its holder renews it; null where no one holds it. */
  readonly heldUntil: string | null;
  /** What a failed check does. */
  readonly onFailure: 'rollback' | 'hold';
  /** How the run ends at once, without a write; null where it does not. */
  readonly ends: { readonly verdict: Verdict; readonly reason: string } | null;
  readonly steps: readonly {
    readonly atSeconds: number;
    /** Place on the way, in percent. */
    readonly percent: number;
    readonly weights: Weights;
    /** Place of the pause that comes before it. */
    readonly pauseBefore?: number;
    /** Whether it takes the traffic back. */
    readonly rollback?: boolean;
  }[];
  readonly bakeFromSeconds: number;
  readonly minimumSeconds: number;
  /** What a step, or a write, takes its time for. */
  readonly waits: readonly string[];
  readonly warnings: readonly string[];
  /** Names of the checks. */
  readonly checks: readonly string[];
}

/** The record of the newest shift. Times are ISO 8601 in UTC. */
export interface DryRunRecord {
  readonly use: Outlook['use'];
  readonly from: Weights;
  readonly to: Weights;
  /** Weights that were written last, or were about to be. */
  readonly written: Weights;
  readonly startedAt: string;
  readonly rollingBack: boolean;
  /** How the shift ended; null while it is unfinished. */
  readonly ended: { readonly at: string; readonly verdict: ShiftEndRecord['verdict'] } | null;
}

/** Prints what a plan would do; reads the live weights where it can, and writes nothing. */
export async function showDryRun(plan: CheckedPlanFile, { json, resumed }: ShiftFlags): Promise<void> {
  const runs: [string, DryRun][] = [];
  for (const name of Object.keys(plan.routes)) {
    const route = await openRoute(plan, name);
    try {
      runs.push([name, await rehearse(plan, route, resumed)]);
    } finally {
      route.close();
    }
  }
  const [[, only] = []] = runs;
  if (json === true) {
    const several = { schemaVersion: 1, dryRun: true, waves: plan.waves, routes: Object.fromEntries(runs) };
    await writeDocument(jsonText(runs.length === 1 ? only : several));
    return;
  }
  const wave = (name: string): number => plan.waves.findIndex((names) => names.includes(name)) + 1;
  const lines = runs.flatMap(([name, run], index) =>
    runs.length === 1
      ? dryRunLines(run)
      : [
          ...(index === 0 ? [] : ['']),
          `${name} (wave ${wave(name)} of ${plan.waves.length}):`,
          ...dryRunLines(run),
        ],
  );
  await writeOut(lines);
}

async function rehearse(
  plan: CheckedPlanFile,
  route: OpenRoute,
  resumed: number | undefined,
): Promise<DryRun> {
  const checks = route.checks.map(({ name }) => name);
  const unchecked = checks.length === 0;
  let live: Weights;
  let known: ShiftPlan;
  let waits: readonly string[];
  try {
    live = await route.router.read();
    const { because, milliseconds, writeMilliseconds } = await route.minimumWait();
    waits = because;
    const planned = shiftPlan(plan.slots, plan.weights, plan.shift, milliseconds, writeMilliseconds);
    known = { ...planned, unchecked };
  } catch (error) {
    const supposed = assumedLiveWeights(plan.slots, plan.weights);
    const unread = { ...shiftPlan(plan.slots, plan.weights, plan.shift), unchecked };
    return dryRunOf(schedule(supposed, unread), checks, (error as Error).message);
  }
  const look = await lookAt(route);
  const ahead = outlook(known, look, live, systemClock.now(), resumed);
  const onFailure = typeof known.onFailure === 'object' ? 'rollback' : known.onFailure;
  return { ...dryRunOf(ahead.schedule, checks), ...recordPart(look, ahead, live), onFailure, waits };
}

/** A lease that can't be read is no reason to show nothing, but a run would not begin. */
async function lookAt({ lease }: OpenRoute): Promise<LeaseLook & { readonly refusal?: string }> {
  try {
    return await lease.look();
  } catch (error) {
    const refusal = (error as Error).message;
    return { problem: refusal, refusal };
  }
}

type RecordPart = Pick<DryRun, 'record' | 'recordProblem' | 'heldBy' | 'heldUntil' | 'ends' | 'steps'>;

function recordPart(
  look: LeaseLook & { readonly refusal?: string },
  ahead: Outlook,
  live: Weights,
): Partial<RecordPart> {
  const { record, problem, holder, expiresAt, refusal } = look;
  const { rollsBackTo } = ahead;
  const ends = refusal === undefined ? ahead.ends : { verdict: 'aborted' as const, reason: refusal };
  const isNoShift = ends !== undefined && !(ends.verdict === 'completed' && record === undefined);
  return {
    recordProblem: problem ?? null,
    heldBy: holder ?? null,
    heldUntil: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    ends: isNoShift ? { verdict: ends.verdict, reason: ends.reason } : null,
    ...(record && {
      record: {
        use: ahead.use,
        from: record.origin,
        to: record.wanted,
        written: record.written,
        startedAt: new Date(record.startedAt).toISOString(),
        rollingBack: record.rollingBack === true,
        ended: record.ended
          ? { at: new Date(record.ended.at).toISOString(), verdict: record.ended.verdict }
          : null,
      },
    }),
    ...(refusal !== undefined && { steps: [] }),
    ...(rollsBackTo &&
      !equalWeights(rollsBackTo, live) && {
        steps: [{ atSeconds: 0, percent: 0, weights: rollsBackTo, rollback: true }],
      }),
  };
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
    record: null,
    recordProblem: null,
    heldBy: null,
    heldUntil: null,
    onFailure: 'rollback',
    ends: null,
    steps: steps.map(({ atMs, ...step }) => ({ atSeconds: atMs / 1000, ...step })),
    bakeFromSeconds: bakeFromMs / 1000,
    minimumSeconds: leastMs / 1000,
    waits: [],
    warnings,
    checks,
  };
}

/** The schedule of a shift for a person, a line each. */
export function dryRunLines(run: DryRun): readonly string[] {
  const { from, problem, checks, warnings, ends, steps } = run;
  const [first] = steps;
  const to = first?.rollback === true ? first.weights : run.to;
  return [
    `From ${formatWeights(from)} to ${formatWeights(to)}, at least ${seconds(run.minimumSeconds)}.`,
    ...(problem === null
      ? []
      : [`The live weights could not be read, so these are taken to be live: ${problem}`]),
    ...recordLines(run),
    ...(ends ? hangingLines(`It would end at once: ${ends.verdict}: ${ends.reason}`) : stepLines(run)),
    ...run.waits.map((wait) => `It takes its time: ${wait}.`),
    ...(checks.length === 0 ? [] : [`Checks: ${checks.join(', ')}.`]),
    ...warnings.map((warning) => `Warning: ${warning}.`),
    'Nothing was written.',
  ];
}

function seconds(amount: number): string {
  return formatRoundedDuration(amount * 1000);
}

/** What the run does with a record, to complete "This run …". */
const uses: Readonly<Record<Outlook['use'], string>> = {
  none: 'starts from the live weights',
  startsAnew: 'gives it up and starts from the live weights',
  goesOn: 'goes on with it',
  rollsBack: 'takes the traffic back to where it began',
  finishesRollback: 'finishes its rollback',
  stops: 'stops: the live weights are not those that it left',
};

function recordLines({
  record,
  recordProblem,
  heldBy,
  heldUntil,
  onFailure,
  ends,
}: DryRun): readonly string[] {
  const lines: string[] = [];
  if (heldBy !== null) {
    lines.push(
      `The lease is held by ${heldBy} until ${heldUntil}. A run before then ends with status 2; after it:`,
    );
  }
  if (recordProblem !== null && ends?.reason !== recordProblem) {
    lines.push(`The record of the last shift can't be read: ${recordProblem}`);
  }
  if (record) {
    const what = `from ${formatWeights(record.from)} to ${formatWeights(record.to)}, begun ${record.startedAt}`;
    lines.push(
      record.ended
        ? `The last shift, ${what}, ended ${record.ended.at}: ${record.ended.verdict}.`
        : `There is an unfinished shift ${what}${record.rollingBack ? ', that was rolling back' : ''}. This run ${uses[record.use]}` +
            (record.use === 'goesOn' && onFailure === 'rollback'
              ? '; a failed check takes the traffic back to where it began.'
              : '.'),
    );
  }
  return lines;
}

function stepLines({ steps, bakeFromSeconds, minimumSeconds }: DryRun): readonly string[] {
  const [first] = steps;
  if (first?.rollback === true) {
    return [`  at once  ${formatWeights(first.weights)}  (rollback)`];
  }
  if (minimumSeconds === 0 && steps.length === 0) {
    return ['The wanted weights are live already: there is nothing to do.'];
  }
  const width = Math.max(
    ...[...steps.map(({ atSeconds }) => atSeconds), minimumSeconds].map((at) => seconds(at).length),
  );
  const row = (at: number, text: string): string => `  ${seconds(at).padStart(width)}  ${text}`;
  const rows = steps.flatMap(({ atSeconds, weights, percent: place, pauseBefore }) => [
    ...(pauseBefore === undefined
      ? []
      : [row(atSeconds, `waits for a person, at ${pauseBefore} % of the way`)]),
    row(atSeconds, `${formatWeights(weights)}  (${place} % of the way)`),
  ]);
  const isLive = (first?.atSeconds ?? bakeFromSeconds) > 0;
  return [
    ...(isLive ? [row(0, 'the live weights are checked once more')] : []),
    ...rows,
    ...(minimumSeconds === bakeFromSeconds ? [] : [row(bakeFromSeconds, 'the wanted weights bake')]),
    row(minimumSeconds, 'complete, if every check passes at once'),
  ];
}

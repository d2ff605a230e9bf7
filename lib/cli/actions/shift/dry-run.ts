import { systemClock } from '../../../core/async';
import {
  capacityCheckName,
  equalWeights,
  leastWeights,
  outlook,
  runChecks,
  schedule,
  scheduleWithin,
  shiftPlan,
  assumedLiveWeights,
} from '../../../shift/engine';
import type {
  CapacityRecord,
  Check,
  LeaseLook,
  NamedResult,
  Outlook,
  ShiftPlan,
  Weights,
} from '../../../shift/engine';
import { approvalSecrets } from '../../../shift/approvals';
import type { SlotCapacity } from '../../../shift/capacity';
import { unsetSecrets } from '../../../shift/notify';
import { linkKeyProblem } from '../../../shift/page';
import { openRoute } from '../../../shift/plan-file';
import type { OpenRoute, CheckedPlanFile } from '../../../shift/plan-file';
import { curlLine } from '../../../shift/probes';
import { jsonText, writeDocument, writeNotes, writeOut } from '../../output';
import { dryRunOf } from './dry-run-document';
import type { DryRun } from './dry-run-document';
import { dryRunLines } from './dry-run-lines';
import type { ShiftFlags } from './flags';

/** Prints what a plan would do; reads the live weights where it can, and writes nothing. */
export async function showDryRun(plan: CheckedPlanFile, { json, resumed }: ShiftFlags): Promise<void> {
  const link = plan.approvals?.link;
  const unset = [
    ...(await unsetSecrets(plan.notify)),
    ...(link ? [await linkKeyProblem(link, approvalSecrets)] : []),
  ];
  writeNotes(...unset.flatMap((line) => (line === undefined ? [] : [`warning: ${line}`])));
  const runs: [string, DryRun][] = [];
  for (const name of Object.keys(plan.routes)) {
    const route = await openRoute(plan, name);
    try {
      runs.push([name, { ...(await rehearse(plan, route, resumed)), previews: previewLinesOf(route) }]);
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

function previewLinesOf({ subject }: OpenRoute): DryRun['previews'] {
  const lines = Object.entries(subject.slots).flatMap(([slot, { preview }]) =>
    preview ? [[slot, curlLine(preview)] as const] : [],
  );
  return Object.fromEntries(lines);
}

async function rehearse(
  plan: CheckedPlanFile,
  route: OpenRoute,
  resumed: number | undefined,
): Promise<DryRun> {
  const { checks } = route;
  const unchecked = checks.length === 0;
  let live: Weights;
  let known: ShiftPlan;
  let waits: readonly string[];
  try {
    live = await route.router.read();
    const { because, milliseconds, writeMilliseconds } = await route.minimumWait();
    waits = because;
    const planned = shiftPlan(plan.slots, plan.weights, plan.shift, milliseconds, writeMilliseconds);
    // Where capacity moves first, a step waits until there is enough for all of it.
    known = { ...planned, unchecked, ...(route.capacity && { wholeSteps: true }) };
  } catch (error) {
    const supposed = assumedLiveWeights(plan.slots, plan.weights);
    const unread = { ...shiftPlan(plan.slots, plan.weights, plan.shift), unchecked };
    const steps = schedule(supposed, unread);
    // The clusters may answer where AWS does not.
    const bounds = route.capacity
      ? await boundsOf(route, unread, { schedule: steps, record: undefined }, systemClock.now())
      : [];
    return { ...dryRunOf(steps, checks, (error as Error).message), bounds: boundLines(bounds) };
  }
  const look = await lookAt(route);
  const now = systemClock.now();
  const ahead = outlook(known, look, live, now, { resumedTo: resumed });
  const bounds = await boundsOf(route, known, { ...ahead, record: look.record }, now);
  const upTo = leastWeights(bounds.flatMap(({ upTo }) => (upTo ? [upTo] : [])));
  const steps = known.wholeSteps === true ? ahead.schedule : scheduleWithin(ahead.schedule, known, upTo);
  const onFailure = typeof known.onFailure === 'object' ? 'rollback' : known.onFailure;
  return {
    ...dryRunOf(steps, checks),
    bounds: boundLines(bounds),
    ...recordPart(look, ahead, live),
    onFailure,
    waits,
  };
}

/**
 * What capacity and the checks say that bound the first step; none is asked where there is no step to be written at once.
 */
function boundsOf(
  { checks, capacity }: OpenRoute,
  { wanted }: ShiftPlan,
  { schedule: { from, steps }, record }: Pick<Outlook, 'schedule'> & Pick<LeaseLook, 'record'>,
  now: number,
): Promise<readonly NamedResult[]> {
  const [first, second] = steps;
  const ahead = second && second.pauseBefore === undefined ? second.weights : undefined;
  const unfinished = record && !record.ended ? record : undefined;
  // With capacity, a step waits for the targets that the whole of it needs.
  const asked = capacity
    ? [capacityOutlook(capacity, unfinished?.raised)]
    : checks.filter(({ bounds }) => bounds === true);
  if (!first || first.atMs > 0 || asked.length === 0) {
    return Promise.resolve([]);
  }
  const origin = unfinished?.origin ?? from;
  const window = { stage: 'before', from: now, to: now, startedAt: now, origin, live: from, wanted } as const;
  return runChecks(asked, { ...window, next: first.weights, ...(ahead && { ahead }), writes: [] }, undefined);
}

function boundLines(bounds: readonly NamedResult[]): DryRun['bounds'] {
  return bounds.map(({ name, status, reason }) => ({ name, status, reason }));
}

/** What capacity would be raised for the first step: a check that writes nothing, as the one of the run has its name. */
function capacityOutlook(capacity: SlotCapacity, raised: CapacityRecord | undefined): Check {
  return {
    name: capacityCheckName,
    stages: ['before'],
    evaluate: ({ origin, wanted, next = wanted, ahead }, signal) =>
      capacity.outlook({ origin, wanted, next, ...(ahead && { ahead }), ...(raised && { raised }) }, signal),
  };
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

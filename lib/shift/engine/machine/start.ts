import { formatWeights } from '../format';
import type { ShiftRecord } from '../lease';
import type { ShiftPlan } from '../plan';
import { sameWeights } from '../steps';
import type { Weights } from '../weights';
import { explainFailure, mayPassLater } from './ending';
import type { ShiftEvent, ShiftLive, ShiftStarted } from './events';
import { describeFound, distinctWeights, fitSlots, isOneOf } from './live-weights';
import { isBetween, possibleOf, recordBetween, useOfRecord } from './record-use';
import { approvalsOf, shiftContext, nothingToDo, setOut, startLog } from './shift-context';
import { personsIn, read, stay, stepAttempts, waitToRetry, withLog } from './states';
import type { ShiftContext, ShiftAnswer, ShiftStarting, ShiftState } from './states';
import { cannotRun, refuseEvacuated, refuseRollbackTarget } from './start-refusals';
import { end, endForeign, liveOf, placeReached, prepare, rollBack, takeBack } from './transitions';

/** Goes on where the record says that an earlier run has stopped. */
function resume(plan: ShiftPlan, start: ShiftStarted, record: ShiftRecord, found: ShiftLive): ShiftAnswer {
  const { course } = courseOfRecord(plan, start, record, found);
  if (found.members) {
    return unite(plan, course, found.at, 'Goes on with a step that was not written everywhere.');
  }
  return course.way.length === 0
    ? nothingToDo(plan, course.origin, course.live)
    : setOut(plan, course, found.at, `Goes on with an unfinished shift. ${startLog(plan, course)}`);
}

/** Takes back what the record says that an earlier run has shifted, or finishes its rollback. */
function takeBackRecorded(
  plan: ShiftPlan,
  start: ShiftStarted,
  record: ShiftRecord,
  found: ShiftLive,
): ShiftAnswer {
  const { course, possible } = courseOfRecord(plan, start, record, found);
  const { origin, wanted, written, rollingBack: isInherited = false } = record;
  const why = isInherited
    ? 'An earlier run had decided to roll back, and was stopped before it was done.'
    : (start.rollBack ??
      `This plan wants ${formatWeights(plan.wanted)}, ${sameWeights(plan.slots, origin, plan.wanted) ? 'with which' : `and with ${formatWeights(origin)}`} an unfinished shift to ${formatWeights(wanted)} began.`);
  const isAsked = start.rollBack !== undefined && !isInherited;
  const target = isInherited ? written : isAsked ? origin : plan.wanted;
  const isWanted = !isAsked && sameWeights(plan.slots, target, plan.wanted);
  return takeBack(plan, { ...course, possible }, { target, why, wanted, isWanted });
}

/**
 * Brings members together that differ, by the step that was announced; by the wanted weights, if there is none. What an
 * unfinished step left is known to be on the way.
 */
function unite(plan: ShiftPlan, course: ShiftContext, at: number, log: string): ShiftAnswer {
  const ahead = course.index < course.way.length - 1;
  const going = ahead ? course : { ...course, index: -1, way: [{ percent: 100, weights: plan.wanted }] };
  return prepare(going, at, `${log} ${startLog(plan, going)}`);
}

function courseOfRecord(
  plan: ShiftPlan,
  start: ShiftStarted,
  record: ShiftRecord,
  { at, members, weights }: ShiftLive,
): { readonly course: ShiftContext; readonly possible: readonly Weights[] } {
  const { resumedTo = -1 } = start;
  const { origin, startedAt, baselines } = record;
  const approvals = approvalsOf(start, record.approvals);
  const possible = possibleOf(plan, record);
  const live = members ? possible[0]! : weights;
  const known = {
    origin,
    startedAt,
    live,
    possible: members ? possible : [live],
    ...(baselines && { baselines }),
    ...personsIn({ ...record, approvals }),
  };
  // Who has agreed before a kill is not asked again.
  const agreed = Math.max(resumedTo, ...approvals.map(({ place }) => place));
  const { heldBy, ...course } = shiftContext(plan, known, at, agreed);
  const isHeld = heldBy !== undefined && resumedTo < placeReached(course);
  return { course: { ...course, ...(isHeld && { heldBy }) }, possible };
}

/** Starts, and reads the live weights for the first time. */
export function begun(
  plan: ShiftPlan,
  state: ShiftStarting | Extract<ShiftState, { phase: 'idle' }>,
  event: ShiftEvent,
): ShiftAnswer {
  if (state.phase === 'idle') {
    return event.type === 'started'
      ? read({ phase: 'starting', doing: 'read', start: event, attempt: 0 })
      : stay(state);
  }
  if (state.doing === 'wait') {
    return event.type === 'waited' ? read({ ...state, doing: 'read' }) : stay(state);
  }
  if (event.type === 'live') {
    return startFrom(plan, state.start, event);
  }
  if (event.type !== 'routerFailed') {
    return stay(state);
  }
  const attempt = state.attempt + 1;
  if (mayPassLater(event.failure) && attempt < stepAttempts) {
    return waitToRetry({ ...state, doing: 'wait', attempt }, event.at, attempt, event.message);
  }
  const text = event.failure === 'notFound' ? event.message : explainFailure(event.failure, event.message);
  return abort(`${text}\nThis run wrote nothing.`, event.live ?? null, false);
}

function startFrom(plan: ShiftPlan, start: ShiftStarted, found: ShiftLive): ShiftAnswer {
  const all = found.members?.map(({ weights }) => weights) ?? [found.weights];
  if (!all.every((weights) => fitSlots(plan.slots, weights))) {
    return abort(
      `The live weights are not whole percents of this plan's slots: ${describeFound(found)}; ` +
        `the slots are ${plan.slots.join(', ')}.`,
      liveOf(found),
      false,
    );
  }
  const refusal = refuseEvacuated(plan, start.record, found);
  if (refusal) {
    return refusal;
  }
  const use = useOfRecord(plan, start.record, found, start);
  switch (use.use) {
    case 'finishesRollback':
    case 'rollsBack':
      return takeBackRecorded(plan, start, use.record, found);
    case 'stops': {
      const { origin, written } = use.record;
      return ofRecord(endForeign([written], origin, found, 'An unfinished shift was to go on. '));
    }
    case 'goesOn':
      return (
        refuseRollbackTarget(plan, all, use.record.origin) ??
        withLog(ofRecord(resume(plan, start, use.record, found)), unreadNotes(start))
      );
    case 'none':
    case 'startsAnew': {
      const why = use.use === 'startsAnew' ? use.why : undefined;
      const notes = [
        ...unreadNotes(start),
        ...(why === undefined ? [] : [`${why} This run starts from the live weights.`]),
      ];
      return withLog(startAnew(plan, start, found, why), notes);
    }
  }
}

/** What of the lease can't be read, be it a part of the record. */
function unreadNotes({ unreadable }: ShiftStarted): readonly string[] {
  return unreadable === undefined ? [] : [`The record of the lease can't be read: ${unreadable}.`];
}

/** An end at once is that of the recorded shift. */
function ofRecord({ state, actions }: ShiftAnswer): ShiftAnswer {
  return state.phase === 'ended'
    ? { state: { ...state, end: { ...state.end, isOfRecord: true } }, actions }
    : { state, actions };
}

/**
 * Without a record that it goes on with: from the live weights, or on the way from the origin that the caller knows of.
 *
 * @param why why an unfinished shift is not gone on with
 */
function startAnew(plan: ShiftPlan, start: ShiftStarted, found: ShiftLive, why?: string): ShiftAnswer {
  const { at, members } = found;
  // What the caller knows is from before an evacuation: a rollback there would give the slot its traffic back.
  const isCurrent = start.record?.evacuated === undefined;
  const known = isCurrent && start.origin && fitSlots(plan.slots, start.origin) ? start.origin : undefined;
  if (start.rollBack !== undefined) {
    return takeBackWithoutRecord(plan, start, found, { origin: known, why });
  }
  const onTheWay = known && isBetween(plan, known, found) ? known : undefined;
  if (members) {
    return startApart(plan, start, found, onTheWay);
  }
  const live = found.weights;
  const origin = onTheWay ?? live;
  const refusal = refuseRollbackTarget(plan, [live], origin);
  if (refusal) {
    return refusal;
  }
  const begins = {
    ...{ origin, startedAt: at, live, possible: [live] },
    ...personsIn({ approvals: approvalsOf(start) }),
  };
  const course = shiftContext(plan, begins, at, start.resumedTo);
  if (course.index < 0 && sameWeights(plan.slots, live, plan.wanted)) {
    return nothingToDo(plan, origin, live);
  }
  return setOut(plan, course, at, startLog(plan, course));
}

/** A caller may know where the traffic came from; the live weights alone say nothing of it. */
function takeBackWithoutRecord(
  plan: ShiftPlan,
  start: ShiftStarted,
  found: ShiftLive,
  { origin, why }: { readonly origin: Weights | undefined; readonly why: string | undefined },
): ShiftAnswer {
  const { at, members, weights: live } = found;
  if (members) {
    return apart(found);
  }
  const { left } = start;
  const isLeft = left && fitSlots(plan.slots, left) ? sameWeights(plan.slots, live, left) : false;
  const isOwn = origin && (left ? isLeft : isBetween(plan, origin, found));
  if (origin && !isOwn && !sameWeights(plan.slots, live, origin)) {
    return endForeign([left ?? plan.wanted], origin, found, `${start.rollBack!} `);
  }
  if (origin) {
    const course = shiftContext(plan, { origin, startedAt: at, live, possible: [live] }, at);
    return rollBack(plan, course, origin, start.rollBack!);
  }
  const hasNone = start.unreadable === undefined && why === undefined;
  const reason = noOrigin(start, live, why);
  return end({ ...cannotRun, reason, ...(hasNone && { noRecord: true }) }, null, live);
}

function noOrigin({ record, unreadable }: ShiftStarted, live: Weights, why: string | undefined): string {
  const { ended, origin, wanted } = record ?? {};
  const lines = [
    why === undefined
      ? 'There is no record of an unfinished shift, so it is not known where the traffic came from. Nothing was written.'
      : `${why} Nothing was written.`,
    ...(unreadable === undefined ? [] : [`What the lease holds can't be read: ${unreadable}.`]),
    ...(ended && origin && wanted
      ? [
          `The last shift, from ${formatWeights(origin)} to ${formatWeights(wanted)}, ended at ` +
            `${new Date(ended.at).toISOString()}: ${ended.verdict}.`,
        ]
      : []),
    `Live are ${formatWeights(live)}. To move the traffic, set the weights that you want in the plan, and run the shift. To take all of it off a slot at once: cluster-canary evacuate SLOT.`,
  ];
  return lines.join('\n');
}

/** Members that differ: the step of an unfinished shift that explains them is what they begin with. */
function startApart(
  plan: ShiftPlan,
  start: ShiftStarted,
  found: ShiftLive,
  known: Weights | undefined,
): ShiftAnswer {
  const between = known && recordBetween(plan, known, found);
  if (between) {
    return resume(plan, start, between, found);
  }
  const { at, members = [] } = found;
  const { record } = start;
  const isExplained =
    record && !record.ended && isOneOf(plan.slots, found, possibleOf(plan, record)) ? record : undefined;
  if (!isExplained) {
    return apart(found);
  }
  // A rollback goes to the member that gives the least to those that are to gain.
  const gained = (weights: Weights): number =>
    plan.slots.reduce((sum, slot) => {
      const least = Math.min(...members.map((member) => member.weights[slot] ?? 0));
      return (plan.wanted[slot] ?? 0) > least ? sum + (weights[slot] ?? 0) : sum;
    }, 0);
  const [first, ...others] = members.map(({ weights }) => weights);
  const origin = others.reduce((best, weights) => (gained(weights) < gained(best) ? weights : best), first!);
  const isSafe = plan.slots.every((slot) =>
    members.every(
      ({ weights }) =>
        (plan.wanted[slot] ?? 0) <= (weights[slot] ?? 0) || (origin[slot] ?? 0) <= (weights[slot] ?? 0),
    ),
  );
  if (!isSafe) {
    return apart(found);
  }
  const refusal = refuseRollbackTarget(plan, [first!, ...others], origin);
  if (refusal) {
    return refusal;
  }
  const possible = distinctWeights(plan.slots, [origin, first!, ...others]);
  const course = shiftContext(plan, { origin, startedAt: at, live: origin, possible }, at, start.resumedTo);
  return unite(plan, course, at, 'What this shift moves together does not have the same weights.');
}

function apart(found: ShiftLive): ShiftAnswer {
  return abort(
    `What this shift moves together does not have the same weights, and no unfinished shift explains it: ${describeFound(found)}. ` +
      'Set them to the same weights first.',
    null,
    true,
  );
}

function abort(reason: string, live: Weights | null, finished: boolean): ShiftAnswer {
  return end({ verdict: 'aborted', reason, finished, advice: 'none' }, live, live);
}

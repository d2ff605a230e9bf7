import { TookTooLong, inTurn, systemClock, within } from '../../core/async';
import type { Clock } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import { NewerLease, RouterError, formatWeights } from '../engine';
import type { Lease, LeaseContent, Weights } from '../engine';
import { userOnMachine } from '../leases';
import { nearestPercents } from '../routers';
import type { OpenRouter } from '../routers';
import { evacuationOf, evacuationRecord } from './decision';
import type { EvacuationDecision, EvacuationRequest } from './decision';

/** One route that an evacuation works on. */
export interface EvacuationRoute {
  /** Its name in the plan, or the ARN of the rule or listener. */
  readonly name: string;
  readonly router: Pick<OpenRouter, 'name' | 'describe' | 'write'>;
  /** Where the evacuation is noted: what keeps shifts from giving the slot traffic again. */
  readonly lease: Lease;
  /** Healthy targets by slot; a slot whose health can't be read is left out. */
  healthy(signal?: AbortSignal): Promise<Readonly<Record<string, number>>>;
}

/** What is around an evacuation. */
export interface EvacuationControl {
  /** Tells how it goes. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Who does it, for the record. @default - user and machine */
  readonly by?: string;
  /** For waits between tries: from 0 to below 1. @default Math.random */
  readonly random?: () => number;
}

/** What an evacuation will do with one route. */
export interface PlannedRoute {
  readonly route: EvacuationRoute;
  readonly decision: EvacuationDecision;
  /** Live weights as whole percents; `null` where they could not be read. */
  readonly before: Weights | null;
}

/** One write of weights. */
export interface EvacuationWrite {
  readonly route: string;
  readonly weights: Weights;
  /** When it held, in seconds from the start. */
  readonly atSeconds: number;
}

/** What an evacuation did. */
export interface EvacuationReport {
  readonly schemaVersion: 1;
  readonly slot: string;
  /** `refused`: no route could be written. `incomplete`: some could not, or could not be noted. */
  readonly verdict: 'evacuated' | 'incomplete' | 'refused';
  readonly writes: readonly EvacuationWrite[];
  /** Weights by route; `null` where they could not be read. */
  readonly before: Readonly<Record<string, Weights | null>>;
  readonly after: Readonly<Record<string, Weights | null>>;
  /** What could not be done, a line each. */
  readonly problems: readonly string[];
  readonly durationSeconds: number;
}

/** AWS takes some calls at once before it throttles. */
const callsAtOnce = 16;

/** Of a lease: one that does not answer, as that of a dead API server, keeps no traffic where it is. */
const leasePatienceMs = 5_000;

/** Of one call of a router, which the SDK retries by itself. */
const routerPatienceMs = 20_000;

const longestRetriesMs = 60_000;

/**
 * Looks at every route, and decides what to do; writes nothing.
 *
 * @throws whatever the signal is aborted with
 */
export async function planEvacuation(
  routes: readonly EvacuationRoute[],
  request: EvacuationRequest,
  control: EvacuationControl,
): Promise<readonly PlannedRoute[]> {
  return inTurn(routes, callsAtOnce, (route) => planned(route, request, control), control.signal);
}

async function planned(
  route: EvacuationRoute,
  request: EvacuationRequest,
  control: EvacuationControl,
): Promise<PlannedRoute> {
  const [found, healthy] = await Promise.all([
    answerOf(() => retried(control, (signal) => route.router.describe(signal))),
    answerOf(() => retried(control, (signal) => route.healthy(signal))),
  ]);
  control.signal?.throwIfAborted();
  if ('problem' in found) {
    return { route, before: null, decision: { kind: 'refused', why: found.problem } };
  }
  const { raw, notes } = found.answer;
  if (raw === undefined) {
    return { route, before: null, decision: { kind: 'refused', why: notes.join('; ') } };
  }
  // Health that can't be read is no reason to leave the traffic where it is.
  const live = { live: raw, healthy: 'problem' in healthy ? {} : healthy.answer };
  const before = Object.values(raw).some((weight) => weight > 0) ? nearestPercents(raw) : null;
  const decision = evacuationOf(live, request);
  if (decision.kind !== 'refused') {
    return { route, before, decision };
  }
  const look = await answerOf(() => patient(control, leasePatienceMs, (signal) => route.lease.look(signal)));
  const record = 'problem' in look ? undefined : look.answer.record;
  const again = evacuationOf({ ...live, ...(record && { record }) }, request);
  return again.kind === 'refused' && 'problem' in look
    ? { route, before, decision: { ...again, why: `${again.why}; ${route.lease.name}: ${look.problem}` } }
    : { route, before, decision: again };
}

/**
 * Writes the weights that were decided, notes the evacuation, and reads the weights again: what gave the slot traffic
 * meanwhile is written over. Where no route can be written, it does nothing.
 *
 * A kill leaves routes that are written and others that are not: a new run finds nothing to do on the first.
 *
 * @param startedAt in milliseconds since 1970
 */
export async function carryOut(
  plan: readonly PlannedRoute[],
  { slot }: EvacuationRequest,
  control: EvacuationControl,
  startedAt: number,
): Promise<EvacuationReport> {
  const { clock = systemClock, say } = control;
  const seconds = (): number => Math.round(clock.now() - startedAt) / 1000;
  const writes: EvacuationWrite[] = [];
  const problems = refusals(plan);
  const work = plan.filter(({ decision }) => decision.kind !== 'refused');
  const isRefused = problems.length > 0 && plan.every(({ decision }) => decision.kind !== 'write');
  const before = byRoute(plan.map(({ route, before: weights }) => [route.name, weights]));
  if (isRefused) {
    return {
      slot,
      schemaVersion: 1,
      verdict: 'refused',
      writes,
      before,
      after: before,
      problems,
      durationSeconds: seconds(),
    };
  }
  const write = async ({ route, decision }: PlannedRoute): Promise<void> => {
    if (decision.kind !== 'write') {
      return;
    }
    const done = await answerOf(() =>
      retried(control, (signal) => route.router.write(decision.weights, signal)),
    );
    if ('problem' in done) {
      problems.push(`${route.name}: not written: ${done.problem}`);
    } else {
      writes.push({ route: route.name, weights: decision.weights, atSeconds: seconds() });
      say(`${route.name}: ${formatWeights(decision.weights)}`);
    }
  };
  await inTurn(work, callsAtOnce, write);
  if (work.length > callsAtOnce) {
    say(`The weights are written. Notes the evacuation for ${work.length} routes, which takes longer.`);
  }
  await inTurn(work, callsAtOnce, async ({ route, decision, before: from }) => {
    const after = decision.kind === 'write' ? decision.weights : from;
    if (from && after) {
      const change = {
        before: from,
        after,
        at: clock.wall?.() ?? clock.now(),
        by: control.by ?? userOnMachine(),
      };
      const done = await answerOf(() => mark(route, slot, change, control));
      if ('problem' in done) {
        problems.push(
          `${route.name}: it is not noted that ${slot} was evacuated, so a shift may give it traffic again: ${done.problem}`,
        );
      }
    }
  });
  const after = await confirmed(work, slot, { control, write, problems });
  return {
    schemaVersion: 1,
    slot,
    verdict: problems.length === 0 ? 'evacuated' : 'incomplete',
    writes,
    before,
    after: { ...before, ...after },
    problems,
    durationSeconds: seconds(),
  };
}

/** Takes the lease away from a shift that runs, and leaves what happened. */
async function mark(
  { lease }: EvacuationRoute,
  slot: string,
  change: Parameters<typeof evacuationRecord>[2],
  control: EvacuationControl,
): Promise<void> {
  const { record } = await lookedAt(lease, control);
  await retried(
    control,
    (signal) => lease.seize(evacuationRecord(record, slot, change), signal),
    leasePatienceMs,
  );
}

/**
 * What a lease holds; nothing where it can't be read. What may pass is tried again: the record has earlier evacuations.
 *
 * @throws NewerLease
 */
async function lookedAt(lease: Lease, control: EvacuationControl): Promise<LeaseContent> {
  try {
    return await retried(control, (signal) => lease.look(signal), leasePatienceMs);
  } catch (error) {
    if (error instanceof NewerLease) {
      throw error;
    }
    return {};
  }
}

const confirmations = 3;

const betweenConfirmationsMs = 500;

/** Reads the weights, and writes them anew where the slot has traffic again. */
async function confirmed(
  work: readonly PlannedRoute[],
  slot: string,
  {
    control,
    write,
    problems,
  }: {
    readonly control: EvacuationControl;
    readonly write: (planned: PlannedRoute) => Promise<void>;
    readonly problems: string[];
  },
): Promise<Readonly<Record<string, Weights | null>>> {
  const { clock = systemClock } = control;
  const after = new Map<string, Weights | null>();
  let left = work;
  for (let round = 1; left.length > 0; round += 1) {
    const again: PlannedRoute[] = [];
    await inTurn(left, callsAtOnce, async (planned) => {
      const { route, decision } = planned;
      const found = await answerOf(() => retried(control, (signal) => route.router.describe(signal)));
      const raw = 'problem' in found ? undefined : found.answer.raw;
      after.set(route.name, raw && Object.values(raw).some((each) => each > 0) ? nearestPercents(raw) : null);
      if ((raw?.[slot] ?? 0) > 0) {
        again.push(planned);
      } else if (raw === undefined && decision.kind === 'write') {
        problems.push(`${route.name}: the weights could not be read after the write`);
      }
    });
    if (round === confirmations) {
      again.forEach(({ route }) =>
        problems.push(`${route.name}: ${slot} has traffic: another process writes weights`),
      );
      break;
    }
    left = again;
    if (left.length > 0) {
      await clock.sleep(betweenConfirmationsMs, control.signal);
      await inTurn(left, callsAtOnce, write);
    }
  }
  return byRoute([...after]);
}

/** Why routes can't be written, a line each. */
export function refusals(plan: readonly PlannedRoute[]): string[] {
  return plan.flatMap(({ route, decision }) =>
    decision.kind === 'refused' ? [`${route.name}: ${decision.why}`] : [],
  );
}

function byRoute(entries: readonly (readonly [string, Weights | null])[]): Record<string, Weights | null> {
  return Object.fromEntries(entries);
}

type Answer<T> = { readonly answer: T } | { readonly problem: string };

async function answerOf<T>(call: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { answer: await call() };
  } catch (error) {
    return { problem: errorLine(error) };
  }
}

async function patient<T>(
  { signal }: EvacuationControl,
  milliseconds: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let answer: { readonly of: T } | undefined;
  await within(milliseconds, signal, async (own) => {
    answer = { of: await call(own) };
    return true;
  });
  signal?.throwIfAborted();
  return answer!.of;
}

/** Tries again what may pass. */
async function retried<T>(
  control: EvacuationControl,
  call: (signal: AbortSignal) => Promise<T>,
  patienceMs = routerPatienceMs,
): Promise<T> {
  const { clock = systemClock, random = Math.random, signal } = control;
  const until = clock.now() + longestRetriesMs;
  for (let waitMs = 100; ; waitMs = Math.min(2 * waitMs, 5_000)) {
    try {
      return await patient(control, patienceMs, call);
    } catch (error) {
      if (!mayPass(error) || signal?.aborted || clock.now() + waitMs >= until) {
        throw error;
      }
      await clock.sleep(waitMs * (0.5 + random() / 2), signal);
    }
  }
}

function mayPass(error: unknown): boolean {
  const { failure } = Object(error) as { failure?: unknown };
  if (error instanceof TookTooLong) {
    return true;
  }
  const kind = error instanceof RouterError ? error.failure : (Object(failure) as { kind?: unknown }).kind;
  return kind === 'throttled' || kind === 'unreachable';
}

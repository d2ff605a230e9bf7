import { inTurn } from '../../core/async';
import type { Capacity, Lease, ShiftSubject, Weights } from '../engine';
import { nearestPercents } from '../routers';
import type { OpenRouter, RawWeights } from '../routers';
import { evacuationOf } from './decision';
import type { EvacuatedRoute, EvacuationDecision, EvacuationRequest } from './decision';
import { LeaseCalls, SharedReads, answerOf, clockOf, retried, routerPatience } from './patience';
import type { EvacuationControl } from './patience';

/** One route that an evacuation works on. */
export interface EvacuationRoute {
  /** Its name in the plan, or the ARN of the rule or listener. */
  readonly name: string;
  /** Where weights act: DNS records are written apart from the rules of load balancers. */
  readonly layer: ShiftSubject['layer'];
  readonly router: Pick<OpenRouter, 'name' | 'write'>;
  /** Where the evacuation is noted: what keeps shifts from giving the slot traffic again. */
  readonly lease: Lease;
  /** Moves the capacity of the route's slots. @default - no cluster is asked */
  readonly capacity?: Pick<Capacity, 'prepare'>;
  /** What is live; what other routes need, too, is read once in a round. */
  describe(round: SharedReads, signal?: AbortSignal): Promise<LiveRoute>;
  /** Healthy targets by slot; a slot whose health can't be read is left out. */
  healthy(round: SharedReads, signal?: AbortSignal): Promise<Readonly<Record<string, number>>>;
}

/** What is live on a route. */
export interface LiveRoute {
  /** Weights of every slot, on any scale. @default - it has none, and the notes say why */
  readonly raw?: RawWeights;
  /** The same as whole percents, as a write compares them. @default - they are none */
  readonly exact?: Weights;
  /** What is in the way, a line each. */
  readonly notes: readonly string[];
  /** For how long a client stays with its slot, whatever the weights are. @default - it does not */
  readonly stickySeconds?: number;
}

/** What an evacuation will do with one route. */
export interface PlannedRoute {
  readonly route: EvacuationRoute;
  readonly decision: EvacuationDecision;
  /** Live weights as whole percents; `null` where they could not be read. */
  readonly before: Weights | null;
  /** What the decision is made from. @default - the live weights could not be read */
  readonly known?: EvacuatedRoute;
  /** Live weights that are whole percents, as a write compares them. @default - they are none */
  readonly exact?: Weights;
  /** For how long clients stay with the slot whatever its weight is. @default - they do not */
  readonly stickySeconds?: number;
}

/** AWS takes some calls at once before it throttles. */
export const callsAtOnce = 16;

/** Between two routes of DNS, in milliseconds: each takes two calls, and an account has five a second. */
const betweenRecords = 250;

/** Health that can't be read is no reason to leave the traffic where it is, nor to wait for long. */
const healthPatience = { call: 5_000, total: 5_000 };

/** How long leases are waited for that may say where the traffic was, in milliseconds. */
const longestLook = 5_000;

/**
 * Works on load balancers and on DNS side by side: on many routes at once, or on one after the other.
 */
export async function byLayer<Item extends { readonly route: EvacuationRoute }, T>(
  items: readonly Item[],
  control: EvacuationControl,
  work: (item: Item) => Promise<T>,
): Promise<readonly T[]> {
  const done = new Map<Item, T>();
  const ofNames = items.filter(({ route }) => route.layer === 'names');
  const others = items.filter(({ route }) => route.layer !== 'names');
  const each = async (item: Item): Promise<void> => void done.set(item, await work(item));
  await Promise.all([
    inTurn(others, callsAtOnce, each),
    inTurn(ofNames, 1, async (item) => {
      await each(item);
      await (item === ofNames.at(-1) || clockOf(control).sleep(betweenRecords, control.signal));
    }),
  ]);
  return items.map((item) => done.get(item)!);
}

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
  const round = new SharedReads();
  const leases = new LeaseCalls(control, Math.min(longestLook, control.leaseSilence ?? longestLook));
  const items = routes.map((route) => ({ route }));
  const plan = await byLayer(items, control, ({ route }) =>
    planned(route, request, { control, round, leases }),
  );
  control.signal?.throwIfAborted();
  return plan;
}

async function planned(
  route: EvacuationRoute,
  request: EvacuationRequest,
  {
    control,
    round,
    leases,
  }: {
    readonly control: EvacuationControl;
    readonly round: SharedReads;
    readonly leases: LeaseCalls;
  },
): Promise<PlannedRoute> {
  const [found, healthy] = await Promise.all([
    answerOf(() => retried(control, routerPatience[route.layer], (signal) => route.describe(round, signal))),
    answerOf(() => retried(control, healthPatience, (signal) => route.healthy(round, signal))),
  ]);
  if ('problem' in found) {
    return { route, before: null, decision: { kind: 'refused', why: found.problem } };
  }
  const { raw, exact, notes, stickySeconds } = found.answer;
  if (raw === undefined) {
    return { route, before: null, decision: { kind: 'refused', why: notes.join('; ') } };
  }
  const known = { live: raw, healthy: 'problem' in healthy ? {} : healthy.answer };
  const before = percentsOf(raw);
  const more = { ...(exact && { exact }), ...(stickySeconds !== undefined && { stickySeconds }) };
  const decision = evacuationOf(known, request);
  if (decision.kind !== 'refused') {
    return { route, before, decision, known, ...more };
  }
  const look = await answerOf(() => leases.ask((signal) => route.lease.look(signal)));
  const record = 'problem' in look ? undefined : look.answer.record;
  const whole = { ...known, ...(record && { record }) };
  const again = evacuationOf(whole, request);
  const why =
    again.kind === 'refused' && 'problem' in look
      ? { ...again, why: `${again.why}; ${route.lease.name}: ${look.problem}` }
      : again;
  return { route, before, decision: why, known: whole, ...more };
}

/** Weights of any scale as whole percents; `null` where there are none. */
export function percentsOf(raw: RawWeights | undefined): Weights | null {
  return raw && Object.values(raw).some((weight) => weight > 0) ? nearestPercents(raw) : null;
}

/** Why routes can't be written, a line each. */
export function refusals(plan: readonly PlannedRoute[]): string[] {
  return plan.flatMap(({ route, decision }) =>
    decision.kind === 'refused' ? [`${route.name}: ${decision.why}`] : [],
  );
}

/**
 * What weights do not change, a line each: an Application Load Balancer sends a client with the cookie of a target group there
 * whatever its weight is, also where it has no healthy target.
 *
 * @see https://repost.aws/questions/QUugYm4uzWSI2af5mnmMjlZQ/alb-to-automatically-redirect-traffic
 */
export function stickyNotes(plan: readonly PlannedRoute[], slot: string): string[] {
  return plan.flatMap(({ route, decision, known, stickySeconds }) => {
    if (stickySeconds === undefined || decision.kind === 'refused' || known?.live[slot] === undefined) {
      return [];
    }
    const answer = known.healthy[slot] === 0 ? ', which has no healthy target, so they get 503' : '';
    return [
      `${route.name}: clients with its cookie stay with ${slot}${answer}, for up to ${stickySeconds} s ` +
        '(stickiness of the action). To end that, switch the stickiness off there.',
    ];
  });
}

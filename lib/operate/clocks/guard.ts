import { sleep } from '../../core/async';
import type { KubernetesApi, KubernetesObject, ObjectReference } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { clockTaint } from '../../core/names';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { callback, number } from '../../core/validation/values';
import type { GateLimits } from '../../manifests/clock-guard';
import { HeartbeatLog, clockMeasurementEntries, readLeases } from './measure';
import type { ClockMeasurement, NodeClock } from './measure';
import type { GuardState } from './metrics';

/** What becomes of a node. */
export type GateDecision =
  /** It takes pods already. */
  | { readonly gate: 'isOpen' }
  /** It is opened. */
  | {
      readonly gate: 'open';
      /** What is left of the node's taints. */
      readonly taints: readonly unknown[];
    }
  /** It waits. */
  | {
      readonly gate: 'wait';
      /** Why, for a person. */
      readonly why: string;
    };

/** Decides whether a node may take pods. */
export function gateDecision(
  node: KubernetesObject,
  clock: NodeClock | undefined,
  { limit, samples }: GateLimits,
): GateDecision {
  const { taints } = (node['spec'] ?? {}) as { taints?: unknown };
  const all = Array.isArray(taints) ? (taints as unknown[]) : [];
  const others = all.filter((taint) => (taint as { key?: unknown } | null)?.key !== clockTaint.key);
  if (others.length === all.length) {
    return { gate: 'isOpen' };
  }
  if (clock === undefined || clock.samples < samples) {
    return { gate: 'wait', why: `${clock?.samples ?? 0} of ${samples} heartbeats` };
  }
  const { seconds, uncertainty } = clock;
  return Math.abs(seconds) + uncertainty > limit
    ? { gate: 'wait', why: `its clock is off by ${seconds} s ± ${uncertainty} s, more than ${limit} s` }
    : { gate: 'open', taints: others };
}

/** Opens nodes whose clock is right. Asks about each node until it is open, and never again. */
class ClockGate {
  /** Nodes that wait, and why. */
  public waiting: ReadonlyMap<string, string> = new Map();
  /** Leases of the nodes that are open. */
  private open = new Set<string>();

  public constructor(
    private readonly api: Pick<GuardApi, 'get' | 'patch'>,
    private readonly limits: GateLimits,
    private readonly concurrency: number,
    private readonly log: (line: string) => void,
  ) {}

  /** Inspects the nodes that are not open yet; answers how many it has opened. */
  public async look({ nodes }: ClockMeasurement, signal: AbortSignal): Promise<number> {
    // Nodes that are gone are forgotten.
    this.open = new Set(nodes.map(({ lease }) => lease).filter((lease) => this.open.has(lease)));
    const waiting = new Map<string, string>();
    const queue = nodes.filter(({ lease }) => !this.open.has(lease));
    let opened = 0;
    const work = async (): Promise<void> => {
      for (let clock = queue.shift(); clock; clock = queue.shift()) {
        const why = await this.lookAt(clock, signal);
        if (why === 'opened') {
          opened += 1;
        } else if (why !== 'isOpen') {
          waiting.set(clock.node, why.because);
        }
      }
    };
    await Promise.all(Array.from({ length: this.concurrency }, work));
    this.waiting = waiting;
    return opened;
  }

  private async lookAt(
    clock: NodeClock,
    signal: AbortSignal,
  ): Promise<'opened' | 'isOpen' | { readonly because: string }> {
    const reference: ObjectReference = { apiVersion: 'v1', kind: 'Node', metadata: { name: clock.node } };
    try {
      const node = await this.api.get(reference, signal);
      const decision = gateDecision(node, clock, this.limits);
      if (decision.gate === 'wait') {
        return { because: decision.why };
      }
      if (decision.gate === 'open') {
        // A list is written whole: with its version, a taint that came meanwhile is not lost.
        const { resourceVersion } = node.metadata;
        await this.api.patch(
          reference,
          { metadata: { resourceVersion }, spec: { taints: decision.taints } },
          { signal },
        );
        this.log(
          `Node ${clock.node}: opened, its clock is off by ${clock.seconds} s ± ${clock.uncertainty} s`,
        );
      }
      this.open.add(clock.lease);
      return decision.gate === 'open' ? 'opened' : 'isOpen';
    } catch (error) {
      if (!isKubernetesError(error)) {
        throw error;
      }
      // A conflict is usual: kubelet writes the node, too.
      if (!isKubernetesError(error, 'conflict', 'notFound')) {
        this.log((error as Error).message);
      }
      return { because: (error as Error).message };
    }
  }
}

/** How clocks are guarded. */
export interface GuardOptions {
  /** Which nodes may take pods. @default - no gate: nothing is written */
  readonly gate?: GateLimits;
  /** Time between two looks, in milliseconds. @default 10000 - kubelet's time between two heartbeats */
  readonly interval?: number;
  /** Calls about single nodes that may be under way at once. @default 8 */
  readonly concurrency?: number;
  /** Takes what was seen after each look. */
  readonly onState: (state: GuardState) => void;
  /** Takes lines for people: what failed, which node was opened. */
  readonly log: (line: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Waits, in milliseconds. @default - a timer */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Time that has passed, of a clock that is never set, in milliseconds. @default - performance.now() */
  readonly elapsed?: () => number;
  /** Milliseconds since 1970. @default - Date.now() */
  readonly now?: () => number;
}

const atLeastOne = number('a whole number, at least 1', { min: 1, whole: true });

const guardOptions = object<GuardOptions>({
  gate: optional(
    object<GateLimits>({ limit: number('a number of seconds, at least 0', { min: 0 }), samples: atLeastOne }),
  ),
  interval: clockMeasurementEntries.interval,
  concurrency: optional(atLeastOne),
  onState: callback,
  log: callback,
  signal: opaque('an AbortSignal'),
  wait: optional(callback),
  elapsed: optional(callback),
  now: optional(callback),
});

/** Heartbeats of a node that an estimate rests on: the clock of half a minute ago is of no interest. */
const kept = 4;

/**
 * Measures the clocks of all nodes again and again, until the signal is aborted; with a gate, opens new nodes whose clock
 * is right. A failed read is logged, and the next one goes on.
 */
export async function guardClocks(api: GuardApi, options: GuardOptions): Promise<void> {
  refuseArguments('guardClocks', guardOptions, options);
  const { interval = 10_000, concurrency = 8, onState, log, signal } = options;
  const { wait = sleep, elapsed = () => performance.now(), now = Date.now } = options;
  const heartbeats = new HeartbeatLog(kept);
  const gate = options.gate && new ClockGate(api, options.gate, concurrency, log);
  let state: GuardState = { waiting: new Map(), failedLooks: 0, opened: 0 };
  while (!signal.aborted) {
    try {
      heartbeats.take(await readLeases(api, signal), elapsed());
      const measurement = heartbeats.measured();
      state = { ...state, measurement, lookedAt: now() };
      if (gate) {
        const opened = await gate.look(measurement, signal);
        state = { ...state, waiting: gate.waiting, opened: state.opened + opened };
      }
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      if (!isKubernetesError(error)) {
        throw error;
      }
      log((error as Error).message);
      state = { ...state, failedLooks: state.failedLooks + 1 };
    }
    onState(state);
    await wait(interval, signal).catch(() => undefined);
  }
}

/** What the guard needs of an API server; `get` and `patch` for a gate only. */
export type GuardApi = Pick<KubernetesApi, 'list' | 'get' | 'patch'>;

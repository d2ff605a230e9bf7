import { parseDuration } from '../../core/durations';
import type { Weights } from '../engine';
import type { AutoscalerScenario, Bursts, SlotBehaviour, Period, Scenario } from './scenario';

/** A scenario for these slots, in numbers: shares, and milliseconds from the start. */
export interface SimulatedConditions {
  /** Names of the slots. */
  readonly names: readonly string[];
  /** Of each slot, in the order of the names. */
  readonly slots: readonly SlotConditions[];
  /** How many requests come, and when it is another number. */
  readonly perSecond: Changing<{
    /** Requests of all slots together, in a second. */
    perSecond: number;
  }>;
  /** Share of errors that every slot has. */
  readonly errorShare: number;
  /** Share of slow requests that every slot has. */
  readonly slowShare: number;
  /** Every time at which something of the above changes, rising; infinity at the end. */
  readonly changesAt: readonly number[];
  /** Errors that come in bursts; unset where they don't. */
  readonly bursts: Bursts | undefined;
  /** What is wrong with the metrics, and how late they are. */
  readonly metrics: MetricConditions;
  /** Share of the shift's own requests that are lost on the way. */
  readonly probesLost: number;
  /** How long a write of weights takes. */
  readonly writeTakesMs: number;
  /** Share of the calls to the router. */
  readonly throttled: number;
  /** What somebody else writes; unset where nobody does. */
  readonly foreignWrite:
    | {
        /** When. */
        readonly atMs: number;
        /** The weights that stand from then on. */
        readonly weights: Weights;
      }
    | undefined;
  /** When the shift is interrupted; infinity: never. */
  readonly interruptAtMs: number;
  /** When the shift is killed; infinity: never. */
  readonly killAtMs: number;
  /** Unset: never. */
  readonly resumesAfterMs: number | undefined;
}

/** One slot. */
export interface SlotConditions {
  readonly doing: Changing<Required<SlotBehaviour>>;
  readonly cold:
    | { readonly lastsMs: number; readonly errorShare?: number; readonly slowShare?: number }
    | undefined;
  /** Unset where the slot's targets do not depend on its load. */
  readonly autoscaler: AutoscalerConditions | undefined;
}

/** An autoscaler and its pods. */
export interface AutoscalerConditions {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly targetUtilization: number;
  readonly tolerance: number;
  readonly syncMs: number;
  readonly scaleDownWindowMs: number;
  readonly podStartMs: number;
  /** Pods at the start; unset: as many as its traffic needs. */
  readonly replicas: number | undefined;
  /** Requests a second that a pod serves; unset: what the pods that have traffic at the start show. */
  readonly requestsPerPod: number | undefined;
}

export interface MetricConditions {
  readonly delayMs: number;
  readonly missing: number;
  readonly late: { readonly share: number; readonly lastsMs: number } | undefined;
  readonly failing: (Span & { readonly share: number; readonly lastsMs: number }) | undefined;
}

export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A value and the times at which parts of it are another; the last one that fits holds. */
export interface Changing<Value> {
  readonly value: Value;
  readonly changes: readonly (Span & { readonly value: Partial<Value> })[];
}

/** Targets of a slot of which nothing is said. */
const defaultTargets = 10;

const defaultDelayMs = 30_000;

const defaultSpellMs = 30_000;

const defaultLateMs = 120_000;

/** Of ten requests that its pods can serve six come: a zone may fail. */
const defaultUtilization = 0.6;

const defaultTolerance = 0.1;

const defaultSyncMs = 15_000;

const defaultScaleDownWindowMs = 300_000;

const defaultPodStartMs = 60_000;

/** The conditions of a scenario that has no problem. */
export function conditionsOf(scenario: Scenario, names: readonly string[]): SimulatedConditions {
  const {
    errorShare = 0,
    slowShare = 0,
    requests,
    bursts,
    metrics = {},
    router = {},
    interrupt,
    kill,
  } = scenario;
  const perSecond = changing({ perSecond: requests.perSecond }, requests.changes);
  const slots = names.map((name): SlotConditions => {
    const { changes, cold, autoscaler, ...doing } = scenario.slots?.[name] ?? {};
    const usual = {
      errorShare,
      slowShare,
      capacity: Infinity,
      targets: defaultTargets,
      vitals: {},
      ...doing,
    };
    const whole = { healthyTargets: Infinity, ...usual };
    return {
      doing: changing(whole, changes),
      cold: cold && { ...cold, lastsMs: parseDuration(cold.lasts)! },
      autoscaler: autoscaler && autoscalerConditions(autoscaler),
    };
  });
  const changes: readonly Span[] = [
    ...perSecond.changes,
    ...slots.flatMap(({ doing }) => [...doing.changes]),
  ];
  const times = new Set([...changes.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]), Infinity]);
  const { failing, late } = metrics;
  const foreign = router.foreignWrite;
  return {
    names,
    slots,
    perSecond,
    errorShare,
    slowShare,
    changesAt: [...times].sort((one, other) => one - other),
    bursts,
    metrics: {
      delayMs: milliseconds(metrics.delay, defaultDelayMs),
      missing: metrics.missing ?? 0,
      late: late && { share: late.share, lastsMs: milliseconds(late.lasts, defaultLateMs) },
      failing: failing && {
        ...spanOf(failing),
        share: failing.share,
        lastsMs: milliseconds(failing.lasts, defaultSpellMs),
      },
    },
    probesLost: scenario.synthetic?.lost ?? 0,
    writeTakesMs: milliseconds(router.writeTakes, 0),
    throttled: router.throttled ?? 0,
    foreignWrite: foreign && { atMs: milliseconds(foreign.at, 0), weights: foreign.weights },
    interruptAtMs: milliseconds(interrupt?.at, Infinity),
    killAtMs: milliseconds(kill?.at, Infinity),
    resumesAfterMs: kill?.resumesAfter === undefined ? undefined : milliseconds(kill.resumesAfter, 0),
  };
}

function autoscalerConditions(autoscaler: AutoscalerScenario): AutoscalerConditions {
  const { minReplicas, syncPeriod, scaleDownWindow, podStart, replicas, requestsPerPod } = autoscaler;
  return {
    minReplicas,
    maxReplicas: autoscaler.maxReplicas ?? Infinity,
    targetUtilization: autoscaler.targetUtilization ?? defaultUtilization,
    tolerance: autoscaler.tolerance ?? defaultTolerance,
    syncMs: milliseconds(syncPeriod, defaultSyncMs),
    scaleDownWindowMs: milliseconds(scaleDownWindow, defaultScaleDownWindowMs),
    podStartMs: milliseconds(podStart, defaultPodStartMs),
    replicas,
    requestsPerPod,
  };
}

/**
 * What a pod serves at full CPU, in requests a second, where the pods that have traffic at the start run at their target
 * utilization. Unset where none of them are known.
 */
export function requestsPerPod(
  { names, slots, perSecond }: SimulatedConditions,
  live: Weights,
): number | undefined {
  let percent = 0;
  let pods = 0;
  names.forEach((name, index) => {
    const { autoscaler } = slots[index]!;
    const weight = live[name] ?? 0;
    if (autoscaler?.replicas !== undefined && weight > 0) {
      percent += weight;
      pods += autoscaler.replicas * autoscaler.targetUtilization;
    }
  });
  const rate = (perSecond.value.perSecond * percent) / 100;
  return rate > 0 ? rate / pods : undefined;
}

/** What holds at a time, in milliseconds from the start. */
export function valueAt<Value>({ value, changes }: Changing<Value>, at: number): Value {
  let found = value;
  for (const change of changes) {
    if (at >= change.fromMs && at < change.untilMs) {
      found = { ...found, ...change.value };
    }
  }
  return found;
}

function changing<Value>(value: Value, changes: readonly (Period & Partial<Value>)[] = []): Changing<Value> {
  return {
    value,
    changes: changes.map((change) => {
      const { from: _from, until: _until, ...rest } = change;
      return { ...spanOf(change), value: rest as unknown as Partial<Value> };
    }),
  };
}

function spanOf({ from, until }: Period): Span {
  return { fromMs: milliseconds(from, 0), untilMs: milliseconds(until, Infinity) };
}

function milliseconds(duration: string | undefined, otherwise: number): number {
  return duration === undefined ? otherwise : parseDuration(duration)!;
}

import { namedChecks } from '../checks';
import type { SimulatedCheckSettings, SimulatedCounts } from '../checks';
import { combinedResult } from '../engine';
import type { CheckResult, CheckStage, CheckWindow, Weights } from '../engine';
import {
  Comparison,
  evaluateBoth,
  evaluateCapacity,
  evaluateComparison,
  evaluateShares,
  evaluateTargets,
  probedSlots,
  referenceSlots,
  slotsToEvaluate,
  weightsToBe,
} from '../evaluation';
import type {
  ComparisonCheckSettings,
  ComparisonQuestion,
  KnownCounts,
  ShareSettings,
  SlotCount,
  TargetCounts,
} from '../evaluation';
import { pairsOfRound } from '../probes';
import { minuteMs } from './traffic';
import { simulatedVitals } from './vitals';
import type { World } from './world';

/** The figures that a world's source has shown so far, as a check takes them. */
class ShownCounts {
  private readonly counts: SlotCount[] = [];
  private shownUntil = 0;
  private readonly lateMs: number;
  private skewed: { of: string; counts: readonly SlotCount[] } = { of: '', counts: this.counts };

  /**
   * @param delayMs from the end of a minute until a check takes its figures; the source may take longer
   * @param isSkewed whether answers are counted later than requests, as CloudWatch has them
   */
  public constructor(
    public readonly world: World,
    delayMs: number,
    private readonly isSkewed: boolean,
  ) {
    this.lateMs = Math.max(0, delayMs - world.conditions.metrics.delayMs);
  }

  /** What is there at this time, which never goes back: the list grows at its end, unless some of it is still late. */
  public at(time: number): KnownCounts {
    const { traffic, source, conditions } = this.world;
    const until = source.shownUntil(time - this.lateMs);
    for (; this.shownUntil < until; this.shownUntil += 1) {
      conditions.names.forEach((slot, index) => {
        const { requests, errors, slow } = traffic.counts[index]!;
        const minute = this.shownUntil;
        if (requests[minute]! > 0 && !source.isMissing(index, minute)) {
          this.counts.push({
            slot,
            at: traffic.startOf(minute),
            requests: requests[minute]!,
            errors: errors[minute]!,
            slow: slow[minute]!,
          });
        }
      });
    }
    return {
      counts: this.isSkewed ? this.withLate(time) : this.counts,
      until: traffic.startOf(this.shownUntil),
      periodMs: minuteMs,
      settling: this.isSkewed,
    };
  }

  /** The counts with the answers that are late as errors: the same list as long as they are the same. */
  private withLate(time: number): readonly SlotCount[] {
    const { traffic, source, conditions } = this.world;
    const late = new Map<SlotCount, number>();
    for (let index = this.counts.length - 1; index >= 0; index -= 1) {
      const count = this.counts[index]!;
      if (count.at + minuteMs + source.lateMs <= time) {
        break;
      }
      const slot = conditions.names.indexOf(count.slot);
      const answers = source.lateAnswers(slot, traffic.minuteOf(count.at), time);
      if (answers > 0) {
        late.set(count, answers);
      }
    }
    if (late.size === 0) {
      return this.counts;
    }
    const of = [this.counts.length, ...[...late].map(([{ slot, at }]) => `${slot} ${at}`)].join();
    if (this.skewed.of !== of) {
      const counts = this.counts.map((count): SlotCount => {
        const answers = late.get(count);
        return answers === undefined
          ? count
          : { ...count, errors: (count.errors ?? 0) + answers, failures: count.errors ?? 0 };
      });
      this.skewed = { of, counts };
    }
    return this.skewed.counts;
  }
}

/** A bound for the share of errors or of slow requests, as `shareCheck` evaluates it. */
function share(name: string, settings: ShareSettings, counts: SimulatedCounts): SimulatedCheck {
  return ofCounts(name, counts, (window, known) => evaluateShares(window, known, settings));
}

/** A comparison with the old slots, as `comparisonCheck` evaluates it. */
function comparison(
  name: string,
  settings: ComparisonCheckSettings,
  counts: SimulatedCounts,
): SimulatedCheck {
  const compare = comparingOn();
  return ofCounts(name, counts, (window, known) => evaluateComparison(window, known, settings, compare));
}

/** A round of own requests in the time since the last one, at most. */
class SimulatedRounds {
  public pairs: SlotCount[] = [];
  private lastAt: number;

  public constructor(
    public readonly world: World,
    /** Start of the run of the shift: another one knows nothing of these. */
    public readonly run: number,
    private readonly sent: OwnRequestsOfCheck,
  ) {
    this.lastAt = run;
  }

  /** Sends what a real check has sent by then. */
  public send(slots: readonly string[], at: number): void {
    const due = Math.floor(((at - this.lastAt) * this.sent.rate) / 1_000);
    const requests = Math.min(pairsOfRound(this.sent), due);
    if (requests > 0) {
      const began = this.lastAt;
      this.lastAt = at;
      this.pairs.push(
        ...this.world
          .probe(slots, began, requests)
          .map(({ slow, ...count }) =>
            this.sent.slowAboveMs !== undefined ? { ...count, slow: slow ?? 0 } : count,
          ),
      );
    }
  }
}

/** The same beside the shift's own requests, as `bothWaysCheck` evaluates it. Visitors' figures are without these. */
function bothWays(
  name: string,
  settings: ComparisonCheckSettings,
  counts: SimulatedCounts,
  sent: OwnRequestsOfCheck,
): SimulatedCheck {
  const compare = { visitors: comparingOn(), synthetic: comparingOn() };
  let rounds: SimulatedRounds | undefined;
  let shown: ShownCounts | undefined;
  return {
    name,
    stages: ['before', 'after'],
    evaluate: (window, world) => {
      if (window.stage === 'before' && window.writes.length > 0) {
        return { status: 'pass', reason: 'synthetic requests come before the first step', figures: [] };
      }
      if (rounds?.world !== world || rounds.run !== window.startedAt) {
        rounds = new SimulatedRounds(world, window.startedAt, sent);
      }
      if (shown?.world !== world) {
        shown = new ShownCounts(world, counts.delayMs, counts.isSkewed);
      }
      rounds.send(probedSlots(window), window.to);
      const known = world.source.fails(window.to) ? undefined : shown.at(window.to);
      const result = evaluateBoth(
        window,
        known,
        { pairs: rounds.pairs, pairsBefore: sent.pairsBefore },
        settings,
        compare,
      );
      return known === undefined && result.status !== 'fail'
        ? { status: 'inconclusive', reason: 'its source failed', figures: [] }
        : result;
    },
  };
}

type OwnRequestsOfCheck = NonNullable<
  Extract<SimulatedCheckSettings, { readonly historyMs: number }>['synthetic']
>;

/**
 * `compareSlots` for counts of which more come at the end of the same list: what was taken in once is not gone through
 * anew, as long as the question stays the same.
 */
function comparingOn(): NonNullable<Parameters<typeof evaluateComparison>[3]> {
  let running:
    | { of: readonly SlotCount[]; question: string; seen: number; comparison: Comparison }
    | undefined;
  return (counts, question, settings) => {
    const key = keyOf(question);
    if (running?.of !== counts || running.question !== key) {
      running = { of: counts, question: key, seen: 0, comparison: new Comparison(question, settings) };
    }
    running.comparison.add(running.seen === 0 ? counts : counts.slice(running.seen));
    running.seen = counts.length;
    return running.comparison.slots;
  };
}

function keyOf({ gaining, baseline, from, warmUntil }: ComparisonQuestion): string {
  return `${gaining.join()} ${baseline.join()} ${from} ${gaining.map((slot) => warmUntil[slot]).join()}`;
}

/**
 * A check of what the source shows. What it says depends on the figures and the weights that stand, not on the time, so
 * it is worked out anew only when one of these is another.
 */
function ofCounts(
  name: string,
  { delayMs, isSkewed }: SimulatedCounts,
  evaluate: (window: CheckWindow, known: KnownCounts) => CheckResult,
): SimulatedCheck {
  let shown: ShownCounts | undefined;
  let last: { counts: KnownCounts['counts']; until: number; from: number; result: CheckResult } | undefined;
  return {
    name,
    stages: ['after'],
    evaluate: (window, world) => {
      if (world.source.fails(window.to)) {
        return { status: 'inconclusive', reason: 'its source failed', figures: [] };
      }
      if (shown?.world !== world) {
        shown = new ShownCounts(world, delayMs, isSkewed);
        last = undefined;
      }
      const known = shown.at(window.to);
      const { from } = window;
      const { counts, until } = known;
      if (last?.counts !== counts || last.until !== until || last.from !== from) {
        last = { counts, until, from, result: evaluate(window, known) };
      }
      return last.result;
    },
  };
}

/** The share of healthy targets of each slot that gains weight. */
function targetHealth(name: string, min: number): SimulatedCheck {
  return {
    name,
    stages: ['before', 'after'],
    evaluate: untilChanged((window, world) =>
      combinedResult(slotsToEvaluate(window).map((slot) => evaluateTargets(slot, targets(world, slot), min))),
    ),
  };
}

/** How much weight the healthy targets of each gaining slot can carry. */
function capacity(name: string, maxLoad: number, followMs: number): SimulatedCheck {
  return {
    name,
    stages: ['before', 'after'],
    evaluate: (window, world) => {
      const slots = [...slotsToEvaluate(window), ...referenceSlots(window)];
      const counts = Object.fromEntries(slots.map((slot) => [slot, targets(world, slot)]));
      return evaluateCapacity(window, counts, maxLoad, followMs);
    },
  };
}

/** Works it out anew only when weights or targets are others. */
function untilChanged(evaluate: SimulatedCheck['evaluate']): SimulatedCheck['evaluate'] {
  let last: { world: World; weights: Weights; changes: number; result: CheckResult } | undefined;
  return (window, world) => {
    const { changes } = world.traffic;
    const weights = weightsToBe(window);
    if (last?.world !== world || last.weights !== weights || last.changes !== changes) {
      last = { world, weights, changes, result: evaluate(window, world) };
    }
    return last.result;
  };
}

function targets(world: World, slot: string): TargetCounts {
  const { registered, healthy } = world.traffic.targets(world.conditions.names.indexOf(slot));
  return { healthy, unhealthy: registered - healthy, undecided: 0, draining: 0, unused: 0, reasons: [] };
}

/** The checks of a plan, as far as they can be simulated. */
export interface SimulatedChecks {
  readonly checks: readonly SimulatedCheck[];
  /** Names of the others: they are taken to pass. */
  readonly notSimulated: readonly string[];
  /** How much of the time before the shift they look at, in minutes. */
  readonly historyMinutes: number;
}

/** Makes the checks of a plan; their names are those of the plan. */
export function simulatedChecks(checks: readonly CheckOfPlan[]): SimulatedChecks {
  const simulated: SimulatedCheck[] = [];
  const notSimulated: string[] = [];
  let historyMinutes = 0;
  for (const { name, kind, args } of namedChecks(checks)) {
    const settings = kind.simulated?.(args);
    if (settings === undefined) {
      notSimulated.push(name);
    } else {
      simulated.push(simulatedCheck(name, settings));
      // Figures from before own requests are not used.
      const historyMs = 'historyMs' in settings && !settings.synthetic ? settings.historyMs : 0;
      historyMinutes = Math.max(historyMinutes, historyMs / minuteMs);
    }
  }
  return { checks: simulated, notSimulated, historyMinutes };
}

function simulatedCheck(name: string, settings: SimulatedCheckSettings): SimulatedCheck {
  if ('share' in settings) {
    return share(name, settings.share, settings.counts);
  }
  if ('comparison' in settings) {
    const { comparison: compared, counts, synthetic } = settings;
    return synthetic ? bothWays(name, compared, counts, synthetic) : comparison(name, compared, counts);
  }
  if ('vitals' in settings) {
    return { name, stages: ['before', 'after'], evaluate: simulatedVitals(settings.vitals) };
  }
  return 'capacity' in settings
    ? capacity(name, settings.capacity.maxLoad, settings.capacity.followMs)
    : targetHealth(name, settings.healthyTargets);
}

/** A check of a plan, evaluated from the simulated traffic. It answers at once. */
export interface SimulatedCheck {
  readonly name: string;
  readonly stages: readonly CheckStage[];
  evaluate(window: CheckWindow, world: World): CheckResult;
}

/** One check of a plan as its file says it: an object with one key, the kind, and the settings of that kind. */
export type CheckOfPlan = Readonly<Record<string, unknown>>;

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shiftPlan } from '../lib/shift/engine';
import { readPlan } from '../lib/shift/plan-file';
import type { Scenario } from '../lib/shift/simulation';
import { conditionsOf, readScenario, World } from '../lib/shift/simulation';
import { simulatedChecks } from '../lib/shift/simulation/checks';
import { derivedSeed, Xoshiro128 } from '../lib/core/random';
import { percentile } from '../lib/shift/simulation/percentiles';
import { root } from './run-node';
import type { ShiftSample } from './shift-contenders';
import { before, courierSample, flaggerSample, ownSample, slots } from './shift-contenders';
import { flaggerWeights } from './shift-flagger';

/** What one contender did in one scenario. */
export interface ShiftCase {
  /** Share of the runs in which it decided that the new cluster is bad. */
  readonly detected: number;
  /** Share of the runs in which the new cluster had no traffic an hour after the start. */
  readonly backAfterHour: number;
  /** Medians, of the runs in which it was detected; `null` without one. */
  readonly detectionSeconds: number | null;
  readonly exposedUntilDetection: number | null;
  /** Medians of all runs. */
  readonly exposedInHour: number;
  readonly writes: number;
}

/** All scenarios of one contender. */
export interface ShiftContender {
  readonly name: string;
  /** In short; the report says what it means. */
  readonly settings: string;
  readonly cases: Readonly<Record<string, ShiftCase>>;
}

/** What was measured of traffic shifts. */
export interface ShiftResults {
  readonly runs: number;
  readonly seed: number;
  /** The first one is this library. */
  readonly contenders: readonly ShiftContender[];
}

const seed = 1;
const folder = join(root, 'examples', 'shift');
const plan = readPlan(join(folder, 'plan.yaml'));
const own = shiftPlan(plan.slots, plan.weights, plan.shift);
const { checks, historyMinutes } = simulatedChecks(plan.checks);

type Contender = (world: World, run: number) => ShiftSample;

const delivery =
  (stepWeight: number, stepIntervalMs: number): Contender =>
  (world, run) => {
    const random = Xoshiro128.fromSeed(derivedSeed(seed, run));
    return courierSample(world, { stepWeight, stepIntervalMs }, () => random.uniform());
  };
const flagger =
  (weights: readonly number[], threshold: number): Contender =>
  (world) =>
    flaggerSample(world, { weights, threshold });
const ownSteps = own.places.slice(0, -1);

const contenders: readonly (readonly [name: string, settings: string, contender: Contender])[] = [
  ['cluster-canary', '', (world) => ownSample(world, own, checks)],
  ['courier', '5 % / 30 s', delivery(5, 30_000)],
  ['courier', '5 % / 1 min', delivery(5, 60_000)],
  ['Flagger', '2 %', flagger(flaggerWeights(2, 50), 10)],
  ['Flagger', '10 %', flagger(flaggerWeights(10, 50), 5)],
  ['Flagger', 'own steps, 3', flagger(ownSteps, 3)],
  ['Flagger', 'own steps, 2', flagger(ownSteps, 2)],
];

const bursts = { dispersion: 0.001, persistence: 0.5 };

/** The scenarios of the example, and some that are made of the healthy one. */
export function shiftScenarios(): Readonly<Record<string, Scenario>> {
  const read = (name: string) =>
    readScenario(readFileSync(join(folder, 'scenarios', `${name}.yaml`), 'utf8'), `${name}.yaml`, slots);
  const healthy = read('healthy');
  const cold = { green: { cold: { lasts: '1m', errorShare: 0.01, slowShare: 0.19 } } };
  return {
    outage: read('outage'),
    'one-percent': read('one-percent'),
    latency: read('latency'),
    healthy,
    bursts: { ...healthy, bursts },
    'shared bursts': { ...healthy, bursts: { ...bursts, shared: true } },
    'cold first minute': { ...healthy, slots: cold },
    'flapping-source': read('flapping-source'),
    'quiet-night': read('quiet-night'),
    'one-percent, bursts': { ...read('one-percent'), bursts },
  };
}

/** Lets every contender shift in the same worlds. */
export function measureShifts(runs: number): ShiftResults {
  const scenarios = Object.entries(shiftScenarios());
  return {
    runs,
    seed,
    contenders: contenders.map(([name, settings, contender]) => {
      process.stderr.write(`shifts: ${name}, ${settings}\n`);
      const cases = scenarios.map(([scenario, value]) => {
        const conditions = conditionsOf(value, slots);
        const samples = Array.from({ length: runs }, (_, run) =>
          contender(new World(conditions, before, derivedSeed(seed, run), historyMinutes), run),
        );
        return [scenario, caseOf(samples)] as const;
      });
      return { name, settings, cases: Object.fromEntries(cases) };
    }),
  };
}

function caseOf(samples: readonly ShiftSample[]): ShiftCase {
  const share = (which: (sample: ShiftSample) => boolean) => samples.filter(which).length / samples.length;
  const middle = (of: (sample: ShiftSample) => number | undefined) => {
    const values = samples.flatMap((sample) => of(sample) ?? []);
    return values.length > 0 ? percentile(values, 0.5) : null;
  };
  return {
    detected: share(({ detected }) => detected),
    backAfterHour: share(({ weightAfterHour }) => weightAfterHour === 0),
    detectionSeconds: middle(({ detectionSeconds }) => detectionSeconds),
    exposedUntilDetection: middle(({ exposedUntilDetection }) => exposedUntilDetection),
    exposedInHour: middle(({ exposedInHour }) => exposedInHour)!,
    writes: middle(({ writes }) => writes)!,
  };
}

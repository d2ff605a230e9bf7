import { parseDuration } from '../../core/durations';
import { across, list, object, optional, record } from '../../core/validation/collections';
import { goDuration } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { PlainObject } from '../../core/validation/problems';
import { readSettings } from '../../core/validation/read-settings';
import { pathText, problemsOf } from '../../core/validation/schema';
import type { PlacedProblem, Schema, PathSteps } from '../../core/validation/schema';
import { duration, flag, number, that, whole } from '../../core/validation/values';
import { weightProblems } from '../engine';
import type { Weights } from '../engine';
import type {
  AutoscalerScenario,
  Period,
  Scenario,
  SlotBehaviour,
  SlotScenario,
  VitalsScenario,
} from './scenario';

const atLeastASecond = that(
  duration,
  `${goDuration.allowed}, at least a second`,
  (value) => !(parseDuration(value)! < 1000),
);

const share = number('a share from 0 to 1', { min: 0, max: 1 });

const amount = number('a number, zero or more', { min: 0 });

const weights = record(whole(0, 100));

const rate = number('a number of requests a second, from 0 to 1000000', { min: 0, max: 1e6 });

const times = { from: optional(duration), until: optional(duration) };

const shares = { errorShare: optional(share), slowShare: optional(share) };

const doing = {
  ...shares,
  capacity: optional(amount),
  targets: optional(amount),
  healthyTargets: optional(amount),
  vitals: optional(
    object<VitalsScenario>({
      restarts: optional(share),
      oomKills: optional(share),
      pendingPods: optional(share),
      imagePulls: optional(share),
      podNetworks: optional(share),
      refusedPods: optional(share),
      nodes: optional(share),
      dns: optional(share),
      dnsAnswers: optional(share),
    }),
  ),
};

/** More than a cluster runs of one workload. */
const pods = whole(1, 100_000);

const autoscaler: Schema<AutoscalerScenario> = across(
  object<AutoscalerScenario>({
    minReplicas: pods,
    maxReplicas: optional(pods),
    targetUtilization: optional(number('a share above 0, at most 1', { above: 0, max: 1 })),
    tolerance: optional(share),
    syncPeriod: optional(atLeastASecond),
    scaleDownWindow: optional(duration),
    podStart: optional(duration),
    replicas: optional(pods),
    requestsPerPod: optional(number('a number above 0', { above: 0 })),
  }),
  ({ minReplicas: min, maxReplicas: max, replicas }, { mustBe }) => {
    const least = typeof min === 'number' ? min : 1;
    if (typeof max === 'number' && max < least) {
      mustBe(['maxReplicas'], `at least minReplicas, ${least}`);
    } else if (typeof replicas === 'number' && replicas < least) {
      mustBe(['replicas'], `at least minReplicas, ${least}`);
    } else if (typeof replicas === 'number' && typeof max === 'number' && replicas > max) {
      mustBe(['replicas'], `at most maxReplicas, ${max}`);
    }
  },
);

/** The pods of an autoscaler are the slot's targets, and what these can serve its capacity. */
const byPods = ['capacity', 'targets', 'healthyTargets'] as const;

const slot: Schema<SlotScenario> = across(
  object<SlotScenario>({
    ...doing,
    changes: optional(list(period(object<Period & SlotBehaviour>({ ...times, ...doing })))),
    cold: optional(object({ ...shares, lasts: duration })),
    autoscaler: optional(autoscaler),
  }),
  (given, { mustBe }) => {
    if (given.autoscaler === undefined) {
      return;
    }
    const evaluate = (at: PathSteps, value: unknown): void => {
      for (const key of byPods.filter((each) => isPlainObject(value) && value[each] !== undefined)) {
        mustBe([...at, key], 'left out: the pods of autoscaler decide it');
      }
    };
    evaluate([], given);
    if (Array.isArray(given.changes)) {
      given.changes.forEach((change, index) => evaluate(['changes', index], change));
    }
  },
);

/** What a scenario may say; names of slots and sums of weights are evaluated with the plan. */
export const scenarioSchema: Schema<Scenario> = object<Scenario>({
  requests: object({
    perSecond: rate,
    changes: optional(list(period(object({ ...times, perSecond: rate })))),
  }),
  ...shares,
  slots: optional(record(slot)),
  bursts: optional(
    object({
      dispersion: number('a number above 0 and below 1', { above: 0, below: 1 }),
      persistence: optional(share),
      shared: optional(flag),
    }),
  ),
  metrics: optional(
    object({
      delay: optional(duration),
      missing: optional(share),
      late: optional(object({ share, lasts: optional(duration) })),
      failing: optional(period(object({ ...times, share, lasts: optional(atLeastASecond) }))),
    }),
  ),
  synthetic: optional(object({ lost: optional(share) })),
  router: optional(
    object({
      writeTakes: optional(duration),
      throttled: optional(share),
      foreignWrite: optional(object({ at: duration, weights })),
    }),
  ),
  live: optional(weights),
  interrupt: optional(object({ at: duration })),
  kill: optional(object({ at: duration, resumesAfter: optional(duration) })),
});

/** A period ends after it begins. */
function period<T extends Period>(schema: Schema<T>): Schema<T> {
  return across(schema, ({ from = '0s', until }, { mustBe }) => {
    const [begins, ends] = [from, until].map((each) =>
      typeof each === 'string' ? parseDuration(each) : undefined,
    );
    if (begins !== undefined && ends !== undefined && ends <= begins) {
      mustBe(['until'], `later than from, ${String(from)}`);
    }
  });
}

/**
 * Reads a scenario from YAML or JSON text.
 *
 * @param file name of the file, for messages
 * @param slots names of the slots of the plan that it is for; without them names are not evaluated
 * @throws InvalidInput with every problem, each with its line and column: `outage.yaml:3:5 slots.green.errorShare`
 */
export function readScenario(text: string, file: string, slots?: readonly string[]): Scenario {
  return readSettings(text, file, (content) => scenarioProblems(content, slots));
}

/**
 * Everything that is wrong with a scenario.
 *
 * @param slots names of the slots of the plan that it is for; without them names are not evaluated
 */
export function scenarioProblems(scenario: unknown, slots?: readonly string[]): readonly PlacedProblem[] {
  const problems = problemsOf(scenarioSchema, scenario);
  return slots && isPlainObject(scenario)
    ? [...problems, ...nameProblems(scenario, slots, problems)]
    : problems;
}

/** @param found what is wrong apart from names: sums of weights are evaluated where the weights are sound */
function nameProblems(
  { slots: given, live, router }: Partial<PlainObject>,
  slots: readonly string[],
  found: readonly PlacedProblem[],
): readonly PlacedProblem[] {
  const unknown = isPlainObject(given) ? Object.keys(given).filter((slot) => !slots.includes(slot)) : [];
  const written =
    isPlainObject(router) && isPlainObject(router.foreignWrite) ? router.foreignWrite.weights : undefined;
  const weightsAt = (at: PathSteps, weights: unknown): readonly PlacedProblem[] => {
    const path = pathText(at);
    const isSound = isPlainObject(weights) && !found.some((problem) => problem.path.startsWith(path));
    return (isSound ? weightProblems(slots, weights as Weights) : []).map((problem) => {
      const steps = [...at, ...(problem.path === 'weights' ? [] : [problem.path.slice('weights.'.length)])];
      return { ...problem, path: pathText(steps), steps };
    });
  };
  return [
    ...unknown.map((slot) => ({
      path: `slots.${slot}`,
      steps: ['slots', slot],
      kind: 'unknown' as const,
      allowed: `; slots of the plan: ${slots.join(', ')}`,
    })),
    ...weightsAt(['live'], live),
    ...weightsAt(['router', 'foreignWrite', 'weights'], written),
  ];
}

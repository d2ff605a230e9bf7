import { goDuration, parseDuration } from '../durations';
import type { Problem, Rule } from '../problems';
import { isMapping, Problems } from '../problems';
import type { Weights } from '../shift';
import { weightProblems } from '../shift';
import type { Scenario } from './scenario';
import type { RecordShape } from './shape';
import { checkShape } from './shape';

const share: Rule = {
  allowed: 'a share from 0 to 1',
  accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
};
const inner: Rule = {
  allowed: 'a number above 0 and below 1',
  accepts: (value) => typeof value === 'number' && value > 0 && value < 1,
};
const amount: Rule = {
  allowed: 'a number, zero or more',
  accepts: (value) => typeof value === 'number' && value >= 0 && value < Infinity,
};
const most = 1e6;
const rate: Rule = {
  allowed: `a number of requests a second, from 0 to ${most}`,
  accepts: (value) => amount.accepts(value) && (value as number) <= most,
};
const truth: Rule = { allowed: 'true or false', accepts: (value) => typeof value === 'boolean' };
const spell: Rule = {
  allowed: `${goDuration.allowed}, at least a second`,
  accepts: (value) => goDuration.accepts(value) && parseDuration(value as string)! >= 1000,
};

const period = { from: goDuration, until: goDuration };
const shares = { errorShare: share, slowShare: share };
const doing = { ...shares, capacity: amount, targets: amount, healthyTargets: amount };
const weights = { named: amount };

const shape: RecordShape = {
  record: {
    requests: {
      record: {
        perSecond: rate,
        changes: { list: { record: { ...period, perSecond: rate }, needs: ['perSecond'] } },
      },
      needs: ['perSecond'],
    },
    ...shares,
    slots: {
      named: {
        record: {
          ...doing,
          changes: { list: { record: { ...period, ...doing } } },
          cold: { record: { ...shares, lasts: goDuration }, needs: ['lasts'] },
        },
      },
    },
    bursts: { record: { dispersion: inner, persistence: share, shared: truth }, needs: ['dispersion'] },
    metrics: {
      record: {
        delay: goDuration,
        missing: share,
        late: { record: { share, lasts: goDuration }, needs: ['share'] },
        failing: { record: { ...period, share, lasts: spell }, needs: ['share'] },
      },
    },
    router: {
      record: {
        writeTakes: goDuration,
        throttled: share,
        foreignWrite: { record: { at: goDuration, weights }, needs: ['at', 'weights'] },
      },
    },
    live: weights,
    interrupt: { record: { at: goDuration }, needs: ['at'] },
    kill: { record: { at: goDuration, resumesAfter: goDuration }, needs: ['at'] },
  },
  needs: ['requests'],
};

/**
 * Everything that is wrong with a scenario, keys that are not known included.
 *
 * @param slots names of the slots of the plan that it is for; without them names are not judged
 */
export function scenarioProblems(scenario: unknown, slots?: readonly string[]): readonly Problem[] {
  const problems = new Problems('scenario');
  checkShape(problems, '', scenario, shape);
  if (problems.all.length > 0) {
    return problems.all;
  }
  const sound = scenario as Scenario;
  checkPeriods(problems, 'requests.changes', sound.requests.changes);
  checkPeriods(problems, 'metrics.failing', sound.metrics?.failing);
  for (const [slot, { changes }] of Object.entries(sound.slots ?? {})) {
    checkPeriods(problems, `slots.${slot}.changes`, changes);
  }
  if (slots) {
    checkNames(problems, sound, slots);
  }
  return problems.all;
}

function checkPeriods(problems: Problems, path: string, value: unknown): void {
  if (Array.isArray(value)) {
    value.forEach((each, index) => checkPeriods(problems, `${path}[${index}]`, each));
  } else if (isMapping(value) && typeof value.until === 'string') {
    const { from = '0s', until } = value as { from?: string; until: string };
    if (parseDuration(until)! <= parseDuration(from)!) {
      problems.add(`${path}.until`, until, `later than from, ${from}`);
    }
  }
}

function checkNames(problems: Problems, scenario: Scenario, slots: readonly string[]): void {
  for (const [slot, value] of Object.entries(scenario.slots ?? {})) {
    if (!slots.includes(slot)) {
      problems.add(`slots.${slot}`, value, `left out: the slots of the plan are ${slots.join(', ')}`);
    }
  }
  checkWeights(problems, 'live', scenario.live, slots);
  checkWeights(problems, 'router.foreignWrite.weights', scenario.router?.foreignWrite?.weights, slots);
}

function checkWeights(
  problems: Problems,
  path: string,
  given: Weights | undefined,
  slots: readonly string[],
): void {
  for (const problem of given ? weightProblems(slots, given) : []) {
    problems.add(problem.path.replace(/^weights/, path), problem.value, problem.allowed);
  }
}

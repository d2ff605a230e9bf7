import { InvalidInput } from '../../../lib/core/validation';
import { readScenario, scenarioProblems } from '../../../lib/shift/simulation';

const slots = ['blue', 'green'];

function problemsOf(text: string): string[] {
  try {
    readScenario(text, 'bad.yaml', slots);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  return [];
}

test('reads everything that a scenario may say', () => {
  const text = `
requests:
  perSecond: 1000
  changes:
    - { from: 5m, until: 10m, perSecond: 3000 }
errorShare: 0.001
slowShare: 0.05
live: { blue: 90, green: 10 }
slots:
  green:
    errorShare: 0.01
    capacity: 500
    healthyTargets: 4
    changes:
      - { from: 10m, errorShare: 1 }
    cold: { lasts: 1m, slowShare: 0.3 }
bursts: { dispersion: 0.001, persistence: 0.5, shared: true }
metrics:
  delay: 1m30s
  missing: 0.05
  failing: { share: 0.5, lasts: 20s, from: 2m, until: 20m }
router:
  writeTakes: 2s
  throttled: 0.1
  foreignWrite: { at: 7m, weights: { blue: 100 } }
interrupt: { at: 8m }
kill: { at: 9m, resumesAfter: 1m }
`;
  const scenario = readScenario(text, 'all.yaml', slots);
  expect(scenario.slots?.green?.changes).toEqual([{ from: '10m', errorShare: 1 }]);
  expect(scenario.router?.foreignWrite).toEqual({ at: '7m', weights: { blue: 100 } });
  expect(scenarioProblems(scenario, slots)).toEqual([]);
});

test('reads JSON', () => {
  expect(readScenario('{"requests": {"perSecond": 5}}', 'quiet.json')).toEqual({
    requests: { perSecond: 5 },
  });
});

test('names every problem with line and column, and what is allowed', () => {
  const text = `requests:
  perSecond: -1
errorShare: 1.1
slot: {}
slots:
  green:
    errors: 1
    changes:
      - until: 5
        errorShare: 0.5
    cold:
      slowShare: 0.5
bursts:
  dispersion: 0
`;
  expect(problemsOf(text)).toEqual([
    'bad.yaml:2:3 requests.perSecond: -1: must be a number of requests a second, from 0 to 1000000',
    'bad.yaml:3:1 errorShare: 1.1: must be a share from 0 to 1',
    expect.stringMatching(/^bad\.yaml:4:1 slot: unknown key, did you mean "slots"\?; known keys: requests, /),
    expect.stringMatching(/^bad\.yaml:7:5 slots\.green\.errors: unknown key, did you mean "errorShare"\?/),
    expect.stringMatching(/^bad\.yaml:9:9 slots\.green\.changes\[0\]\.until: 5: must be a duration such as/),
    expect.stringMatching(/^bad\.yaml:11:5 slots\.green\.cold\.lasts: is required: a duration such as /),
    'bad.yaml:14:3 bursts.dispersion: 0: must be a number above 0 and below 1',
  ]);
});

test('names what does not fit together', () => {
  const text = `requests: { perSecond: 1 }
live: { blue: 50, green: 40 }
slots:
  red: { errorShare: 1 }
  green:
    changes:
      - { from: 5m, until: 5m }
metrics:
  failing: { share: 1, from: 3m, until: 2m }
router:
  foreignWrite: { at: 1m, weights: { yellow: 100 } }
`;
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^bad\.yaml:2:1 live: \{"blue":50,"green":40\}: must be whole percents/),
    'bad.yaml:4:3 slots.red: unknown key; slots of the plan: blue, green',
    'bad.yaml:7:21 slots.green.changes[0].until: "5m": must be later than from, 5m',
    'bad.yaml:9:34 metrics.failing.until: "2m": must be later than from, 3m',
    expect.stringMatching(/^bad\.yaml:11:38 router\.foreignWrite\.weights\.yellow: 100: must be left out/),
  ]);
});

test.each([
  ['', /^bad\.yaml:1:1: must be a file with settings: this one is empty/],
  ['- 1', /^bad\.yaml:1:1: must be an object/],
  ['requests: {perSecond: 1', /^bad\.yaml:1:\d+: must be YAML or JSON: /],
  [
    'requests: {perSecond: 1}\nrequests: {perSecond: 2}',
    /^bad\.yaml:2:1: must be another key: the key "\w+" is there twice/,
  ],
  ['a: &a [*a]\n', /^bad\.yaml:1:1: must be YAML without a value that contains itself/],
  ['a: !odd 1\n', /^bad\.yaml:1:4: must be plain YAML without tags of its own/],
])('%j is refused with its place', (text, problem) => {
  expect(problemsOf(text)[0]).toMatch(problem);
});

test('an autoscaler: limits that do not fit, and what its pods decide', () => {
  const text = `
requests: { perSecond: 5 }
slots:
  blue:
    targets: 5
    changes: [{ from: 1m, healthyTargets: 4 }, { from: 2m, capacity: 9, errorShare: 1 }]
    autoscaler: { minReplicas: 4, maxReplicas: 3, targetUtilization: 0 }
  green: { autoscaler: { minReplicas: 4, maxReplicas: 8, replicas: 9 } }
`;
  expect(problemsOf(text)).toEqual([
    'bad.yaml:5:5 slots.blue.targets: 5: must be left out: the pods of autoscaler decide it',
    'bad.yaml:6:27 slots.blue.changes[0].healthyTargets: 4: must be left out: the pods of autoscaler decide it',
    'bad.yaml:6:60 slots.blue.changes[1].capacity: 9: must be left out: the pods of autoscaler decide it',
    'bad.yaml:7:35 slots.blue.autoscaler.maxReplicas: 3: must be at least minReplicas, 4',
    'bad.yaml:7:51 slots.blue.autoscaler.targetUtilization: 0: must be a share above 0, at most 1',
    'bad.yaml:8:58 slots.green.autoscaler.replicas: 9: must be at most maxReplicas, 8',
  ]);
  expect(problemsOf(text.replace('replicas: 9', 'replicas: 3')).at(-1)).toMatch(/at least minReplicas, 4$/);
});

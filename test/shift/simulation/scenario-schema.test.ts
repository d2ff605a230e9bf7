import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { scenarioProblems } from '../../../lib/shift/simulation';

const root = resolve(__dirname, '..', '..', '..');
const schema = JSON.parse(readFileSync(join(root, 'schemas', 'scenario.json'), 'utf8'));
const accepts = new Ajv2020({ strict: true }).compile(schema);
const slots = ['blue', 'green'];

const vitals = {
  ...{ restarts: 0.1, oomKills: 0.1, pendingPods: 0.1, imagePulls: 0.1, podNetworks: 0.1 },
  ...{ refusedPods: 0.1, nodes: 0.1, dns: 0.5, dnsAnswers: 0.1 },
};

/** Everything that a scenario may say. */
const whole = {
  requests: { perSecond: 1000, changes: [{ from: '5m', until: '10m', perSecond: 3000 }] },
  errorShare: 0.001,
  slowShare: 0.05,
  slots: {
    blue: {
      autoscaler: {
        minReplicas: 2,
        maxReplicas: 40,
        targetUtilization: 0.6,
        tolerance: 0.1,
        syncPeriod: '15s',
        scaleDownWindow: '5m',
        podStart: '60s',
        replicas: 20,
        requestsPerPod: 80,
      },
    },
    green: {
      errorShare: 0.01,
      slowShare: 0.1,
      capacity: 500,
      targets: 12,
      healthyTargets: 4,
      vitals,
      changes: [
        {
          from: '1m',
          until: '2m',
          errorShare: 1,
          slowShare: 1,
          capacity: 1,
          targets: 3,
          healthyTargets: 0,
          vitals,
        },
      ],
      cold: { lasts: '1m', slowShare: 0.3, errorShare: 0.1 },
    },
  },
  bursts: { dispersion: 0.001, persistence: 0.5, shared: true },
  metrics: {
    delay: '1m30s',
    missing: 0.05,
    late: { share: 0.05, lasts: '3m' },
    failing: { share: 0.5, lasts: '20s', from: '2m', until: '20m' },
  },
  synthetic: { lost: 0.1 },
  router: { writeTakes: '2s', throttled: 0.1, foreignWrite: { at: '7m', weights: { blue: 100, green: 0 } } },
  live: { blue: 90, green: 10 },
  interrupt: { at: '8m' },
  kill: { at: '9m', resumesAfter: '1m' },
};

/** The pods of an autoscaler decide what the other slot says of its targets, so that no slot can say everything. */
const anySlot = { ...whole.slots.blue, ...whole.slots.green };

type Place = readonly (string | number)[];

/** Every place in a value, but for the value itself. */
function placesIn(value: unknown, before: Place = []): Place[] {
  const keys: Place = Array.isArray(value)
    ? [...value.keys()]
    : typeof value === 'object' && value !== null
      ? Object.keys(value)
      : [];
  return keys.flatMap((key) => [[...before, key], ...placesIn((value as any)[key], [...before, key])]);
}

/** A copy in which a place has another value; `undefined` takes it away. */
function changed(place: Place, value: unknown): unknown {
  const copy = structuredClone(whole);
  const holder = place.slice(0, -1).reduce((found: any, key) => found[key], copy);
  const last = place.at(-1)!;
  if (value !== undefined) {
    holder[last] = value;
  } else if (Array.isArray(holder)) {
    holder.splice(last as number, 1);
  } else {
    delete holder[last];
  }
  return copy;
}

const places = placesIn(whole);
const values = [
  ...[undefined, null, true, -1, 0, 0.5, 1, 100, 1e6, 1e6 + 1],
  ...['', '0', '0s', '1h30m', '5', '-1s', 'soon'],
  ...[[], {}, [{}], { at: '1m' }, { unheardOf: 1 }],
];

/** What a schema can't say. */
const beyond =
  /later than from|at least a second|add up to 100|slots of the plan|the slots are|(?:min|max)Replicas, \d/;

test('what the parser accepts, the schema accepts, and the other way round', () => {
  expect([accepts(whole), scenarioProblems(whole, slots)]).toEqual([true, []]);
  let refused = 0;
  for (const place of places) {
    for (const value of values) {
      const scenario = changed(place, value);
      const found = scenarioProblems(scenario, slots).map(({ path, allowed }) => `${path}: ${allowed}`);
      const unsaid = found.filter((problem) => !beyond.test(problem));
      const isAccepted = accepts(scenario);
      expect([place.join('.'), value, isAccepted]).toEqual([
        place.join('.'),
        value,
        isAccepted ? unsaid.length === 0 : found.length === 0,
      ]);
      refused += isAccepted ? 0 : 1;
    }
  }
  // Most of these are nonsense somewhere.
  expect(refused).toBeGreaterThan((places.length * values.length) / 2);
});

test('both know the same keys everywhere', () => {
  const mappings: Place[] = [[], ...places].filter((place) => {
    if (place.join('.') === 'slots.blue') {
      return false;
    }
    const value: any = place.reduce((found: any, key) => found[key], whole);
    return typeof value === 'object' && !Array.isArray(value);
  });
  const free = ['slots', 'live', 'router.foreignWrite.weights'];
  for (const place of mappings.filter((one) => !free.includes(one.join('.')))) {
    const found = scenarioProblems(changed([...place, 'unheardOf'], 1), slots);
    const known = found[0]!.allowed.replace(/^.*known keys: /, '').split(', ');
    const value: any = place.reduce((one: any, key) => one[key], {
      ...whole,
      slots: { ...whole.slots, green: anySlot },
    });
    expect([place, accepts(changed([...place, 'unheardOf'], 1))]).toEqual([place, false]);
    // So `whole` has every key there is, and the test above tries each.
    expect([place, Object.keys(value).sort()]).toEqual([place, known.sort()]);
  }
});

const folder = join(root, 'examples', 'shift', 'scenarios');
test.each(readdirSync(folder))('the schema accepts %s', (file) => {
  const scenario: unknown = parse(readFileSync(join(folder, file), 'utf8'));
  expect([accepts(scenario), accepts.errors]).toEqual([true, null]);
});

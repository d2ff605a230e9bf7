import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { InvalidInput } from '../../../lib/core/validation';
import { parsePlan, readPlan } from '../../../lib/shift/plan-file';
import { greenArn, plainPlan, ruleArn, wavesPlan } from './plans';

/** Each problem of a plan file as the command line prints it, without the file's name. */
function problemsOf(text: string): readonly string[] {
  try {
    parsePlan(text, 'plan.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    expect(error.subject).toBe('plan.yaml');
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().replace(/^plan\.yaml:/, ''));
  }
}

/** The plain plan with one piece of its text replaced. */
function changed(from: string, to: string): string {
  expect(plainPlan).toContain(from);
  return plainPlan.replace(from, to);
}

test('a plan for one router has one route', () => {
  expect(parsePlan(plainPlan, 'plan.yaml')).toMatchObject({
    file: 'plan.yaml',
    routes: { traffic: { router: { albRule: { ruleArn } }, slots: { green: { targetGroupArn: greenArn } } } },
    waves: [['traffic']],
    slots: ['blue', 'green'],
    weights: { blue: 0, green: 100 },
    shift: { step: 10, every: '2m', bake: '10m', onFailure: 'rollback' },
    checks: [{ 'cloudWatch.errorShare': { max: 0.01, minRequests: 200 } }],
  });
});

test('the same plan may be JSON', () => {
  const json = JSON.stringify(parse(plainPlan), null, '\t');
  expect(parsePlan(json, 'plan.yaml')).toEqual(parsePlan(plainPlan, 'plan.yaml'));
});

test('a plan for several routers has waves', () => {
  expect(parsePlan(wavesPlan, 'plan.yaml')).toMatchObject({
    waves: [['eu'], ['us', 'ap']],
    rollBack: 'wave',
    checks: [],
  });
  const without = wavesPlan.replace(/^waves.*\n/m, 'rollBack: all\n');
  expect(parsePlan(without, 'plan.yaml')).toMatchObject({ waves: [['eu'], ['us'], ['ap']], rollBack: 'all' });
});

test('a plan needs no more than a router, slots and weights', () => {
  const plan = parsePlan('router: { simulated: }\nslots: { a: , b: }\nweights: { b: 100 }\n', 'plan.yaml');
  expect(plan).toMatchObject({ slots: ['a', 'b'], checks: [], shift: {} });
  expect(plan.lease).toBeUndefined();
});

describe('is refused:', () => {
  test.each<[string, string, RegExp[]]>([
    ['no YAML', 'router: [', [/^1:10: must be YAML or JSON: /]],
    ['an empty file', '', [/^1:1: must be a file with settings: this one is empty$/]],
    [
      'a list',
      '- a\n',
      [
        /^1:1: must be a plan: an object with router, slots, weights, shift, lease, labels, syncWindow, watch, approvals, notify, history$/,
      ],
    ],
    ['text', 'shift my traffic please', [/^1:1: must be a plan/]],
    ['two documents', `${plainPlan}---\n${plainPlan}`, [/^15:1: must be the end of the file/]],
    [
      'an empty mapping',
      '{}',
      [/^1:1 router: is required/, /^1:1 slots: is required/, /^1:1 weights: is required/],
    ],
    ['a key twice', `${plainPlan}weights: {}\n`, [/^15:1: must be another key/]],
    ['a misspelt key', changed('shift:', 'shfit:'), [/^8:1 shfit: unknown key, did you mean "shift"\?/]],
    ['a secret where none belongs', `${plainPlan}apiKey: hidden\n`, [/^15:1 apiKey: unknown key; [^"]*$/]],
    ['a setting of waves without waves', `${plainPlan}rollBack: all\n`, [/^15:1 rollBack: unknown key/]],
    [
      'weights that do not sum',
      changed('green: 100 }', 'green: 99 }'),
      [
        /^7:1 weights: \{"blue":0,"green":99\}: must be whole percents that add up to 100; these add up to 99$/,
      ],
    ],
    [
      'a weight that is none',
      changed('green: 100 }', 'green: all }'),
      [/^7:21 weights\.green: "all": must be a whole percent/],
    ],
    [
      'weights of an unknown slot',
      changed('green: 100 }', 'red: 100 }'),
      [/^7:21 weights\.red: 100: must be left out: the slots are blue, green$/],
    ],
    [
      'weights that are a number',
      changed('{ blue: 0, green: 100 }', '5'),
      [/^7:1 weights: 5: must be an object of whole percents/],
    ],
    [
      'a duration without a unit',
      changed('every: 2m', 'every: 120'),
      [/^10:3 shift\.every: 120: must be a duration/],
    ],
    [
      'a duration of text without a unit',
      changed('every: 2m', 'every: "120"'),
      [/^10:3 shift\.every: "120": must be a duration/],
    ],
    [
      'a misspelt setting',
      changed('every:', 'evrey:'),
      [/^10:3 shift\.evrey: unknown key, did you mean "every"\?/],
    ],
    [
      'a step of no size',
      changed('step: 10', 'step: 0'),
      [/^9:3 shift\.step: 0: must be a whole number from 1 to 100/],
    ],
    [
      'falling places',
      changed('step: 10', 'step: [5, 3]'),
      [/^9:13 shift\.step\[1\]: 3: must be more than the place before it, 5$/],
    ],
    [
      'a rollback to an unknown slot',
      changed('onFailure: rollback', 'onFailure: { rollbackTo: red }'),
      [/^14:16 shift\.onFailure\.rollbackTo: "red": must be one of "blue", "green"$/],
    ],
    [
      'settings that are a list',
      changed('shift:\n  step', 'shift: []\nx:\n  step'),
      [/^8:1 shift: \[\]: must be an object with step/, /^9:1 x: /],
    ],
    [
      'checks that are no list',
      changed('checks:\n    - cloudWatch', 'checks:\n      cloudWatch'),
      [/^12:3 shift\.checks: \{.*: must be a list$/],
    ],
    [
      'an unknown kind of check',
      changed('cloudWatch.errorShare', 'cloudWatch.errorShares'),
      [/^13:7 shift\.checks\[0\]\.cloudWatch\.errorShares: .*\(is "cloudWatch\.errorShare" meant\?\)$/],
    ],
    [
      'a check without its source',
      changed('cloudWatch.errorShare', 'errorShare'),
      [/\(is "cloudWatch\.errorShare" or .*"prometheus\.errorShare" meant\?\)$/],
    ],
    [
      'two problems of one line, in its order',
      changed('weights: { blue: 0, green: 100 }', 'weights: { blue: 0, green: 80, red: 5 }'),
      [/^7:1 weights: /, /^7:32 weights\.red: 5/],
    ],
    [
      'a wrong type in a check',
      changed('max: 0.01', 'max: low'),
      [/^13:32 shift\.checks\[0\]\.cloudWatch\.errorShare\.max: "low": must be a share/],
    ],
    [
      'a check of an unknown slot',
      changed('max: 0.01', 'max: 0.01, slots: [blue, red]'),
      [
        /^13:57 shift\.checks\[0\]\.cloudWatch\.errorShare\.slots\[1\]: "red": must be one of the slots: blue, green$/,
      ],
    ],
    [
      'bounds where min is above max',
      changed(
        'cloudWatch.errorShare: { max: 0.01, minRequests: 200 }',
        'prometheus.query: { address: "https://p.example", query: up, min: 3, max: 2 }',
      ),
      [/^13:\d+ shift\.checks\[0\]\.prometheus\.query\.min: 3: must be at most "max", which is 2$/],
    ],
    [
      'an unknown variable of a template',
      changed(
        'cloudWatch.errorShare: { max: 0.01, minRequests: 200 }',
        'prometheus.query: { address: "https://p.example", query: "up{c=\\"{{nobody}}\\"}", max: 2 }',
      ),
      [
        /^13:\d+ shift\.checks\[0\]\.prometheus\.query\.query: "\{\{nobody\}\}": must be without that variable/,
      ],
    ],
    [
      'two slots with one target group',
      changed(greenArn, 'x'),
      [/^6:12 slots\.green\.targetGroupArn: "x": must be the ARN of a target group/],
    ],
    ['an unknown lease', `${plainPlan}lease: etcd\n`, [/^15:1 lease: "etcd": must be "none", or an object/]],
  ])('%s', (_name, text, expected) => {
    expect(problemsOf(text)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });

  test('two slots with one target group', () => {
    const text = plainPlan.replace(/apps-green\/\w+/, 'apps-blue/73e2d6bc24d8a067');
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(
        /^6:12 slots\.green\.targetGroupArn: .* must be another than that of the slot "blue"$/,
      ),
    ]);
  });

  test('a check of HTTP figures on records, which have none', () => {
    const text = plainPlan
      .replace(
        /albRule:\n.*\n/,
        'route53: { hostedZoneId: Z1, recordName: www.example.com, recordType: A }\n',
      )
      .replace(/targetGroupArn: [^,]*apps-(\w+)\/\w+/g, 'setIdentifier: $1');
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/^12:7 shift\.checks\[0\]\.cloudWatch\.errorShare: /),
    ]);
  });

  test.each<[string, string, string, RegExp]>([
    [
      'an unknown route in a wave',
      '[us, ap]',
      '[us, ap, sa]',
      /^5:24 waves\[1\]\[2\]: "sa": must be one of "eu", "us", "ap"$/,
    ],
    [
      'a route in two waves',
      '[us, ap]',
      '[us, ap, eu]',
      /^5:24 waves\[1\]\[2\]: "eu": must be in one wave only$/,
    ],
    [
      'a route in no wave',
      '[us, ap]',
      '[us]',
      /^5:1 waves: .*: must be waves with every route: ap is in none$/,
    ],
    [
      'an empty wave',
      '[us, ap]',
      '[us, ap], []',
      /^5:25 waves\[2\]: \[\]: must be a list of names of routes/,
    ],
    [
      'waves without lists',
      '[[eu], [us, ap]]',
      '[eu, us, ap]',
      /^5:9 waves\[0\]: must be a list of names of routes/,
    ],
    ['no waves', '[[eu], [us, ap]]', '[]', /^5:1 waves: \[\]: must be a list of waves/],
    [
      'a route with other slots',
      'us: { router: { simulated: {} }, slots: *slots }',
      'us: { router: { simulated: {} }, slots: { blue: {}, red: {} } }',
      /^3:36 routes\.us\.slots: \["blue","red"\]: must be the slots of every route: blue, green$/,
    ],
    [
      'a misspelt key of a route',
      'us: { router:',
      'us: { rooter: 5, router:',
      /^3:9 routes\.us\.rooter: unknown key, did you mean "router"\?/,
    ],
    [
      'a route that is text',
      'us: { router: { simulated: {} }, slots: *slots }',
      'us: x',
      /^3:3 routes\.us: must be an object with router, slots$/,
    ],
    ['a bad name of a route', 'us: {', 'US: {', /^3:3 routes\.US: "US": must be lower-case letters/],
    [
      'what goes back',
      'weights:',
      'rollBack: some\nweights:',
      /^6:1 rollBack: "some": must be one of "wave", "all"$/,
    ],
  ])('%s', (_name, from, to, pattern) => {
    expect(wavesPlan).toContain(from);
    expect(problemsOf(wavesPlan.replace(from, to))).toContainEqual(expect.stringMatching(pattern));
  });

  test('everything at once, in the order of the file', () => {
    const text = plainPlan
      .replace('albRule:', 'albRule:\n    regoin: eu-west-1')
      .replace('green: 100 }', 'green: 101 }')
      .replace('every: 2m', 'every: 2')
      .replace('max: 0.01', 'max: 7')
      .concat('lease: { ssm: { duration: 1s } }\n');
    expect(problemsOf(text).map((line) => line.split(':')[0])).toEqual(['3', '8', '11', '14', '16']);
  });

  test('a check that needs what a sound route does not name', () => {
    const text = plainPlan
      .replaceAll(/, clusterName: [\w-]+/g, '')
      .replace(/- cloudWatch.*/, '- argoApplications: {}');
    const found = problemsOf(text);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toMatch(/^13:7 shift\.checks\[0\]\.argoApplications: .*cluster/);
  });
});

test('whatever stands in a file, the answer is a plan or problems with places', () => {
  const anything = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, true, 5, -1, 'x', '2m', 'rollback', 'blue', 'none', [], {}),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(
        fc.constantFrom(
          'router',
          'simulated',
          'live',
          'slots',
          'blue',
          'green',
          'weights',
          'shift',
          'step',
          'checks',
          'every',
          'routes',
          'waves',
          'lease',
          'ssm',
          'pause',
          'onFailure',
          '__proto__',
          'constructor',
        ),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  })).value;
  const partial = fc.record(
    {
      router: fc.oneof(fc.constant({ simulated: {} }), anything),
      slots: fc.oneof(fc.constant({ blue: {}, green: {} }), anything),
      weights: fc.oneof(fc.constant({ blue: 100 }), anything),
      shift: anything,
      routes: anything,
      waves: anything,
      lease: anything,
    },
    { requiredKeys: ['router', 'slots', 'weights'] },
  );
  fc.assert(
    fc.property(fc.oneof(partial, anything), (content) => {
      for (const problem of problemsOf(JSON.stringify(content))) {
        expect(problem).toMatch(/^1:\d+( |:)/);
      }
    }),
    { numRuns: 300 },
  );
});

describe('a file', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'cluster-canary-plans-'));
  afterAll(() => rmSync(scratch, { recursive: true }));

  test('is read', () => {
    const file = join(scratch, 'plan.yaml');
    writeFileSync(file, plainPlan);
    expect(readPlan(file).file).toBe(file);
  });

  test('that is not there is named, with what is wanted', () => {
    const file = join(scratch, 'none.yaml');
    expect(() => readPlan(file)).toThrow(`${file}: must be a plan, in YAML or JSON; there is no such file`);
  });

  test('that is a folder is said to be one', () => {
    expect(() => readPlan(scratch)).toThrow(`${scratch}: must be a file; it is a folder`);
  });
});

describe('capacity', () => {
  const withCapacity = (capacity: string, plan = plainPlan) =>
    parsePlan(plan.replace('  checks:', `  capacity: ${capacity}\n  checks:`), 'plan.yaml');
  const problemsIn = (capacity: string, plan?: string): readonly string[] => {
    try {
      withCapacity(capacity, plan);
    } catch (error) {
      return (error as Error).message
        .split('\n')
        .slice(1)
        .map((line) => line.replace(/^ *plan\.yaml(:\d+:\d+)? /, ''));
    }
    return [];
  };

  test('is apart from what the engine takes', () => {
    const { capacity, shift } = withCapacity('{ scale: hpa, hold: untilBaked }');
    expect(capacity).toEqual({ scale: 'hpa', hold: 'untilBaked' });
    expect(shift).toEqual({ step: 10, every: '2m', bake: '10m', onFailure: 'rollback' });
    expect(parsePlan(plainPlan, 'plan.yaml').capacity).toBeUndefined();
  });

  test('waits for healthy targets as well, where there are any: pods that are ready are none yet', () => {
    const capacityOf = (plan?: string) =>
      withCapacity('{ contexts: { blue: b, green: g } }', plan).checks.filter((check) => 'capacity' in check);
    const own = (settings: string) =>
      plainPlan.replace('  checks:', `  checks:\n    - capacity: ${settings}`);
    const raised = { maxLoad: 1.1, follow: '24h' };
    expect(capacityOf()).toEqual([{ capacity: raised }]);
    expect(capacityOf(own('{}'))).toEqual([{ capacity: raised }]);
    expect(capacityOf(own('{ maxLoad: 2 }'))).toEqual([{ capacity: { ...raised, maxLoad: 2 } }]);
    expect(capacityOf(`${wavesPlan}shift:\n  checks: []\n`)).toEqual([]);
    expect(parsePlan(own('{}'), 'plan.yaml').checks).toContainEqual({ capacity: {} });
  });

  test('has its problems at their places', () => {
    expect(problemsIn('{ scale: [hpa, vpa], kubeconfigText: "a" }')).toEqual([
      'shift.capacity.scale[1]: "vpa": must be one of "hpa", "keda", "replicas"',
      expect.stringContaining('shift.capacity.kubeconfigText: unknown key, did you mean "kubeconfig"?'),
    ]);
    expect(problemsIn('{ contexts: { red: r } }')).toEqual([
      expect.stringContaining(
        'shift.capacity.contexts.red: "red": must be left out; the slots are blue, green',
      ),
    ]);
  });

  test('wants the cluster of each slot, by its name or a context, where weights are real', () => {
    const nameless = plainPlan.replace(', clusterName: apps-green', '');
    expect(problemsIn('{}', nameless)).toEqual([
      expect.stringMatching(/^shift\.capacity\.contexts\.green: is required: a context of the kubeconfig/),
    ]);
    expect(problemsIn('{ contexts: { green: apps-2 } }', nameless)).toEqual([]);
    expect(problemsIn('{}', `${wavesPlan}shift:\n  checks: []\n`)).toEqual([]);
  });

  test('of names wants the Services, on every route that has them', () => {
    const names = `routes:
  names:
    router: { route53: { hostedZoneId: Z0123456789ABCDEFGHIJ, recordName: www.example.com, recordType: A } }
    slots: { blue: { setIdentifier: b, clusterName: apps-blue }, green: { setIdentifier: g, clusterName: apps-green } }
weights: { green: 100 }
shift:
  checks: []
`;
    expect(problemsIn('{}', names)).toEqual([
      expect.stringMatching(/^shift\.capacity\.services: .*must be given, as \[\{ namespace: "shop"/),
    ]);
    expect(problemsIn('{ services: [{ namespace: shop, name: web }] }', names)).toEqual([]);
  });
});

test('a kubeconfig itself has no place in a plan, and is not shown', () => {
  const checks = `
    - argoApplications: { kubeconfigText: "clusters: [hidden]" }
    - kubernetesPods: { namespace: web, labels: { a: b }, kubeconfigTexts: { green: "clusters: [hidden]" } }`;
  const plan = `
router: { simulated: }
slots: { blue: , green: }
weights: { green: 100 }
shift:
  checks:${checks}
`;
  const read = (): unknown => parsePlan(plan, 'plan.yaml');
  expect(read).toThrow(
    /^plan\.yaml: 2 problems\n {2}plan\.yaml:7:27 shift\.checks\[0\]\.argoApplications\.kubeconfigText: must be left out: .* kubeconfig takes the path of one\n {2}plan\.yaml:8:\d+ shift\.checks\[1\]/,
  );
  expect(read).not.toThrow(/hidden/);
});

import { formatProblem as inWords, nearKey } from '../../../lib/core/validation';
import { placedBelow, problemsOf as problemsIn } from '../../../lib/core/validation/schema';
import type { Schema } from '../../../lib/core/validation/schema';
import { leaseSchema } from '../../../lib/shift/leases/settings';
import { labelsSchema, shiftSyncWindowSchema } from '../../../lib/shift/plan-file/hub-settings';
import { routeProblems } from '../../../lib/shift/routers';
import { blueArn, greenArn, ruleArn } from './plans';

test.each([
  ['weight', 'weights'],
  ['wieghts', 'weights'],
  ['Router', 'router'],
  ['slot', 'slots'],
  ['shfit', 'shift'],
  ['lease', 'lease'],
  ['apiKey', undefined],
  ['x', undefined],
  ['', undefined],
])('a slip of the fingers: %j is %j', (given, meant) => {
  expect(nearKey(given, ['router', 'slots', 'weights', 'shift', 'lease'])).toBe(meant);
});

const slots = { blue: { targetGroupArn: blueArn }, green: { targetGroupArn: greenArn } };
const below = (key: string, schema: Schema, value: unknown) =>
  placedBelow([key], problemsIn(schema, value)).map((problem) => inWords(problem));
const problemsOf = (route: any) => routeProblems(route).map((problem) => inWords(problem));

describe('a route', () => {
  const sets = { blue: { setIdentifier: 'blue' }, green: { setIdentifier: 'green' } };
  const listener = (kind: string) =>
    `arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/${kind}/edge/50dc6c495c0c9188/f2f7dc8efc522ab2`;

  test.each([
    ['an ALB rule', { router: { albRule: { ruleArn } }, slots }],
    ['an ALB default action', { router: { albDefaultAction: { listenerArn: listener('app') } }, slots }],
    ['an NLB listener', { router: { nlbListener: { listenerArn: listener('net') } }, slots }],
    [
      'Route 53 records',
      {
        router: {
          route53: {
            hostedZoneId: 'Z1D633PJN98FT9',
            recordName: 'www.example.com',
            recordType: ['A', 'AAAA'],
          },
        },
        slots: sets,
      },
    ],
    ['a simulated router', { router: { simulated: {} }, slots: { blue: {}, green: null } }],
    [
      'a simulated router without settings',
      { router: { simulated: null }, slots: { blue: {}, green: null } },
    ],
  ])('with %s is fine', (_name, route) => {
    expect(problemsOf(route)).toEqual([]);
  });

  test.each([
    ['no router', { slots }, [/^router: nothing: must be a mapping with one of the keys albRule, /]],
    [
      'two routers',
      { router: { albRule: { ruleArn }, simulated: {} }, slots },
      [/^router: \["albRule","simulated"\]: must be/],
    ],
    [
      'a misspelt router',
      { router: { albrule: { ruleArn } }, slots },
      [/^router\.albrule: must be spelled "albRule"$/],
    ],
    [
      'an unknown router',
      { router: { nginx: { password: 'hidden' } }, slots },
      [/^router\.nginx: must be one of albRule, [^"]*$/],
    ],
    [
      'an unknown key',
      { router: { albRule: { ruleArn, ruleAm: 'x' } }, slots },
      [
        /^router\.albRule\.ruleAm: unknown key, did you mean "ruleArn"\?; known keys: ruleArn, region, roleArn$/,
      ],
    ],
    [
      'an ARN of something else',
      { router: { albRule: { ruleArn: blueArn } }, slots },
      [/^router\.albRule\.ruleArn: .*must be the ARN of/],
    ],
    [
      'a slot without a target group',
      { router: { albRule: { ruleArn } }, slots: { ...slots, green: {} } },
      [/^slots\.green\.targetGroupArn: is required: the ARN of a target group/],
    ],
    [
      'two slots with one target group',
      { router: { albRule: { ruleArn } }, slots: { ...slots, green: slots.blue } },
      [/^slots\.green\.targetGroupArn: .*another than that of the slot "blue"/],
    ],
    [
      'a region that is not the ARN’s',
      { router: { albRule: { ruleArn, region: 'us-east-1' } }, slots },
      [/^router\.albRule\.region: "us-east-1": must be "eu-west-1"/],
    ],
    [
      'one slot',
      { router: { simulated: {} }, slots: { blue: {} } },
      [/^slots: \["blue"\]: must be a mapping of 2 to 5 slots/],
    ],
    [
      'six slots',
      { router: { simulated: {} }, slots: { a: {}, b: {}, c: {}, d: {}, e: {}, f: {} } },
      [/^slots: .*2 to 5/],
    ],
    [
      'no slots',
      { router: { albRule: { ruleArn } } },
      [/^slots: nothing: must be a mapping of 2 to 5 slots/],
    ],
    [
      'a slot with a bad name',
      { router: { simulated: {} }, slots: { Blue: {}, green: {} } },
      [/^slots\.Blue: "Blue": must be lower-case/],
    ],
    [
      'a slot that is text',
      { router: { simulated: {} }, slots: { blue: 'x', green: {} } },
      [/^slots\.blue: must be an object with targetGroupArn, clusterName, preview$/],
    ],
    [
      'one cluster in two slots',
      { router: { simulated: {} }, slots: { blue: { clusterName: 'a' }, green: { clusterName: 'a' } } },
      [/^slots\.green\.clusterName: "a": must be another than that of the slot "blue"$/],
    ],
    [
      'live weights that do not sum',
      { router: { simulated: { live: { blue: 90 } } }, slots: { blue: {}, green: {} } },
      [/^router\.simulated\.live: .*add up to 100; these add up to 90/],
    ],
    [
      'live weights that are none',
      { router: { simulated: { live: 5 } }, slots: { blue: {}, green: {} } },
      [/^router\.simulated\.live: 5: must be a mapping/],
    ],
  ] as [string, any, RegExp[]][])('with %s', (_name, route, expected) => {
    const found = problemsOf(route);
    expect(found).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });

  test('says all of it at once', () => {
    const found = routeProblems({
      router: { albRule: { ruleArn: 'x', regoin: 'y' } },
      slots: { blue: { targetGroupArn: 'z', clusterNam: 'c' }, green: {} },
    });
    expect(found.map(({ path }) => path).sort()).toEqual([
      'router.albRule.regoin',
      'router.albRule.ruleArn',
      'slots.blue.clusterNam',
      'slots.blue.targetGroupArn',
      'slots.green.targetGroupArn',
    ]);
  });
});

describe('a lease', () => {
  test.each([
    ['none'],
    [{ ssm: {} }],
    [{ ssm: null }],
    [{ ssm: { region: 'eu-west-1', duration: '5m' } }],
    [{ kubernetes: { namespace: 'traffic', context: 'hub' } }],
  ])('%j is fine', (lease) => {
    expect(below('lease', leaseSchema, lease)).toEqual([]);
  });

  test.each([
    ['nothing', /^lease: "nothing": must be "none", or an object with one of the keys ssm, kubernetes/],
    ['ssm', /^lease: "ssm": must be .* \{ ssm: \{\} \}$/],
    [{}, /^lease: must be an object with exactly one of "ssm", "kubernetes"$/],
    [{ etcd: {} }, /^lease\.etcd: unknown key; known keys: ssm, kubernetes$/],
    [{ smm: {} }, /^lease\.smm: unknown key, did you mean "ssm"\?/],
    [{ ssm: {}, kubernetes: { namespace: 'a' } }, /^lease: must be an object with exactly one of/],
    [{ ssm: 'x' }, /^lease\.ssm: must be an object with region, roleArn, duration$/],
    [{ ssm: { region: 'Ireland' } }, /^lease\.ssm\.region: "Ireland": must be the name of an AWS region/],
    [{ ssm: { duration: '2' } }, /^lease\.ssm\.duration: "2": must be a duration from 30s to 24h/],
    [{ ssm: { duration: '5s' } }, /^lease\.ssm\.duration: "5s": must be a duration from 30s to 24h/],
    [{ kubernetes: {} }, /^lease\.kubernetes\.namespace: is required: lower-case/],
    [
      { kubernetes: { namespace: 'a', kubeconfig: 1 } },
      /^lease\.kubernetes\.kubeconfig: 1: must be a text that is not empty$/,
    ],
    [
      { kubernetes: { namespace: 'a', kubeconfigText: 'secret' } },
      /^lease\.kubernetes\.kubeconfigText: unknown key, did you mean "kubeconfig"\?/,
    ],
  ])('%j is not', (lease, pattern) => {
    expect(below('lease', leaseSchema, lease)).toEqual([expect.stringMatching(pattern)]);
  });
});

describe('labels', () => {
  test.each([
    [{ fleet: 'apps', hubs: [{}] }],
    [{ fleet: 'apps', hubs: [{ kubeconfig: 'hub.yaml', context: 'hub', namespace: 'argo' }] }],
  ])('%j are fine', (labels) => {
    expect(below('labels', labelsSchema, labels)).toEqual([]);
  });

  test.each<[unknown, readonly RegExp[]]>([
    ['apps', [/^labels: must be an object with fleet, hubs$/]],
    [{}, [/^labels\.fleet: is required: /, /^labels\.hubs: is required: a list of at least one hub/]],
    [
      { fleet: 'Apps', hubs: [] },
      [/^labels\.fleet: "Apps"/, /^labels\.hubs: \[\]: must be a list of at least one/],
    ],
    [
      { fleet: 'apps', hubs: ['hub.yaml'] },
      [/^labels\.hubs\[0\]: must be an object with kubeconfig, context, namespace$/],
    ],
    [
      { fleet: 'apps', hubs: [{}, { kubeconfig: 1, namespace: 'A', contxt: 'x' }] },
      [
        /hubs\[1\]\.contxt: unknown key, did you mean "context"\?/,
        /hubs\[1\]\.kubeconfig: 1: must be a text that is not empty$/,
        /hubs\[1\]\.namespace: "A"/,
      ],
    ],
  ])('%j are not', (labels, patterns) => {
    const lines = below('labels', labelsSchema, labels);
    expect(lines).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
  });
});

describe('a sync window', () => {
  const hubs = [{ projects: ['apps'] }];

  test.each([
    [{ name: 'apps', hubs }],
    [{ name: 'shop: apps', hubs, clusters: ['https://*', 'apps-?'], lasts: '10m' }],
    [
      {
        name: 'a',
        hubs: [{ projects: ['a.b'], kubeconfig: 'k', context: 'c', namespace: 'n' }],
        lasts: '168h',
      },
    ],
  ])('%j is fine', (window) => {
    expect(below('syncWindow', shiftSyncWindowSchema, window)).toEqual([]);
  });

  test.each<[unknown, readonly RegExp[]]>([
    ['apps', [/^syncWindow: must be an object with name, hubs, clusters, lasts$/]],
    [{}, [/^syncWindow\.name: is required: /, /^syncWindow\.hubs: is required: a list of at least one hub/]],
    [{ name: 'a\nb', hubs: [] }, [/^syncWindow\.name: /, /^syncWindow\.hubs: \[\]/]],
    [{ name: 'a'.repeat(101), hubs }, [/^syncWindow\.name: .*at most 100/]],
    [
      { name: 'a', hubs, clusters: [], lasts: '9m59s', lsats: '1h' },
      [
        /lsats: unknown key, did you mean "lasts"\?/,
        /\.clusters: \[\]/,
        /\.lasts: "9m59s": must be a duration from 10m to 168h/,
      ],
    ],
    [{ name: 'a', hubs, clusters: [' '], lasts: '169h' }, [/\.clusters\[0\]/, /\.lasts: "169h"/]],
    [{ name: 'a', hubs, lasts: 3600 }, [/\.lasts: 3600/]],
    [
      { name: 'a', hubs: ['hub', {}, { projects: ['No'], namespace: 'A', kubeconfig: 1 }] },
      [
        /hubs\[0\]: must be an object/,
        /hubs\[1\]\.projects: is required: a list of at least one/,
        /hubs\[2\]\.kubeconfig: 1/,
        /hubs\[2\]\.namespace: "A"/,
        /hubs\[2\]\.projects\[0\]: "No"/,
      ],
    ],
  ])('%j is not', (window, patterns) => {
    const lines = below('syncWindow', shiftSyncWindowSchema, window);
    expect(lines).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
  });
});

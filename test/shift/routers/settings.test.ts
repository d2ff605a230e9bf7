import { openRouter, routeProblems, routerNames, routerPermissions } from 'cluster-canary/routers';
import type { RouteSettings, RouterSettings } from 'cluster-canary/routers';
import { InvalidInput, formatProblem as sentence } from 'cluster-canary/validation';
import {
  albListenerArn,
  blueArn,
  greenArn,
  groupArn,
  nlbListenerArn,
  ruleArn,
  targetGroupArns,
} from './arns';
import { routeOf } from './open';

const records = {
  hostedZoneId: 'Z1D633PJN98FT9',
  recordName: 'www.example.com',
  recordType: 'A',
} as const;

const identifiers = { blue: 'apps-blue', green: 'apps-green' };

const onGroups = (router: unknown, groups: object = targetGroupArns) =>
  routeOf(router as RouterSettings, 'targetGroupArn', groups as Record<string, string>);

test.each<[string, RouteSettings]>([
  ['albRule', onGroups({ albRule: { ruleArn } })],
  ['albDefaultAction', onGroups({ albDefaultAction: { listenerArn: albListenerArn } })],
  ['nlbListener', onGroups({ nlbListener: { listenerArn: nlbListenerArn, region: 'eu-west-1' } })],
  ['route53', routeOf({ route53: records }, 'setIdentifier', identifiers)],
])('good settings of %s make a router', (name, route) => {
  expect(routeProblems({ ...route })).toEqual([]);
  expect(routerNames()).toContain(name);
  const router = openRouter(route);
  expect(router.id).not.toBe('');
  expect(Object.keys(router.subject.slots)).toEqual(['blue', 'green']);
});

const six = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [`slot-${number}`, groupArn(number)]));
const elsewhere = blueArn.replace('eu-west-1', 'eu-central-1');
const { slots } = onGroups({});

test.each<[string, unknown, string[]]>([
  ['nothing', { slots }, ['router: nothing: must be a mapping with one of the keys albRule, ']],
  ['a list', { router: [], slots }, ['router: []']],
  ['no key', { router: {}, slots }, ['router: []']],
  ['two keys', { router: { albRule: {}, route53: {} }, slots }, ['router: ["albRule","route53"]']],
  ['an unknown key', { router: { nginx: {} }, slots }, ['router.nginx: must be one of albRule, ']],
  ['a key of every object', { router: { constructor: {} }, slots }, ['router.constructor: must be one of']],
  [
    'no settings',
    onGroups({ albRule: 'x' }),
    ['router.albRule: must be an object with ruleArn, region, roleArn'],
  ],
  [
    'empty settings',
    { router: { albRule: {} }, slots },
    ['router.albRule.ruleArn: is required: the ARN of a rule'],
  ],
  [
    'an unknown setting',
    onGroups({ albRule: { ruleArn, weight: 1 } }),
    ['router.albRule.weight: unknown key; known keys: ruleArn, region, roleArn'],
  ],
  [
    'the ARN of something else',
    onGroups({ albRule: { ruleArn: albListenerArn } }),
    [`router.albRule.ruleArn: "${albListenerArn.slice(0, 40)}`],
  ],
  [
    "another load balancer's listener",
    onGroups({ nlbListener: { listenerArn: albListenerArn } }),
    [`router.nlbListener.listenerArn: "${albListenerArn.slice(0, 40)}`],
  ],
  [
    'one slot',
    onGroups({ albRule: { ruleArn } }, { blue: blueArn }),
    ['slots: ["blue"]: must be a mapping of 2 to 5 slots by name'],
  ],
  [
    'six slots',
    onGroups({ albRule: { ruleArn } }, six),
    ['slots: ["slot-1","slot-2","slot-3","slot-4","slot-5","slot-6"]'],
  ],
  [
    'two slots with one target group',
    onGroups({ albRule: { ruleArn } }, { blue: blueArn, green: blueArn }),
    [`slots.green.targetGroupArn: "${blueArn.slice(0, 40)}`],
  ],
  [
    'a target group elsewhere, and another region',
    onGroups({ albRule: { ruleArn, region: 'eu-central-1' } }, { blue: elsewhere, green: greenArn }),
    [
      'router.albRule.region: "eu-central-1": must be "eu-west-1", as in `ruleArn`, or left out',
      'slots.blue.targetGroupArn: ',
    ],
  ],
  [
    'all of it wrong',
    onGroups({ albRule: { ruleArn: 1, region: 'x', roleArn: 'y' } }, { Blue: 'x', green: null }),
    [
      'slots.Blue: "Blue": must be lower-case',
      'router.albRule.ruleArn: 1',
      'router.albRule.region: "x"',
      'router.albRule.roleArn: "y"',
      'slots.Blue.targetGroupArn: "x"',
      'slots.green.targetGroupArn: null',
    ],
  ],
  [
    'records without anything',
    { router: { route53: {} }, slots: { blue: {}, green: null } },
    [
      'router.route53.hostedZoneId: is required: ',
      'router.route53.recordName: is required: ',
      'router.route53.recordType: is required: ',
      'slots.blue.setIdentifier: is required: ',
      'slots.green.setIdentifier: is required: ',
    ],
  ],
  [
    'records with everything wrong',
    {
      router: {
        route53: { hostedZoneId: 'example.com', recordName: 'www', recordType: ['A', 'TXT', 'A'] },
      },
      slots: { blue: { setIdentifier: 'same' }, green: { setIdentifier: 'same' } },
    },
    [
      'router.route53.hostedZoneId: "example.com"',
      'router.route53.recordName: "www"',
      'router.route53.recordType[1]: "TXT"',
      'router.route53.recordType: ["A","TXT","A"]: must be a type, or a list of different types',
      'slots.green.setIdentifier: "same": must be another than that of the slot "blue"',
    ],
  ],
])('problems of %s', (_, route, expected) => {
  const lines = routeProblems(route as RouteSettings & Record<string, unknown>).map((problem) =>
    sentence(problem),
  );
  expect(lines).toEqual(expected.map((start) => expect.stringMatching(new RegExp(`^${escaped(start)}`))));
  expect(() => openRouter(route as RouteSettings)).toThrow(InvalidInput);
});

test('what a router is opened with has no other keys', () => {
  const route = onGroups({ albRule: { ruleArn } });
  expect(() => openRouter(route, { client: {}, wanted: { blue: '5' }, clock: 'now' } as never)).toThrow(
    [
      'openRouter: 3 problems',
      '  client: unknown key, did you mean "clients"?; known keys: clients, http, secrets, clocks, clock, awaitsPropagation, wanted, instance',
      '  clock: must be a clock',
      '  wanted.blue: "5": must be a weight',
    ].join('\n'),
  );
  expect(() => openRouter({ ...route, slots: { Blue: {}, green: {} }, weights: {} } as never)).toThrow(
    /^route: 4 problems\n {2}weights: unknown key; known keys: router, slots\n {2}slots.Blue: "Blue": must be/,
  );
});

const describing = (action: string) => ({
  Sid: 'ReadWeights',
  Effect: 'Allow',
  Action: [`elasticloadbalancing:${action}`, 'elasticloadbalancing:DescribeTargetGroupAttributes'],
  Resource: '*',
});

test.each<[RouterSettings, object[]]>([
  [
    { albRule: { ruleArn } },
    [
      describing('DescribeRules'),
      {
        Sid: 'WriteWeights',
        Effect: 'Allow',
        Action: ['elasticloadbalancing:ModifyRule'],
        Resource: [ruleArn],
      },
    ],
  ],
  [
    { albDefaultAction: { listenerArn: albListenerArn } },
    [
      describing('DescribeListeners'),
      {
        Sid: 'WriteWeights',
        Effect: 'Allow',
        Action: ['elasticloadbalancing:ModifyListener'],
        Resource: [albListenerArn],
      },
    ],
  ],
  [
    { nlbListener: { listenerArn: nlbListenerArn } },
    [
      describing('DescribeListeners'),
      {
        Sid: 'WriteWeights',
        Effect: 'Allow',
        Action: ['elasticloadbalancing:ModifyListener'],
        Resource: [nlbListenerArn],
      },
    ],
  ],
  [
    {
      route53: { ...records, recordName: '*.Example.com.', recordType: ['A', 'AAAA'], region: 'cn-north-1' },
    },
    [
      {
        Sid: 'ReadWeights',
        Effect: 'Allow',
        Action: ['route53:ListResourceRecordSets'],
        Resource: ['arn:aws-cn:route53:::hostedzone/Z1D633PJN98FT9'],
      },
      {
        Sid: 'WriteWeights',
        Effect: 'Allow',
        Action: ['route53:ChangeResourceRecordSets'],
        Resource: ['arn:aws-cn:route53:::hostedzone/Z1D633PJN98FT9'],
        Condition: {
          'ForAllValues:StringEquals': {
            'route53:ChangeResourceRecordSetsNormalizedRecordNames': ['\\052.example.com'],
            'route53:ChangeResourceRecordSetsRecordTypes': ['A', 'AAAA'],
            'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
          },
        },
      },
      {
        Sid: 'FollowChange',
        Effect: 'Allow',
        Action: ['route53:GetChange'],
        Resource: ['arn:aws-cn:route53:::change/*'],
      },
    ],
  ],
])('the least permissions of %j', (settings, expected) => {
  expect(routerPermissions(settings)).toEqual(expected);
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

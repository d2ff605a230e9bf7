import type { AwsRouterSettings } from 'cluster-canary/routers';
import {
  albDefaultAction,
  albRule,
  awsRouter,
  awsRouterKinds,
  awsRouterProblems,
  awsRouterRights,
  nlbListener,
  route53,
} from 'cluster-canary/routers';
import { InvalidInput } from 'cluster-canary/validation';
import {
  albListenerArn,
  blueArn,
  greenArn,
  groupArn,
  nlbListenerArn,
  ruleArn,
  targetGroupArns,
} from './arns';

const records = {
  hostedZoneId: 'Z1D633PJN98FT9',
  recordName: 'www.example.com',
  recordType: 'A',
  setIdentifiers: { blue: 'apps-blue', green: 'apps-green' },
} as const;

const good: [string, AwsRouterSettings][] = [
  ['albRule', { albRule: { ruleArn, targetGroupArns } }],
  ['albDefaultAction', { albDefaultAction: { listenerArn: albListenerArn, targetGroupArns } }],
  ['nlbListener', { nlbListener: { listenerArn: nlbListenerArn, targetGroupArns, region: 'eu-west-1' } }],
  ['route53', { route53: records }],
];

test.each(good)('good settings of %s make a router', (kind, settings) => {
  expect(awsRouterProblems(settings)).toEqual([]);
  expect(awsRouterKinds).toContain(kind);
  const router = awsRouter(settings);
  expect(router.rights).toEqual(awsRouterRights(settings));
  expect(router.id).not.toBe('');
});

const six = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [`slot-${number}`, groupArn(number)]));
const elsewhere = blueArn.replace('eu-west-1', 'eu-central-1');

test.each<[string, unknown, string[]]>([
  ['nothing', undefined, ['router: nothing']],
  ['a list', [], ['router: []']],
  ['no key', {}, ['router: []']],
  ['two keys', { albRule: {}, route53: {} }, ['router: ["albRule","route53"]']],
  ['an unknown key', { nginx: {} }, ['router: ["nginx"]']],
  ['a key of every object', { constructor: {} }, ['router: ["constructor"]']],
  ['no settings', { albRule: 'x' }, ['albRule: "x"']],
  ['empty settings', { albRule: {} }, ['albRule.ruleArn: nothing', 'albRule.targetGroupArns: nothing']],
  [
    'an unknown setting',
    { albRule: { ruleArn, targetGroupArns, weight: 1 } },
    ['albRule.weight: nothing: must be left out: the keys here are ruleArn'],
  ],
  [
    'the ARN of something else',
    { albRule: { ruleArn: albListenerArn, targetGroupArns } },
    [`albRule.ruleArn: "${albListenerArn.slice(0, 40)}`],
  ],
  [
    "another load balancer's listener",
    { nlbListener: { listenerArn: albListenerArn, targetGroupArns } },
    [`nlbListener.listenerArn: "${albListenerArn.slice(0, 40)}`],
  ],
  [
    'one slot',
    { albRule: { ruleArn, targetGroupArns: { blue: blueArn } } },
    ['albRule.targetGroupArns: ["blue"]: must be a mapping of 2 to 5 slots'],
  ],
  [
    'six slots',
    { albRule: { ruleArn, targetGroupArns: six } },
    ['albRule.targetGroupArns: ["slot-1","slot-2","slot-3","slot-4","slot-5","slot-6"]'],
  ],
  [
    'two slots with one target group',
    { albRule: { ruleArn, targetGroupArns: { blue: blueArn, green: blueArn } } },
    [`albRule.targetGroupArns.green: "${blueArn.slice(0, 40)}`],
  ],
  [
    'a target group elsewhere, and another region',
    { albRule: { ruleArn, targetGroupArns: { blue: elsewhere, green: greenArn }, region: 'eu-central-1' } },
    [
      'albRule.region: "eu-central-1": must be "eu-west-1", as in `ruleArn`, or left out',
      'albRule.targetGroupArns.blue: ',
    ],
  ],
  [
    'all of it wrong',
    { albRule: { ruleArn: 1, targetGroupArns: { Blue: 'x', green: null }, region: 'x', roleArn: 'y' } },
    [
      'albRule.ruleArn: 1',
      'albRule.targetGroupArns: slot name: "Blue"',
      'albRule.targetGroupArns.Blue: "x"',
      'albRule.targetGroupArns.green: null',
      'albRule.region: "x"',
      'albRule.roleArn: "y"',
    ],
  ],
  [
    'records without anything',
    { route53: {} },
    [
      'route53.hostedZoneId: nothing',
      'route53.recordName: nothing',
      'route53.recordType: nothing',
      'route53.setIdentifiers: nothing',
    ],
  ],
  [
    'records with everything wrong',
    {
      route53: {
        ...{ hostedZoneId: 'example.com', recordName: 'www', recordType: ['A', 'TXT', 'A'] },
        setIdentifiers: { blue: 'same', green: 'same' },
      },
    },
    [
      'route53.hostedZoneId: "example.com"',
      'route53.recordName: "www"',
      'route53.recordType: ["A","TXT","A"]: must be a type, or a list of different types',
      'route53.recordType[1]: "TXT"',
      'route53.setIdentifiers.green: "same": must be another than that of the slot "blue"',
    ],
  ],
])('problems of %s', (_, settings, expected) => {
  const lines = awsRouterProblems(settings).map(({ path, value, allowed }) => {
    const given = value === undefined ? 'nothing' : JSON.stringify(value);
    return `${path}: ${given}: must be ${allowed}`;
  });
  expect(lines).toEqual(expected.map((start) => expect.stringMatching(new RegExp(`^${escaped(start)}`))));
  expect(() => awsRouter(settings as AwsRouterSettings)).toThrow(InvalidInput);
});

test('a router made by itself checks its settings, too', () => {
  for (const make of [albRule, albDefaultAction, nlbListener, route53]) {
    expect(() => make({} as never)).toThrow(InvalidInput);
  }
});

const describing = (action: string) => ({
  Sid: 'ReadWeights',
  Effect: 'Allow',
  Action: [`elasticloadbalancing:${action}`, 'elasticloadbalancing:DescribeTargetGroupAttributes'],
  Resource: '*',
});

test.each<[AwsRouterSettings, object[]]>([
  [
    { albRule: { ruleArn, targetGroupArns } },
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
    { albDefaultAction: { listenerArn: albListenerArn, targetGroupArns } },
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
    { nlbListener: { listenerArn: nlbListenerArn, targetGroupArns } },
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
])('the least rights of %j', (settings, expected) => {
  expect(awsRouterRights(settings)).toEqual(expected);
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

import {
  evacuationPermissions,
  evacuationRoles,
  searchedEvacuationPermissions,
} from '../../../lib/shift/evacuate';
import { parsePlan } from '../../../lib/shift/plan-file';
import { groupOf, ruleOf } from './fleet-server';
import { evacuate, request, server, start } from './world';

const slots = `slots:
  blue: { targetGroupArn: "${groupOf('blue')}" }
  green: { targetGroupArn: "${groupOf('green')}" }
`;
const statementsOf = (text: string, role?: string): readonly unknown[] =>
  evacuationPermissions(parsePlan(text, 'plan.yaml'), role).map(({ Sid, Action, Resource, Condition }) =>
    Condition ? [Sid, Action, Resource, Condition] : [Sid, Action, Resource],
  );

test('of a plan: what its weights, the health of its targets and its leases need, and nothing of its checks', () => {
  const plan = `router: { albRule: { ruleArn: "${ruleOf(0)}" } }
${slots}weights: { green: 100 }
shift: { checks: [{ cloudWatch.alarms: { names: [errors] } }] }
`;
  expect(statementsOf(plan)).toEqual([
    ['ReadWeights', ['elasticloadbalancing:DescribeRules'], '*'],
    ['WriteWeights', ['elasticloadbalancing:ModifyRule'], [ruleOf(0)]],
    [
      'HoldLease',
      ['ssm:GetParameter', 'ssm:PutParameter'],
      [
        expect.stringMatching(
          /^arn:aws:ssm:eu-west-1:123456789012:parameter\/cluster-canary\/leases\/[^*]+\*$/,
        ),
      ],
    ],
    ['ReadHealth', ['elasticloadbalancing:DescribeTargetHealth'], '*'],
  ]);
});

test('of records: no right to follow a change, nor to read the health of targets', () => {
  const plan = `router: { route53: { hostedZoneId: Z1D633PJN98FT9, recordName: www.example.com, recordType: A } }
slots: { blue: { setIdentifier: blue }, green: { setIdentifier: green } }
weights: { green: 100 }
lease: none
`;
  const zone = 'arn:aws:route53:::hostedzone/Z1D633PJN98FT9';
  expect(statementsOf(plan)).toEqual([
    ['ReadWeights', ['route53:ListResourceRecordSets'], [zone]],
    [
      'WriteWeights',
      ['route53:ChangeResourceRecordSets'],
      [zone],
      {
        'ForAllValues:StringEquals': {
          'route53:ChangeResourceRecordSetsNormalizedRecordNames': ['www.example.com'],
          'route53:ChangeResourceRecordSetsRecordTypes': ['A'],
          'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
        },
      },
    ],
  ]);
});

test('a role that the plan names has the rights of its routes', () => {
  const role = 'arn:aws:iam::123456789012:role/shifts';
  const plan = `router: { albRule: { ruleArn: "${ruleOf(0)}", roleArn: "${role}" } }
${slots}weights: { green: 100 }
lease: none
`;
  expect(evacuationRoles(parsePlan(plan, 'plan.yaml'))).toEqual([role]);
  expect(statementsOf(plan)).toEqual([['TakeOnRoles', ['sts:AssumeRole', 'sts:TagSession'], [role]]]);
  expect(statementsOf(plan, role)).toEqual([
    ['ReadWeights', ['elasticloadbalancing:DescribeRules'], '*'],
    ['WriteWeights', ['elasticloadbalancing:ModifyRule'], [ruleOf(0)]],
    ['ReadHealth', ['elasticloadbalancing:DescribeTargetHealth'], '*'],
  ]);
});

const elb = 'arn:aws:elasticloadbalancing:eu-west-1:*';
const balancing = [
  [
    'FindRules',
    [
      'elasticloadbalancing:DescribeTargetGroups',
      'elasticloadbalancing:DescribeTags',
      'elasticloadbalancing:DescribeListeners',
      'elasticloadbalancing:DescribeRules',
      'elasticloadbalancing:DescribeTargetHealth',
    ],
    '*',
  ],
  ['WriteRules', ['elasticloadbalancing:ModifyRule'], [`${elb}:listener-rule/app/*`]],
  [
    'WriteListeners',
    ['elasticloadbalancing:ModifyListener'],
    [`${elb}:listener/app/*`, `${elb}:listener/net/*`],
  ],
  [
    'NoteEvacuation',
    ['ssm:GetParameter', 'ssm:PutParameter'],
    ['arn:aws:ssm:eu-west-1:*:parameter/cluster-canary/leases/*'],
  ],
];
const recordRights = (zones: readonly string[]) => [
  ['ReadRecords', ['route53:ListResourceRecordSets'], zones],
  [
    'WriteRecords',
    ['route53:ChangeResourceRecordSets'],
    zones,
    {
      'ForAllValues:StringEquals': {
        'route53:ChangeResourceRecordSetsRecordTypes': ['A', 'AAAA', 'CNAME'],
        'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
      },
    },
  ],
];

test.each<[Parameters<typeof searchedEvacuationPermissions>[0], readonly unknown[]]>([
  [{ region: 'eu-west-1', records: false }, balancing],
  [
    { region: 'eu-west-1' },
    [
      ...balancing,
      ['FindZones', ['route53:ListHostedZones'], '*'],
      ...recordRights(['arn:aws:route53:::hostedzone/*']),
    ],
  ],
  [
    { region: 'eu-west-1', hostedZoneIds: ['/hostedzone/Z1'] },
    [...balancing, ...recordRights(['arn:aws:route53:::hostedzone/Z1'])],
  ],
])('of a search of %j', (scope, expected) => {
  const found = searchedEvacuationPermissions(scope).map(({ Sid, Action, Resource, Condition }) =>
    Condition ? [Sid, Action, Resource, Condition] : [Sid, Action, Resource],
  );
  expect(found).toEqual(expected);
});

test('an evacuation calls what its rights name, and nothing else', async () => {
  await start({
    rules: [
      { blue: 50, green: 50 },
      { blue: 50, green: 50 },
    ],
    healthy: { blue: 1, green: 1 },
    records: ['blue', 'green'].map((slot) => ({
      name: 'www.example.com',
      type: 'A',
      identifier: `apps-${slot}`,
      weight: 1,
    })),
  });
  const allowed = searchedEvacuationPermissions().flatMap(({ Action }) =>
    Action.map((action) => action.replace(/^.*:/, '')),
  );
  expect(await evacuate(request, undefined, { records: true })).toMatchObject({ verdict: 'evacuated' });
  const called = new Set(server.calls.map((call) => call.split(' ')[0]!));
  expect([...called].filter((call) => !allowed.includes(call))).toEqual([]);
  // `ModifyListener` alone is of another kind of route.
  expect(allowed.filter((action) => !called.has(action))).toEqual(['ModifyListener']);
});

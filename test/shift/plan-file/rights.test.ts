import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubernetesLeaseName } from '../../../lib/shift/leases';
import {
  openRoute,
  parsePlan,
  shiftAccess,
  shiftAccessByCluster,
  shiftPermissions,
  shiftRoles,
} from '../../../lib/shift/plan-file';
import { blueArn, greenArn, plainPlan, ruleArn, wavesPlan } from './plans';

const plan = (text: string) => parsePlan(text, 'plan.yaml');
const role = 'arn:aws:iam::210987654321:role/shifts';
const leaseOf = (statement: any): string => statement.Resource[0];

test('a rule, its lease and its checks: statement by statement', () => {
  const rights = shiftPermissions(plan(plainPlan));
  expect(rights).toEqual([
    {
      Sid: 'ReadWeights',
      Effect: 'Allow',
      Action: ['elasticloadbalancing:DescribeRules', 'elasticloadbalancing:DescribeTargetGroupAttributes'],
      Resource: '*',
    },
    {
      Sid: 'WriteWeights',
      Effect: 'Allow',
      Action: ['elasticloadbalancing:ModifyRule'],
      Resource: [ruleArn],
    },
    { Sid: 'RunChecks', Effect: 'Allow', Action: ['cloudwatch:GetMetricData'], Resource: ['*'] },
    {
      Sid: 'HoldLease',
      Effect: 'Allow',
      Action: ['ssm:GetParameter', 'ssm:PutParameter'],
      Resource: [expect.any(String)],
    },
  ]);
  expect(leaseOf(rights[3])).toMatch(
    /^arn:aws:ssm:eu-west-1:123456789012:parameter\/cluster-canary\/leases\/listener-rule-app-edge-[a-z0-9-]+\*$/,
  );
});

test('checks that ask AWS for the same resources are one statement', () => {
  const checks = ['targetHealth: {}', 'capacity: {}', 'cloudWatch.alarms: { names: [edge-5xx] }'];
  const text = plainPlan.replace(
    '  checks:\n',
    `  checks:\n${checks.map((each) => `    - ${each}\n`).join('')}`,
  );
  const found = shiftPermissions(plan(text)).filter(({ Sid }) => Sid.startsWith('RunChecks'));
  expect(found).toEqual([
    {
      Sid: 'RunChecks',
      Effect: 'Allow',
      Action: [
        'elasticloadbalancing:DescribeTargetHealth',
        'cloudwatch:DescribeAlarms',
        'cloudwatch:GetMetricData',
      ],
      Resource: ['*'],
    },
  ]);
});

const elb = 'arn:aws:elasticloadbalancing';
const slots = `{ blue: { targetGroupArn: ${blueArn} }, green: { targetGroupArn: ${greenArn} } }`;
const listener = `${elb}:eu-west-1:123456789012:listener/net/edge/50dc6c495c0c9188/f2f7dc8efc522ab2`;
const several = (lease = '') => `routes:
  rule: { router: { albRule: { ruleArn: '${ruleArn}' } }, slots: ${slots} }
  other: { router: { albRule: { ruleArn: '${ruleArn.replace('9683', '9684')}' } }, slots: ${slots} }
  net: { router: { nlbListener: { listenerArn: '${listener}' } }, slots: ${slots} }
  names:
    router: { route53: { hostedZoneId: Z0123456789ABCDEFGHIJ, recordName: www.example.com, recordType: A, roleArn: '${role}' } }
    slots: { blue: { setIdentifier: blue }, green: { setIdentifier: green } }
weights: { green: 100 }
${lease}`;

test('several routes: each Sid once, rules together, and a role to take on instead of its rights', () => {
  const rights = shiftPermissions(plan(several()));
  const sids = rights.map(({ Sid }) => Sid);
  expect(new Set(sids).size).toBe(sids.length);
  expect(rights.map(({ Sid, Action }) => [Sid, Action.length])).toEqual([
    ['ReadWeights', 2],
    ['WriteWeights', 1],
    ['HoldLease', 2],
    ['ReadWeights2', 2],
    ['WriteWeights2', 1],
    ['TakeOnRoles', 2],
  ]);
  expect(rights[1]!.Resource).toEqual([ruleArn, ruleArn.replace('9683', '9684')]);
  expect(rights[2]!.Resource).toHaveLength(3);
  expect(rights.at(-1)).toEqual({
    Sid: 'TakeOnRoles',
    Effect: 'Allow',
    Action: ['sts:AssumeRole', 'sts:TagSession'],
    Resource: [role],
  });
  expect(JSON.stringify(rights)).not.toContain('route53:');
});

test('the rights of a role that the plan names', () => {
  const rights = shiftPermissions(plan(several()), role);
  expect(rights.map(({ Sid }) => Sid)).toEqual(['ReadWeights', 'WriteWeights', 'FollowChange', 'HoldLease']);
  expect(rights[1]!.Condition).toEqual({ 'ForAllValues:StringEquals': expect.any(Object) });
  // Nobody knows the account of a hosted zone.
  expect(leaseOf(rights[3])).toMatch(/^arn:aws:ssm:[^:]+:\*:parameter\//);
  expect(shiftPermissions(plan(several()), 'arn:aws:iam::210987654321:role/another')).toEqual([]);
});

test('a lease with a region of its own is held by whoever runs the plan', () => {
  const lease = 'lease: { ssm: { region: us-east-1 } }\n';
  expect(shiftPermissions(plan(several(lease)), role).map(({ Sid }) => Sid)).not.toContain('HoldLease');
  const held = shiftPermissions(plan(several(lease))).filter(({ Sid }) => Sid === 'HoldLease');
  expect(held[0]!.Resource).toHaveLength(4);
  for (const arn of held[0]!.Resource) {
    expect(arn).toMatch(/^arn:aws:ssm:us-east-1:(123456789012|\*):/);
  }
});

test.each(['none', '{ kubernetes: { namespace: shifts } }'])('a lease %s needs nothing of SSM', (lease) => {
  expect(JSON.stringify(shiftPermissions(plan(several(`lease: ${lease}\n`))))).not.toContain('ssm:');
});

test('simulated routes need nothing', () => {
  expect(shiftPermissions(plan(wavesPlan))).toEqual([]);
  expect(shiftAccess(plan(wavesPlan))).toEqual([]);
});

test('rights on the API server of the cluster that it runs in: Argo CD, and the Lease', () => {
  const checks = (args: string) => `    - argoApplications: { ${args} }\n`;
  const text = (args: string, lease: string) =>
    `${plainPlan.replace('  checks:\n', `  checks:\n${checks(args)}`)}lease: ${lease}\n`;
  const lists = (resources: string, group: string) => ({
    apiGroups: [group],
    resources: [resources],
    verbs: ['list'],
    namespace: 'argocd',
  });
  expect(shiftAccess(plan(text('', '{ kubernetes: { namespace: shifts } }')))).toEqual([
    lists('applications', 'argoproj.io'),
    lists('secrets', ''),
    lists('appprojects', 'argoproj.io'),
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [kubernetesLeaseName(ruleArn)],
      verbs: ['get', 'update'],
      namespace: 'shifts',
    },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'], namespace: 'shifts' },
  ]);
  const elsewhere = '{ kubernetes: { namespace: shifts, kubeconfig: /etc/kubeconfigs/hub } }';
  expect(shiftAccess(plan(text('kubeconfig: /etc/kubeconfigs/hub', elsewhere)))).toEqual([]);
});

test('rights by cluster: what names another one is not of the one that it runs in', () => {
  const lease = 'lease: { kubernetes: { namespace: shifts, kubeconfig: /etc/kubeconfigs/hub } }\n';
  const window =
    'syncWindow: { name: apps, hubs: [{ projects: [apps], context: a }, { projects: [apps] }] }\n';
  const read = plan(`${plainPlan}${lease}${window}`);
  const found = shiftAccessByCluster(read);
  expect(found.map(({ cluster, rules }) => [cluster, rules.map(({ resources }) => resources[0])])).toEqual([
    [{ kubeconfig: '/etc/kubeconfigs/hub' }, ['leases', 'leases']],
    [{ context: 'a' }, ['appprojects']],
    [{}, ['appprojects']],
  ]);
  expect(shiftAccess(read)).toEqual(found[2]!.rules);
});

test('capacity: rules for each slot’s cluster, for exactly what may be raised', () => {
  const text = (capacity: string) =>
    plan(plainPlan.replace('  checks:', `  capacity: ${capacity}\n  checks:`));
  const found = shiftAccessByCluster(text('{ scale: hpa, services: [{ namespace: shop, name: web }] }'));
  expect(found.map(({ cluster }) => cluster)).toEqual([{ context: 'apps-blue' }, { context: 'apps-green' }]);
  const [{ rules }] = found as [(typeof found)[number]];
  expect(found[1]!.rules).toEqual(rules);
  expect(new Set(rules.map(({ namespace }) => namespace))).toEqual(new Set(['shop']));
  const written = rules.filter(({ verbs }) => verbs.includes('patch'));
  expect(written).toEqual([
    {
      apiGroups: ['autoscaling'],
      resources: ['horizontalpodautoscalers'],
      verbs: ['get', 'list', 'patch'],
      namespace: 'shop',
    },
  ]);
  const own = text('{ kubeconfig: /etc/k, contexts: { green: g } }');
  expect(shiftAccessByCluster(own).map(({ cluster }) => cluster)).toEqual([
    { kubeconfig: '/etc/k', context: 'apps-blue' },
    { kubeconfig: '/etc/k', context: 'g' },
  ]);
  expect(shiftAccess(own)).toEqual([]);
  expect(shiftAccessByCluster(plan(plainPlan))).toEqual([]);
});

test('the roles that a plan names', () => {
  expect(shiftRoles(plan(several()))).toEqual([role]);
  expect(shiftRoles(plan(plainPlan))).toEqual([]);
});

test('each route has the Lease that its shift takes, by name', async () => {
  const read = plan(several('lease: { kubernetes: { namespace: shifts } }\n'));
  const folder = mkdtempSync(join(tmpdir(), 'rights-'));
  const kubeconfig = join(folder, 'config');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'a', user: { token: 'only-for-tests' } }],
    }),
  );
  const elsewhere = { ...read, lease: { kubernetes: { namespace: 'shifts', kubeconfig } } };
  const taken = await Promise.all(
    Object.keys(read.routes).map(async (name) => {
      const route = await openRoute(elsewhere, name);
      route.close();
      return route.lease.name.replace('Lease shifts/', '');
    }),
  );
  rmSync(folder, { recursive: true });
  const named = shiftAccess(read).filter(({ resourceNames }) => resourceNames);
  expect(named.map(({ verbs }) => verbs)).toEqual([['get', 'update']]);
  expect(named[0]!.resourceNames).toEqual(taken);
  expect(new Set(taken).size).toBe(4);
});

test('who may watch needs a status and answers beside each lease', () => {
  const watched = (lease: string) =>
    plan(`${plainPlan.replace(/^lease:.*\n/m, '')}lease: ${lease}\nwatch: true\n`);
  const [, own] = shiftAccess(watched('{ kubernetes: { namespace: shifts } }'));
  const names = shiftAccess(watched('{ kubernetes: { namespace: shifts } }')).flatMap(
    (rule) => rule.resourceNames ?? [],
  );
  expect(names.map((name) => name.replace(/-(?!status|answers).*/, ''))).toEqual([
    'shift',
    'shift-status',
    'shift-answers',
  ]);
  expect(own).toBeDefined();
  const parameters = JSON.stringify(shiftPermissions(watched('{ ssm: { region: eu-west-1 } }')));
  expect(parameters).toContain('/cluster-canary/leases/shift-status-');
  expect(parameters).toContain('/cluster-canary/leases/shift-answers-');
  expect(() => watched('none')).toThrow('lease: "none": must be a lease, or no watch: true');
});

test('a sync window needs its projects, where its hub is the cluster that it runs in', () => {
  const window = (hub: string) => `${plainPlan}syncWindow: { name: apps, hubs: [{ ${hub} }] }\n`;
  expect(shiftAccess(plan(window('projects: [apps], namespace: cd')))).toEqual([
    {
      apiGroups: ['argoproj.io'],
      resources: ['appprojects'],
      resourceNames: ['apps'],
      verbs: ['get', 'patch'],
      namespace: 'cd',
    },
  ]);
  expect(shiftAccess(plan(window('projects: [apps], context: hub')))).toEqual([]);
});

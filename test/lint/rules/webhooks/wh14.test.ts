import { expression, found, leavingOut, messages, rule, webhook } from './manifests';

const pointer = '/webhooks/0/objectSelector';
const elsewhere = { namespaceSelector: leavingOut('kube-system', 'gate-system') };
const apps = (resource: string, group = 'apps', more = {}): string => rule(resource, { group, ...more });

test.each<[string, string, string]>([
  ['deployments', apps('deployments'), 'error'],
  ['services', apps('services', '""'), 'error'],
  ['endpoint slices', apps('endpointslices', 'discovery.k8s.io'), 'error'],
  ['all of a group', apps("'*'"), 'error'],
  ['jobs', apps('jobs', 'batch'), 'warning'],
  ['changes of Ingresses', apps('ingresses', 'networking.k8s.io', { operations: 'UPDATE' }), 'info'],
  ['namespaces', apps('namespaces', '""', { scope: 'Cluster' }), 'info'],
  ['jobs and deployments', apps('jobs, deployments', 'batch, apps'), 'error'],
])('fires: %s outside of two namespaces', (_, rules, severity) => {
  expect(found('WH14', webhook({ rules, ...elsewhere }))).toEqual([`${severity} ${pointer}`]);
});

test('says what it is called for, and what may leave something out', () => {
  const asked = 'webhook gate.example.com (Fail) is called for deployments, and no label opts in';
  expect(messages('WH14', webhook({ rules: apps('deployments') }))).toBe(asked);
  expect(messages('WH14', webhook({ rules: apps('deployments'), ...elsewhere }))).toBe(
    `${asked}; its selectors only leave some out (NotIn, DoesNotExist)`,
  );
  const matchConditions = '[{ name: a, expression: "object.x" }]';
  expect(found('WH14', webhook({ rules: apps('deployments'), matchConditions }))).toEqual([
    `info ${pointer}`,
  ]);
});

test.each<[string, string]>([
  ['Ignore', webhook({ rules: apps('deployments'), failurePolicy: 'Ignore' })],
  [
    'objects that ask for it',
    webhook({ rules: apps('deployments'), objectSelector: '{ matchLabels: { gate: enabled } }' }),
  ],
  [
    'namespaces that ask for it',
    webhook({ rules: apps('deployments'), namespaceSelector: expression('gate', 'Exists') }),
  ],
  [
    'security',
    webhook({ rules: apps('deployments') }, { annotations: '{ cluster-canary/intent: security }' }),
  ],
  ['deletions', webhook({ rules: apps('deployments', 'apps', { operations: 'DELETE' }) })],
  ['a subresource', webhook({ rules: apps('deployments/scale') })],
  ['resources of its own', webhook({ rules: apps('deployments', 'example.com') })],
  ['pods as well, which WH06 says', webhook({ rules: apps('pods, services', '""') })],
])('is silent: %s', (_, yaml) => {
  expect(found('WH14', yaml)).toEqual([]);
});

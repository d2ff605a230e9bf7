import { expression, found, leavingOut, messages, rule, webhook } from './manifests';

const at = '/webhooks/0/namespaceSelector';
const pods = { rules: rule('pods') };
const leases = { rules: rule('leases', { group: 'coordination.k8s.io', operations: 'UPDATE' }) };
const namespace = (labels: string): string =>
  `---\napiVersion: v1\nkind: Namespace\nmetadata: { name: kube-system, labels: ${labels} }\n`;

test.each<[string, string, string]>([
  ['no selector', webhook(pods), 'error'],
  ['a selector that is null', webhook({ ...pods, namespaceSelector: 'null' }), 'error'],
  ['an empty selector', webhook({ ...pods, namespaceSelector: '{}' }), 'error'],
  ['Ignore', webhook({ ...pods, failurePolicy: 'Ignore' }), 'warning'],
  ['other namespaces left out', webhook({ ...pods, namespaceSelector: leavingOut('kube-public') }), 'error'],
  [
    'a namespace that is called by name',
    webhook({ ...pods, namespaceSelector: expression('kubernetes.io/metadata.name', 'In', 'kube-system') }),
    'error',
  ],
  [
    'whatever has a name',
    webhook({ ...pods, namespaceSelector: expression('kubernetes.io/metadata.name', 'Exists') }),
    'error',
  ],
  [
    'a label that its manifest has',
    webhook({ ...pods, namespaceSelector: '{ matchLabels: { team: a } }' }) + namespace('{ team: a }'),
    'error',
  ],
  [
    'a label that its manifest lacks',
    webhook({ ...pods, namespaceSelector: expression('skip', 'DoesNotExist') }) + namespace('{}'),
    'error',
  ],
  [
    'a label that nobody knows of',
    webhook({ ...pods, namespaceSelector: expression('skip', 'DoesNotExist') }),
    'info',
  ],
  [
    'a condition that nobody evaluates',
    webhook({ ...pods, matchConditions: `[{ name: a, expression: "request.namespace != 'kube-system'" }]` }),
    'info',
  ],
  ['services', webhook({ rules: rule('services') }), 'error'],
  ['everything', webhook({ rules: rule('"*"', { group: '"*"' }) }), 'error'],
  ['what is below pods', webhook({ rules: rule('pods/*', { operations: 'UPDATE' }) }), 'error'],
  [
    'an objectSelector that leaves something out',
    webhook({ ...pods, objectSelector: expression('app', 'NotIn', 'gate') }),
    'error',
  ],
  [
    'objects that ask for it, should one of the system do so',
    webhook({ ...pods, objectSelector: '{ matchLabels: { gate: enabled } }' }),
    'info',
  ],
  ['node leases', webhook({ ...leases, namespaceSelector: leavingOut('kube-system') }), 'error'],
])('fires: %s', (_, yaml, severity) => {
  expect(found('WH03', yaml)).toEqual([`${severity} ${at}`]);
});

test.each<[string, string]>([
  [
    'kube-system left out, and nothing but leases is in kube-node-lease',
    webhook({ ...pods, namespaceSelector: leavingOut('kube-system') }),
  ],
  ['both left out', webhook({ ...leases, namespaceSelector: leavingOut('kube-system', 'kube-node-lease') })],
  [
    'namespaces that ask for it',
    webhook({ ...pods, namespaceSelector: '{ matchLabels: { gate: enabled } }' }),
  ],
  [
    'a label that its manifest has',
    webhook({ ...pods, namespaceSelector: expression('skip', 'DoesNotExist') }) +
      namespace('{ skip: yes-please }'),
  ],
  [
    'objects that ask for it, elsewhere',
    webhook({
      ...pods,
      namespaceSelector: leavingOut('kube-system'),
      objectSelector: '{ matchLabels: { gate: enabled } }',
    }),
  ],
  ['an operator’s own resources', webhook({ rules: rule('widgets, pods', { group: 'example.com' }) })],
  ['ingresses', webhook({ rules: rule('ingresses', { group: 'networking.k8s.io' }) })],
  ['what belongs to the cluster', webhook({ rules: rule('nodes, namespaces') })],
  ['pods as if they were of the cluster', webhook({ rules: rule('pods', { scope: 'Cluster' }) })],
  ['connections to pods', webhook({ rules: rule('pods/exec, pods', { operations: 'CONNECT' }) })],
])('is silent: %s', (_, yaml) => {
  expect(found('WH03', yaml)).toEqual([]);
});

test('labels of the cluster’s namespace count where its manifest is not there', () => {
  const yaml = webhook({ ...pods, namespaceSelector: expression('skip', 'DoesNotExist') });
  expect(found('WH03', yaml, { live: namespace('{ skip: "true" }') })).toEqual([]);
  expect(found('WH03', yaml, { live: namespace('{}') })).toEqual([`error ${at}`]);
});

test('names resources and namespaces', () => {
  expect(messages('WH03', webhook(leases))).toBe(
    'webhook gate.example.com (Fail) is called for leases in kube-system and kube-node-lease',
  );
  expect(messages('WH03', webhook({ ...pods, namespaceSelector: expression('skip', 'DoesNotExist') }))).toBe(
    'webhook gate.example.com (Fail) is called for pods in kube-system, unless the namespace kube-system, whose manifest is not here, has a label skip',
  );
});

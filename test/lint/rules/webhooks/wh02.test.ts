import { expression, found, leavingOut, messages, rule, webhook } from './manifests';

const at = '/webhooks/0/rules/0/resources/0';
const leases = { group: 'coordination.k8s.io', operations: 'CREATE, UPDATE' };
const optIn = '{ matchLabels: { a: b } }';
const system = leavingOut('kube-system', 'kube-node-lease');

test.each<[string, Record<string, string>, string]>([
  ['nodes', { rules: rule('nodes', { operations: 'UPDATE' }) }, 'error'],
  ['the state of nodes', { rules: rule('nodes/status', { operations: 'UPDATE' }) }, 'error'],
  ['nodes of every group', { rules: rule('nodes', { group: '"*"' }) }, 'error'],
  ['nodes, whatever the namespaces', { rules: rule('nodes'), namespaceSelector: optIn }, 'error'],
  ['nodes with a label', { rules: rule('nodes'), objectSelector: optIn }, 'warning'],
  ['leases', { rules: rule('leases', leases) }, 'error'],
  [
    'leases of the system',
    { rules: rule('leases', leases), namespaceSelector: leavingOut('kube-system') },
    'error',
  ],
  ['leases of others', { rules: rule('leases', leases), namespaceSelector: system }, 'warning'],
  [
    'certificate requests',
    { rules: rule('certificatesigningrequests', { group: 'certificates.k8s.io' }) },
    'error',
  ],
  ['logins', { rules: rule('tokenreviews', { group: 'authentication.k8s.io' }) }, 'error'],
  ['rights', { rules: rule('subjectaccessreviews', { group: 'authorization.k8s.io' }) }, 'error'],
  ['the scheduling of pods', { rules: rule('pods/binding'), namespaceSelector: system }, 'error'],
  ['all below pods', { rules: rule('pods/*') }, 'error'],
  [
    'the scheduling of pods that ask for it',
    { rules: rule('pods/binding'), namespaceSelector: optIn },
    'warning',
  ],
  [
    'a condition that nobody evaluates',
    {
      rules: rule('nodes'),
      matchConditions: `[{ name: a, expression: "request.userInfo.username != 'x'" }]`,
    },
    'info',
  ],
])('fires: %s', (_, entry, severity) => {
  expect(found('WH02', webhook(entry))).toEqual([`${severity} ${at}`]);
});

test.each<[string, Record<string, string>]>([
  ['Ignore', { rules: rule('nodes'), failurePolicy: 'Ignore' }],
  ['pods', { rules: rule('pods, pods/status') }],
  ['a resource of another group', { rules: rule('nodes, leases', { group: 'example.com' }) }],
  ['nodes as if they were in namespaces', { rules: rule('nodes', { scope: 'Namespaced' }) }],
  ['leases as if they were of the cluster', { rules: rule('leases', { ...leases, scope: 'Cluster' }) }],
  ['a connection to a node', { rules: rule('nodes/proxy', { operations: 'CONNECT' }) }],
  ['everything, which is another rule', { rules: rule('"*"') }],
])('is silent: %s', (_, entry) => {
  expect(found('WH02', webhook(entry))).toEqual([]);
});

test('says that a namespaceSelector does not help', () => {
  const yaml = webhook({ rules: rule('nodes'), namespaceSelector: expression('a', 'Exists') });
  expect(messages('WH02', yaml)).toContain('namespaceSelector has no effect');
  expect(messages('WH02', webhook({ rules: rule('nodes') }))).not.toContain('namespaceSelector');
});

import { expression, found, leavingOut, messages, rule, server, webhook } from './manifests';

const at = '/webhooks/0/namespaceSelector';
const pods = { rules: rule('pods') };
const slices = { rules: rule('endpointslices', { group: 'discovery.k8s.io', operations: 'UPDATE' }) };
const namespace =
  '---\napiVersion: v1\nkind: Namespace\nmetadata: { name: gate-system, labels: { team: a } }\n';

test.each<[string, string, string]>([
  ['no selector', webhook(pods) + server(), 'error'],
  [
    'only the system left out',
    webhook({ ...pods, namespaceSelector: leavingOut('kube-system') }) + server(),
    'error',
  ],
  [
    'a label that its pods have',
    webhook({ ...pods, objectSelector: '{ matchLabels: { app: gate } }' }) + server(),
    'error',
  ],
  [
    'a label that its namespace has',
    webhook({ ...pods, namespaceSelector: '{ matchLabels: { team: a } }' }) + server() + namespace,
    'error',
  ],
  ['what its pods need to be scheduled', webhook({ rules: rule('pods/binding') }) + server(), 'error'],
  [
    'what its pods need to be ready',
    webhook({ rules: rule('pods/status', { operations: 'UPDATE' }) }) + server(),
    'error',
  ],
  [
    'what its Service needs to find them',
    webhook({ rules: rule('endpointslices', { group: 'discovery.k8s.io', operations: 'UPDATE' }) }) +
      server(),
    'error',
  ],
  [
    'its Service, by a label that it has',
    webhook({ ...slices, objectSelector: '{ matchLabels: { app: gate } }' }) +
      server('gate', {
        'name: gate, namespace: gate-system }\nspec:':
          'name: gate, namespace: gate-system, labels: { app: gate } }\nspec:',
      }),
    'error',
  ],
  [
    'a label that the namespace lacks',
    webhook({ ...pods, namespaceSelector: expression('skip', 'NotIn', 'a') }) + server() + namespace,
    'error',
  ],
  ['everything', webhook({ rules: rule('"*"', { group: '"*"' }) }) + server(), 'error'],
  [
    'a label that nobody knows of',
    webhook({ ...pods, namespaceSelector: expression('skip', 'DoesNotExist') }) + server(),
    'info',
  ],
  ['no Service among the objects', webhook(pods), 'info'],
  [
    'pods of an unknown label',
    webhook({ ...pods, objectSelector: expression('skip', 'DoesNotExist') }),
    'info',
  ],
  [
    'a condition that nobody evaluates',
    webhook({ ...pods, matchConditions: '[{ name: a, expression: "object.spec.x" }]' }) + server(),
    'info',
  ],
])('fires: %s', (_, yaml, severity) => {
  expect(found('WH04', yaml)).toEqual([`${severity} ${at}`]);
});

test.each<[string, string]>([
  [
    'its own namespace left out',
    webhook({ ...pods, namespaceSelector: leavingOut('gate-system') }) + server(),
  ],
  [
    'its own pods left out',
    webhook({ ...pods, objectSelector: expression('app', 'NotIn', 'gate') }) + server(),
  ],
  [
    'a label that its pods lack',
    webhook({ ...pods, objectSelector: '{ matchLabels: { gate: enabled } }' }) + server(),
  ],
  [
    'its Service, by a label that its pods have',
    webhook({ ...slices, objectSelector: '{ matchLabels: { app: gate } }' }) + server(),
  ],
  [
    'a binding, which has no labels',
    webhook({ rules: rule('pods/binding'), objectSelector: '{ matchLabels: { app: gate } }' }) + server(),
  ],
  [
    'a label that its pods may have, were they there',
    webhook({ ...pods, objectSelector: '{ matchLabels: { app: gate } }' }),
  ],
  ['Ignore', webhook({ ...pods, failurePolicy: 'Ignore' }) + server()],
  ['pods that are changed', webhook({ rules: rule('pods', { operations: 'UPDATE, DELETE' }) }) + server()],
  ['other resources', webhook({ rules: rule('deployments', { group: 'apps' }) }) + server()],
  [
    'a server outside of the cluster',
    webhook({ ...pods, clientConfig: '{ url: "https://gate.example.com" }' }),
  ],
])('is silent: %s', (_, yaml) => {
  expect(found('WH04', yaml)).toEqual([]);
});

test('says what is missing', () => {
  expect(messages('WH04', webhook(pods))).toContain('its Service gate-system/gate is not here');
  const withoutDeployment = webhook(pods) + server().split('---')[1]!.replace(/^/, '---');
  expect(messages('WH04', withoutDeployment)).toContain('no workload behind its Service gate is here');
  expect(messages('WH04', webhook(pods) + server())).toContain('Deployment gate-system/gate');
});

test('says what may leave it out', () => {
  const namespaceSelector =
    '{ matchExpressions: [{ key: skip, operator: DoesNotExist }, { key: a, operator: NotIn, values: [b] }, { key: kubernetes.io/metadata.name, operator: NotIn, values: [c] }] }';
  const matchConditions = '[{ name: a, expression: "object.spec.x" }]';
  expect(messages('WH04', webhook({ ...pods, namespaceSelector, matchConditions }) + server())).toMatch(
    /included, unless the namespace gate-system, whose manifest is not here, has a label skip, a, or match conditions \(a\), which are not evaluated here, leave it out$/,
  );
  const objectSelector = expression('skip', 'DoesNotExist');
  expect(messages('WH04', webhook({ ...pods, objectSelector }))).toMatch(
    /namespace gate-system, unless labels of the objects, which are not here, leave them out; its Service/,
  );
});

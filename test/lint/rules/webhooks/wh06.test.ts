import { expression, found, leavingOut, messages, rule, server, webhook } from './manifests';

const pods = { rules: rule('pods') };
const security = { annotations: '{ cluster-canary/intent: security }' };
const scoped = { ...pods, namespaceSelector: leavingOut('kube-system', 'gate-system') };
const byObject = '/webhooks/0/objectSelector';
const byNamespace = '/webhooks/0/namespaceSelector';

test.each<[string, string, string[]]>([
  ['no selector', webhook(pods), [`error ${byObject}`]],
  [
    'NotIn alone',
    webhook({ ...pods, namespaceSelector: expression('team', 'NotIn', 'a') }),
    [`error ${byObject}`],
  ],
  [
    'DoesNotExist alone',
    webhook({ ...pods, objectSelector: expression('skip', 'DoesNotExist') }),
    [`error ${byObject}`],
  ],
  [
    'namespaces with a name, which all have',
    webhook({ ...pods, namespaceSelector: expression('kubernetes.io/metadata.name', 'Exists') }),
    [`error ${byObject}`],
  ],
  ['every operation', webhook({ rules: rule('pods', { operations: '"*"' }) }), [`error ${byObject}`]],
  ['everything', webhook({ rules: rule('"*"', { group: '"*"' }) }), [`error ${byObject}`]],
  [
    'an intent that is none',
    webhook(pods, { annotations: '{ cluster-canary/intent: safety }' }),
    [`error ${byObject}`],
  ],
  [
    'a need that nobody has to state',
    webhook(pods, { annotations: '{ cluster-canary/intent: required }' }),
    [`error ${byObject}`],
  ],
  [
    'a condition that nobody evaluates',
    webhook({ ...pods, matchConditions: '[{ name: a, expression: "has(object.metadata.labels)" }]' }),
    [`info ${byObject}`],
  ],
  ['security without a namespaceSelector', webhook(pods, security) + server(), [`warning ${byNamespace}`]],
  [
    'security on one replica',
    webhook(scoped, security) + server('gate', { 'replicas: 2': 'replicas: 1' }),
    [`warning ${byNamespace}`],
  ],
  [
    'security without a budget',
    webhook(scoped, security) +
      server('gate', {
        'maxUnavailable: 1': '',
        'matchLabels: { app: gate }': 'matchLabels: { app: other }',
      }),
    [`warning ${byNamespace}`],
  ],
  ['security on nothing known', webhook(scoped, security), ['info /webhooks/0/clientConfig/service']],
])('fires: %s', (_, yaml, expected) => {
  expect(found('WH06', yaml)).toEqual(expected);
});

test.each([
  ['true', 'error'],
  ['request.dryRun', 'error'],
  ['request.options.x || true', 'error'],
  ['object.spec.x || true', 'info'],
  ["request.userInfo.username != 'a'", 'info'],
  ["request.dryRun || request.userInfo.username != 'a'", 'info'],
  [' ', 'info'],
])('a match condition %s may leave something out or not', (text, severity) => {
  const yaml = webhook({ ...pods, matchConditions: `[{ name: a, expression: ${JSON.stringify(text)} }]` });
  expect(found('WH06', yaml)).toEqual([`${severity} ${byObject}`]);
});

test('says what leaves something out', () => {
  const one = { ...pods, namespaceSelector: expression('team', 'NotIn', 'a') };
  const matchConditions = '[{ name: a, expression: "object.x" }, { name: b, expression: "object.y" }]';
  const asked = 'webhook gate.example.com (Fail) is called for new pods, and no label opts in';
  expect(messages('WH06', webhook(pods))).toBe(asked);
  expect(messages('WH06', webhook(one))).toBe(
    `${asked}; its selectors only leave some out (NotIn, DoesNotExist)`,
  );
  expect(messages('WH06', webhook({ ...pods, matchConditions }))).toBe(
    `${asked}, unless match conditions (a, b), which are not evaluated here, leave it out`,
  );
});

test.each<[string, string]>([
  ['Ignore', webhook({ ...pods, failurePolicy: 'Ignore' })],
  ['objects that ask for it', webhook({ ...pods, objectSelector: '{ matchLabels: { gate: enabled } }' })],
  ['namespaces that ask for it', webhook({ ...pods, namespaceSelector: expression('gate', 'Exists') })],
  [
    'namespaces by name',
    webhook({ ...pods, namespaceSelector: expression('kubernetes.io/metadata.name', 'In', 'shop') }),
  ],
  ['pods that exist', webhook({ rules: rule('pods', { operations: 'UPDATE' }) })],
  ['evictions', webhook({ rules: rule('pods/eviction') })],
  ['other resources', webhook({ rules: rule('pods', { group: 'example.com' }) })],
  ['security with all it needs', webhook(scoped, security) + server()],
  [
    'security outside of the cluster',
    webhook({ ...scoped, clientConfig: '{ url: "https://gate.example.com" }' }, security),
  ],
  [
    'security on every node',
    webhook(scoped, security) +
      server('gate', {
        'kind: Deployment': 'kind: DaemonSet',
        'matchLabels: { app: gate }': 'matchLabels: { app: other }',
      }),
  ],
])('is silent: %s', (_, yaml) => {
  expect(found('WH06', yaml)).toEqual([]);
});

test('names everything that security lacks', () => {
  const bare = server('gate', {
    'replicas: 2': 'replicas: 1',
    'matchLabels: { app: gate }': 'matchLabels: { app: other }',
  });
  expect(messages('WH06', webhook(pods, security) + bare)).toBe(
    'webhook gate.example.com (Fail), declared as security, is called for new pods without a namespaceSelector that leaves namespaces of the system out, and two replicas (it has 1), and a PodDisruptionBudget for Deployment gate-system/gate',
  );
});

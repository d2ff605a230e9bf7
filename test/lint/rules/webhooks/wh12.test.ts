import { found, messages, server, webhook, webhooks } from './manifests';

const service = '/webhooks/0/clientConfig/service';
const own = webhook({});
const labelled = webhook(
  { clientConfig: '{ service: { name: door, namespace: gate-system } }' },
  { labels: '{ app.kubernetes.io/name: gates }' },
);
const budgetOfOthers = { 'matchLabels: { app: gate }': 'matchLabels: { app: other }' };
const autoscaler = (least: string): string => `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: gate, namespace: gate-system }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: gate }${least} }
`;

/** Documents of the server, by position: Service, Deployment, PodDisruptionBudget. */
const part = (...positions: readonly number[]): string =>
  positions.map((each) => `---${server().split('---')[each + 1]!}`).join('');

test.each<[string, string, string[]]>([
  ['no Service here', own, [`info ${service}`]],
  ['no Service here, once for a configuration', webhooks([{}, {}]), [`info ${service}`]],
  ['a Service that is missing beside its Deployment', own + part(1), [`error ${service}`]],
  ['the same with Ignore', webhook({ failurePolicy: 'Ignore' }) + part(1), [`warning ${service}`]],
  [
    'a Service of another name beside the same application',
    labelled +
      server('gate', { 'labels: { app: gate }': 'labels: { app: gate }' }).replace(
        'metadata: { name: gate, namespace: gate-system }\nspec:\n  selector',
        'metadata: { name: gate, namespace: gate-system, labels: { app.kubernetes.io/name: gates } }\nspec:\n  selector',
      ),
    [`error ${service}`],
  ],
  ['a Service without workloads', own + part(0), ['info /spec/selector']],
  [
    'a Service that selects others',
    own + server('gate', { 'selector: { app: gate }': 'selector: { app: door }' }),
    ['error /spec/selector'],
  ],
  [
    'a Service without a selector',
    own + server('gate', { 'selector: { app: gate }': 'type: ClusterIP' }),
    ['info /spec/selector'],
  ],
  [
    'a port that the Service lacks',
    own + server('gate', { 'port: 443': 'port: 8443' }),
    [`error ${service}/port`],
  ],
  [
    'another port than the default',
    webhook({ clientConfig: '{ service: { name: gate, namespace: gate-system, port: 9443 } }' }) + server(),
    [`error ${service}/port`],
  ],
  [
    'a port that no container has',
    own + server('gate', { 'targetPort: https': 'targetPort: webhook' }),
    ['error /spec/ports/0/targetPort'],
  ],
  ['one replica', own + server('gate', { 'replicas: 2': 'replicas: 1' }), ['warning /spec/replicas']],
  [
    'one replica by default',
    own + server('gate', { 'replicas: 2': 'paused: false' }),
    ['warning /spec/replicas'],
  ],
  [
    'an autoscaler that goes down to one',
    own + server() + autoscaler(', minReplicas: 1'),
    ['warning /spec/replicas'],
  ],
  ['an autoscaler that does so by default', own + server() + autoscaler(''), ['warning /spec/replicas']],
  ['no budget', own + part(0, 1), ['warning /spec/template/metadata/labels']],
  [
    'a budget that says no number',
    own + server('gate', { '  maxUnavailable: 1\n': '' }),
    ['warning /spec/maxUnavailable'],
  ],
  ...['maxUnavailable: 0', 'maxUnavailable: 0%'].map((budget): [string, string, string[]] => [
    `a budget that lets no pod go: ${budget}`,
    own + server('gate', { 'maxUnavailable: 1': budget }),
    ['warning /spec/maxUnavailable'],
  ]),
  ...['minAvailable: 100%', 'minAvailable: 2', 'minAvailable: 3', 'minAvailable: 51%'].map(
    (budget): [string, string, string[]] => [
      `a budget that lets no pod go: ${budget} of two`,
      own + server('gate', { 'maxUnavailable: 1': budget }),
      ['warning /spec/minAvailable'],
    ],
  ),
  [
    'a budget that lets no pod go while the autoscaler is down to two',
    own + server('gate', { 'maxUnavailable: 1': 'minAvailable: 2' }) + autoscaler(', minReplicas: 2'),
    ['warning /spec/minAvailable'],
  ],
  [
    'a budget that asks for more than the autoscaler may leave',
    own + server('gate', { 'maxUnavailable: 1': 'minAvailable: 2' }) + autoscaler(', minReplicas: 1'),
    ['warning /spec/replicas', 'warning /spec/minAvailable'],
  ],
  [
    'a rollout that begins without a server',
    own + server('gate', { 'replicas: 2': 'replicas: 2\n  strategy: { type: Recreate }' }),
    ['warning /spec/strategy/type'],
  ],
  ...['{ type: Recreate }', '{ rollingUpdate: { maxUnavailable: 100% } }', '{}'].map(
    (strategy): [string, string, string[]] => [
      `one replica, once, with strategy ${strategy}`,
      own + server('gate', { 'replicas: 2': `replicas: 1\n  strategy: ${strategy}` }),
      ['warning /spec/replicas'],
    ],
  ),
  ...['2', '3', '100%'].map((most): [string, string, string[]] => [
    `a rollout that may end ${most} of two pods at once`,
    own +
      server('gate', {
        'replicas: 2': `replicas: 2\n  strategy: { rollingUpdate: { maxUnavailable: ${most} } }`,
      }),
    ['warning /spec/strategy/rollingUpdate/maxUnavailable'],
  ]),
  ['a budget for others', own + server('gate', budgetOfOthers), ['warning /spec/template/metadata/labels']],
  [
    'no readiness probe',
    own + server('gate', { readinessProbe: 'livenessProbe' }),
    ['warning /spec/template/spec/containers/0/readinessProbe'],
  ],
  [
    'a readiness probe of another container',
    own +
      server('gate', {
        readinessProbe: 'livenessProbe',
        'containers:': 'containers:\n        - { name: proxy, readinessProbe: { exec: { command: [x] } } }',
      }),
    ['warning /spec/template/spec/containers/1/readinessProbe'],
  ],
  ['no address', webhook({ clientConfig: '{}' }), ['error /webhooks/0/clientConfig']],
  [
    'half an address',
    webhook({ clientConfig: '{ service: { name: gate } }' }),
    ['error /webhooks/0/clientConfig'],
  ],
])('fires: %s', (_, yaml, expected) => {
  expect(found('WH12', yaml)).toEqual(expected);
});

test.each<[string, string]>([
  ['all is there', own + server()],
  ['a target by number', own + server('gate', { 'targetPort: https': 'targetPort: 8443' })],
  [
    'a target by number that nobody mentions',
    own + server('gate', { 'targetPort: https': 'targetPort: 9443' }),
  ],
  [
    'an autoscaler that keeps two',
    own + server('gate', { 'replicas: 2': 'paused: false' }) + autoscaler(', minReplicas: 2'),
  ],
  [
    'every node, without a budget',
    own + server('gate', { 'kind: Deployment': 'kind: DaemonSet', ...budgetOfOthers }),
  ],
  ...[
    'minAvailable: 1',
    'minAvailable: 50%',
    'maxUnavailable: 1%',
    'maxUnavailable: "x"',
    'minAvailable: {}',
  ].map((budget): [string, string] => [
    `a budget that lets one of two go: ${budget}`,
    own + server('gate', { 'maxUnavailable: 1': budget }),
  ]),
  [
    'a budget that lets some of these and other pods go',
    own +
      server('gate', { 'maxUnavailable: 1': 'minAvailable: 2', 'matchLabels: { app: gate }': '' }) +
      part(1).replace('name: gate,', 'name: other,').replaceAll('app: gate', 'app: other'),
  ],
  [
    'a budget where it is not known how many pods there are',
    own + server('gate', { 'maxUnavailable: 1': 'minAvailable: 2', 'replicas: 2': 'replicas: many' }),
  ],
  ...[
    'type: RollingUpdate',
    'rollingUpdate: { maxUnavailable: 1 }',
    'rollingUpdate: { maxUnavailable: 99% }',
  ].map((strategy): [string, string] => [
    `a rollout that leaves a pod: ${strategy}`,
    own + server('gate', { 'replicas: 2': `replicas: 2\n  strategy: { ${strategy} }` }),
  ]),
  ['no namespaces in a chart', own + server().replaceAll(', namespace: gate-system', '')],
  ['a server outside of the cluster', webhook({ clientConfig: '{ url: "https://gate.example.com" }' })],
])('is silent: %s', (_, yaml) => {
  expect(found('WH12', yaml)).toEqual([]);
});

/** Others that are called as webhooks are. */
const callers: readonly (readonly [string, string])[] = [
  [
    'the conversion webhook of CustomResourceDefinition gates.example.com',
    `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gates.example.com }
spec:
  conversion:
    strategy: Webhook
    webhook: { clientConfig: { service: { name: gate, namespace: gate-system } } }
`,
  ],
  [
    'APIService v1.example.com',
    `---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1.example.com }
spec: { service: { name: gate, namespace: gate-system } }
`,
  ],
];

test.each(callers)('judges the server behind %s', (called, yaml) => {
  expect(found('WH12', yaml + server())).toEqual([]);
  expect(messages('WH12', yaml + server('gate', { 'replicas: 2': 'replicas: 1' }))).toBe(
    `Deployment gate-system/gate behind ${called} may have only 1 replica`,
  );
  expect(found('WH12', yaml + part(0, 1))).toEqual(['warning /spec/template/metadata/labels']);
  expect(found('WH12', yaml + server('gate', { readinessProbe: 'livenessProbe' }))).toEqual([
    'warning /spec/template/spec/containers/0/readinessProbe',
  ]);
  expect(found('WH12', yaml.replace('strategy: Webhook', 'strategy: None') + part(1))).toHaveLength(
    yaml.includes('strategy') ? 0 : 1,
  );
});

test('another application of the namespace says nothing of the Service', () => {
  const other = part(1).replaceAll('name: gate,', 'name: shop,');
  expect(found('WH12', own + other)).toEqual([`info ${service}`]);
});

test('says a defect once, however many webhooks there are', () => {
  const yaml =
    webhooks([{}, { name: 'other.example.com' }, {}]) + server('gate', { 'replicas: 2': 'replicas: 0' });
  expect(messages('WH12', yaml)).toBe(
    'Deployment gate-system/gate behind webhook gate.example.com (Fail) and 2 more may have only 0 replicas',
  );
});

test('names what is there', () => {
  expect(messages('WH12', own + part(1))).toBe(
    'Service gate-system/gate behind webhook gate.example.com (Fail) is not here, although Deployment gate-system/gate of the same application is',
  );
  expect(messages('WH12', own + server('gate', { 'port: 443': 'port: 8443' }))).toBe(
    'webhook gate.example.com (Fail) calls port 443 of Service gate-system/gate, which has port 8443',
  );
});

describe('what serves behind a Service', () => {
  const lone = server('gate', { 'replicas: 2': 'replicas: 1' });
  const like = (kind: string, metadata = ''): string => {
    const pod = kind === 'Pod';
    const spec = '{ containers: [{ name: a, image: a }] }';
    return `---
apiVersion: ${pod ? 'v1' : kind === 'Job' ? 'batch/v1' : 'apps/v1'}
kind: ${kind}
metadata: { name: other, namespace: gate-system${pod ? ', labels: { app: gate }' : ''}${metadata} }
spec: ${pod ? spec : `{ replicas: 3, template: { metadata: { labels: { app: gate } }, spec: ${spec} } }`}
`;
  };
  const ownedBy = (kind: string, name: string): string =>
    `, ownerReferences: [{ apiVersion: apps/v1, kind: ${kind}, name: ${name}, controller: true }]`;

  test.each<[string, string]>([
    ['a bare Pod', like('Pod')],
    ['a test of Helm', like('Pod', ', annotations: { helm.sh/hook: test }')],
    ['a Job', like('Job')],
    ['a hook of Helm', like('Deployment', ', annotations: { helm.sh/hook: pre-install }')],
    ['a hook of Argo CD', like('Deployment', ', annotations: { argocd.argoproj.io/hook: PreSync }')],
    ['what the Deployment has made', like('ReplicaSet', ownedBy('Deployment', 'gate'))],
  ])('is not %s', (_, other) => {
    expect(found('WH12', own + lone + other)).toEqual(['warning /spec/replicas']);
  });

  test('is another Deployment, and a Pod where there is nothing else', () => {
    expect(found('WH12', own + lone + like('Deployment'))).not.toContain('warning /spec/replicas');
    const bare = part(0) + like('Pod');
    expect(found('WH12', own + bare)).toContain('warning /spec/replicas');
    expect(found('WH12', own + part(0) + like('Job'))).toEqual(['info /spec/selector']);
  });
});

test('pods that several Services lead to are evaluated once, with all that calls them', () => {
  const door = part(0).replaceAll('name: gate,', 'name: door,');
  const text =
    webhooks([
      {},
      { name: 'door.example.com', clientConfig: '{ service: { name: door, namespace: gate-system } }' },
    ]) +
    server('gate', { 'replicas: 2': 'replicas: 1' }) +
    door;
  expect(found('WH12', text)).toEqual(['warning /spec/replicas']);
});

test.each<[string, Record<string, string>, string]>([
  [
    'a budget',
    { 'maxUnavailable: 1': 'minAvailable: 2' },
    'PodDisruptionBudget gate-system/gate, which selects the pods behind webhook gate.example.com (Fail), has minAvailable 2, with replicas 2',
  ],
  [
    'a rollout',
    { 'replicas: 2': 'replicas: 2\n  strategy: { type: Recreate }' },
    'Deployment gate-system/gate behind webhook gate.example.com (Fail) ends all its pods before new ones are ready: type Recreate',
  ],
  [
    'a rollout of one replica',
    { 'replicas: 2': 'replicas: 1\n  strategy: { type: Recreate }' },
    'Deployment gate-system/gate behind webhook gate.example.com (Fail) may have only 1 replica, which each rollout ends before a new one is ready',
  ],
  [
    'one replica',
    { 'replicas: 2': 'replicas: 1' },
    'Deployment gate-system/gate behind webhook gate.example.com (Fail) may have only 1 replica',
  ],
])('says what %s does', (_, replaced, message) => {
  expect(messages('WH12', own + server('gate', replaced))).toBe(message);
});

describe('a Rollout that runs the pods of a Deployment by workloadRef', () => {
  const rollout = (replicas: string): string => `---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: { name: gate-rollout, namespace: gate-system }
spec:
  ${replicas}
  workloadRef: { apiVersion: apps/v1, kind: Deployment, name: gate }
  strategy: { canary: {} }
`;
  const scaledDown = server('gate', { 'replicas: 2': 'replicas: 0' });

  test('its replicas count', () => {
    expect(found('WH12', own + scaledDown + rollout('replicas: 2'))).toEqual([]);
    expect(found('WH12', own + scaledDown + rollout('replicas: 1'))).toEqual(['warning /spec/replicas']);
    expect(found('WH12', own + scaledDown + rollout(''))).toEqual(['warning /spec/replicas']);
    expect(messages('WH12', own + scaledDown + rollout('replicas: 1'))).toBe(
      'Rollout gate-system/gate-rollout behind webhook gate.example.com (Fail) may have only 1 replica',
    );
  });

  test('an autoscaler of the Rollout counts', () => {
    const scaler = autoscaler(', minReplicas: 3').replace(
      'apiVersion: apps/v1, kind: Deployment, name: gate',
      'apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: gate-rollout',
    );
    expect(found('WH12', own + scaledDown + rollout('replicas: 1') + scaler)).toEqual([]);
  });

  test('the strategy of the Deployment does not', () => {
    const recreated = scaledDown.replace('replicas: 0', 'replicas: 0\n  strategy: { type: Recreate }');
    expect(found('WH12', own + recreated + rollout('replicas: 2'))).toEqual([]);
  });

  test('one of another Deployment changes nothing', () => {
    const other = rollout('replicas: 2').replace(
      'kind: Deployment, name: gate',
      'kind: Deployment, name: door',
    );
    expect(found('WH12', own + scaledDown + other)).toEqual(['warning /spec/replicas']);
  });
});

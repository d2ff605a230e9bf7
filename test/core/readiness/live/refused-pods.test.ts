import { refusalOf as clientError } from '../../../../lib/core/kubernetes/errors';
import type { KubernetesError } from '../../../../lib/core/kubernetes/errors';
import { podOf, triedPods } from '../../../../lib/core/readiness/live/pod-templates';
import { refusalOf } from '../../../../lib/core/readiness/live/refusals';
import { judgeTrials } from '../../../../lib/core/readiness/live/refused-pods';

const answer = (status: number, message: string): KubernetesError =>
  clientError(
    'https://new',
    { verb: 'create', resource: 'pods', group: '', namespace: 'shop', name: 'web-dry-run' },
    status,
    JSON.stringify({ kind: 'Status', message, reason: 'X' }),
  );
const forbidden = 'pods "web-dry-run" is forbidden: ';

test.each<[number, string, string, string]>([
  [
    400,
    'admission webhook "gate.example.com" does not support dry run',
    'untried',
    'webhook gate.example.com says that it has side effects: the API server asks it nothing in a dry run',
  ],
  [
    403,
    'pods is forbidden: User "me" cannot create resource "pods" in API group "" in the namespace "shop"',
    'untried',
    'not allowed to create pods there, which a dry run takes as well',
  ],
  [404, 'namespaces "shop" not found', 'namespace', 'namespace shop is missing'],
  [
    403,
    `${forbidden}unable to create new content in namespace shop because it is being terminated`,
    'namespace',
    'namespace shop is being deleted',
  ],
  [
    403,
    `${forbidden}error looking up service account shop/web: serviceaccount "web" not found`,
    'refused',
    'ServiceAccount web is missing',
  ],
  [403, `${forbidden}no PriorityClass with name high was found`, 'refused', 'PriorityClass high is missing'],
  [
    403,
    `${forbidden}pod rejected: RuntimeClass "gvisor" not found`,
    'refused',
    'RuntimeClass gvisor is missing',
  ],
  [
    403,
    `${forbidden}exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0`,
    'refused',
    'ResourceQuota small has no room or wants more of the pod: requested: pods=1, used: pods=0, limited: pods=0',
  ],
  [
    403,
    `${forbidden}failed quota: small: must specify limits.cpu for: main`,
    'refused',
    'ResourceQuota small has no room or wants more of the pod: must specify limits.cpu for: main',
  ],
  [
    403,
    `${forbidden}violates PodSecurity "restricted:latest": runAsNonRoot != true`,
    'refused',
    'Pod Security restricted:latest refuses it: runAsNonRoot != true',
  ],
  [
    400,
    'admission webhook "gate.example.com" denied the request: not signed',
    'refused',
    'webhook gate.example.com refuses it: not signed',
  ],
  [
    500,
    'Internal error occurred: failed calling webhook "gate.example.com": failed to call webhook: Post "https://gate.shop.svc:443/": no endpoints',
    'refused',
    'webhook gate.example.com does not answer, and its failurePolicy is Fail: failed to call webhook: Post "https://gate.shop.svc:443/": no endpoints',
  ],
  [
    422,
    `${forbidden}ValidatingAdmissionPolicy 'signed' with binding 'all' denied request: not signed`,
    'refused',
    'policy signed refuses it: not signed',
  ],
  [
    422,
    'Pod "web-dry-run" is invalid: spec.containers[0].image: Required value',
    'refused',
    'Pod "web-dry-run" is invalid: spec.containers[0].image: Required value',
  ],
  [403, `${forbidden}something else`, 'refused', `${forbidden}something else`],
  [
    403,
    '',
    'untried',
    'https://new: create pods "web-dry-run" in namespace "shop": not allowed (403); it takes a role with verb "create" on resource "pods" of API group ""',
  ],
  [
    500,
    'etcdserver: no leader',
    'untried',
    'https://new: create pods "web-dry-run" in namespace "shop": the server failed (500): etcdserver: no leader',
  ],
  [
    429,
    'too many requests',
    'untried',
    'https://new: create pods "web-dry-run" in namespace "shop": the server asks for fewer calls (429): too many requests',
  ],
])('%s %s', (status, message, what, expected) => {
  expect(refusalOf(answer(status, message))).toMatchObject({ what, message: expected });
});

test('what is said is one line, cut, and repeats no value of the pod that may be a secret', () => {
  const { message } = refusalOf(
    answer(400, `admission webhook "g" denied the request: a\u001b[31m\nb hunter2 ${'x '.repeat(500)}`),
    ['hunter2'],
  );
  expect(message).not.toMatch(/\p{Cc}|hunter2/u);
  expect(message.length).toBeLessThan(360);
});

const template = (image = 'web:1', more: object = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }], ...more },
});
const workload = (kind: string, spec: object, name = 'web', namespace = 'shop') => ({
  ...{ apiVersion: kind === 'CronJob' ? 'batch/v1' : 'apps/v1', kind, metadata: { name, namespace }, spec },
});

test.each([
  ['Deployment', { template: template() }, 'apps/v1 ReplicaSet'],
  ['Rollout', { template: template() }, 'apps/v1 ReplicaSet'],
  ['DaemonSet', { template: template() }, 'apps/v1 DaemonSet'],
  ['StatefulSet', { template: template() }, 'apps/v1 StatefulSet'],
  ['CronJob', { jobTemplate: { spec: { template: template() } } }, 'batch/v1 Job'],
])('the pod of a %s has its template, its namespace and an owner', (kind, spec, owner) => {
  const pod = podOf(workload(kind, spec))!;
  expect(pod).toMatchObject({
    ...{ apiVersion: 'v1', kind: 'Pod', spec: template().spec },
    metadata: { name: 'web-dry-run', namespace: 'shop', labels: { app: 'web' } },
  });
  const [first] = pod.metadata.ownerReferences!;
  expect(`${first!.apiVersion} ${first!.kind}`).toBe(owner);
  expect(first!.uid).not.toBe('');
});

test('a Rollout without a template, and what is no workload, make no pod', () => {
  expect(podOf(workload('Rollout', { workloadRef: {} }))).toBeUndefined();
  expect(podOf(workload('Service', { template: template() }))).toBeUndefined();
});

test('the name of a pod is short enough, and one of DNS', () => {
  const long = podOf(
    workload('Deployment', { template: template() }, `${'a'.repeat(48)}.-${'b'.repeat(100)}`),
  );
  expect(long!.metadata.name).toBe(`${'a'.repeat(48)}-dry-run`);
});

test('claims of a StatefulSet are volumes of its pods, in place of those of the same name', () => {
  const volumes = [
    { name: 'data', emptyDir: {} },
    { name: 'tmp', emptyDir: {} },
  ];
  const pod = podOf(
    workload('StatefulSet', {
      template: template('web:1', { volumes }),
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    }),
  );
  expect(pod).toMatchObject({
    spec: {
      volumes: [
        { name: 'tmp', emptyDir: {} },
        { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
      ],
    },
  });
});

test('workloads with the same pods in one namespace are tried once', () => {
  const all = [
    ...[
      workload('Deployment', { template: template() }, 'a'),
      workload('DaemonSet', { template: template() }, 'b'),
    ],
    workload('Deployment', { template: template() }, 'c', 'other'),
    workload('Deployment', { template: template('web:2') }, 'd'),
  ];
  expect(triedPods(all).map(({ workloads }) => workloads.map(({ metadata }) => metadata.name))).toEqual([
    ['a', 'b'],
    ['c'],
    ['d'],
  ]);
});

test('values that are named like secrets, and long ones, are not repeated', () => {
  const env = [
    ...[
      { name: 'DB_PASSWORD', value: 'abc' },
      { name: 'URL', value: 'postgres://user:pass@db' },
    ],
    ...[
      { name: 'MODE', value: 'production' },
      { name: 'TOKEN', valueFrom: {} },
    ],
  ];
  const spec = { template: template('x', { initContainers: [{ env }] }) };
  expect(triedPods([workload('Deployment', spec)])[0]!.secrets).toEqual(['abc', 'postgres://user:pass@db']);
});

test('findings by template, and one for a missing namespace, whose pods are untried', () => {
  const tried = triedPods([
    ...['a', 'b', 'c'].map((name) => workload('Deployment', { template: template() }, name)),
    ...['lost', 'dry', 'well'].map((name) => workload('Deployment', { template: template() }, 'web', name)),
  ]);
  const [shop, lost, dry, well] = tried as [
    (typeof tried)[0],
    (typeof tried)[0],
    (typeof tried)[0],
    (typeof tried)[0],
  ];
  const { findings, untried } = judgeTrials([
    { pod: shop, refusal: { what: 'refused', message: 'webhook x refuses it: no', fix: 'f' } },
    { pod: lost, refusal: { what: 'namespace', message: 'namespace lost is missing', fix: 'f' } },
    { pod: dry, refusal: { what: 'untried', message: 'webhook y says so', fix: 'f' } },
    { pod: well, refusal: undefined },
  ]);
  expect(findings.map(({ id, severity, message }) => `${id} ${severity} ${message}`)).toEqual([
    'WRK10 error the new cluster refuses pods of Deployment shop/a, Deployment shop/b, Deployment shop/c: webhook x refuses it: no',
    'WRK11 warning namespace lost is missing in the new cluster: pods of 1 workload could not be tried',
  ]);
  expect(untried).toEqual([
    'pods of Deployment lost/web: namespace lost is missing in the new cluster',
    'pods of Deployment dry/web: webhook y says so',
  ]);
});

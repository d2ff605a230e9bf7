import type { KubernetesApi } from '../../../../lib/core/kubernetes/api';
import {
  clientCalls,
  customResources,
  helmReleases,
  liveObjects,
  liveSubjects,
  refusedPods,
  workloads,
} from '../../../../lib/core/readiness/live';
import type { ReadinessQuestion } from '../../../../lib/core/readiness/report';
import { failure } from '../../kubernetes/api-server';
import { FakeCluster, helmSecret, questionOf } from './fake-cluster';

let here: FakeCluster;
let there: FakeCluster;
let clients: { readonly kubernetes: KubernetesApi; readonly newKubernetes: KubernetesApi };
beforeAll(async () => {
  [here, there] = await Promise.all([FakeCluster.start(), FakeCluster.start()]);
});
beforeEach(async () => {
  [here, there].forEach((cluster) => cluster.clear());
  const [kubernetes, newKubernetes] = await Promise.all([here.open(), there.open()]);
  clients = { kubernetes, newKubernetes };
});
afterAll(() => Promise.all([here.stop(), there.stop()]));

const asking = (more: Partial<ReadinessQuestion> = {}): ReadinessQuestion =>
  questionOf({ ...clients, ...more });
const denied = failure(403, 'Forbidden', 'User "me" cannot list resource');

describe.each(liveSubjects.map((subject) => [subject.name, subject] as const))('%s', (_, subject) => {
  test('finds nothing in an empty cluster, and has nothing untried', async () => {
    const { findings, untried, looked } = await subject.inspect(asking());
    expect({ findings, untried }).toEqual({ findings: [], untried: [] });
    expect(looked).not.toBe('');
  });

  test('has passed nothing where everything is denied, and says so', async () => {
    [here, there].forEach((cluster) => (cluster.replies = { '*': denied }));
    const { findings, untried } = await subject.inspect(asking());
    expect(findings).toEqual([]);
    expect(untried.join('\n')).toMatch(/not allowed \(403\)/);
  });

  test.each([
    ['nobody answers', 'unreachable', 'cut' as const],
    ['the credentials are wrong', 'unauthenticated', failure(401, 'Unauthorized', 'no')],
  ])('throws where %s', async (__, reason, reply) => {
    [here, there].forEach((cluster) => cluster.server.script(reply));
    await expect(subject.inspect(asking())).rejects.toMatchObject({ reason });
  });

  test('an abort ends it with its reason', async () => {
    const reason = new Error('enough');
    await expect(subject.inspect(asking({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });

  test('without a cluster, or a client that can ask it, nothing has passed', async () => {
    const reads = { server: 'x', get: () => Promise.reject(new Error()), list: () => Promise.resolve([]) };
    for (const question of [questionOf(), questionOf({ kubernetes: reads, newKubernetes: reads })]) {
      const { findings, untried } = await subject.inspect(question);
      expect(findings).toEqual([]);
      expect(untried).toEqual([expect.stringMatching(/no API server is named|only reads objects/)]);
    }
  });

  test('writes nothing', async () => {
    here.objects = { '/apis/apps/v1/deployments': [deployment('web')] };
    await subject.inspect(asking());
    for (const { method, query } of [...here.server.received, ...there.server.received]) {
      expect([method, query.dryRun]).toEqual(method === 'GET' ? ['GET', undefined] : ['POST', 'All']);
    }
  });
});

const old = {
  manager: 'helm',
  apiVersion: 'policy/v1beta1',
  operation: 'Update',
  time: '2026-01-02T03:04:05Z',
};
const budgets = '/apis/policy/v1/poddisruptionbudgets';
const budget = { metadata: { name: 'web', namespace: 'shop', managedFields: [old] } };
const deployment = (name: string, namespace = 'shop', image = name) => ({
  metadata: { name, namespace },
  spec: { template: { spec: { containers: [{ name: 'main', image }] } } },
});

test('objects: one kind that may not be listed, and one whose server is down, do not keep others from being read', async () => {
  here.objects = {
    [budgets]: [budget],
    '/api/v1/pods': [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
  };
  here.replies = { '/apis/apps/v1/deployments': denied };
  here.withSilent = true;
  const said: string[] = [];
  const report = await liveObjects.inspect(asking({ progress: (line) => said.push(line) }));
  expect(report.findings).toMatchObject([{ id: 'API01', severity: 'warning', object: { name: 'web' } }]);
  expect(report.looked).toBe('3 objects of 9 kinds');
  expect(report.untried).toEqual([
    'metrics.example.com/v1: the server of this API does not answer',
    expect.stringMatching(/^Deployments: .*list deployments\.apps: not allowed \(403\)/),
  ]);
  expect(said[said.length - 1]).toBe('live objects: 3 of 10 of 10 kinds');
});

test('objects whose applied manifest can not be read are untried, by their names', async () => {
  const annotated = (name: string, text: string) => ({
    metadata: {
      ...{
        name,
        namespace: 'shop',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': text },
      },
    },
  });
  here.objects = { [budgets]: [annotated('a', '{'), annotated('b', 'x'), { metadata: { name: 'c' } }] };
  const report = await liveObjects.inspect(asking());
  expect(report.findings).toEqual([]);
  expect(report.untried).toEqual([
    'PodDisruptionBudget of policy/v1: 2 objects with an annotation kubectl.kubernetes.io/last-applied-configuration ' +
      "that can't be read: shop/a, shop/b",
  ]);
});

test('kinds that may not be discovered are untried', async () => {
  here.server.script(({ path }) => (path === '/metrics' ? { text: '' } : denied));
  for (const subject of [liveObjects, clientCalls]) {
    const { findings, untried } = await subject.inspect(asking());
    expect(findings).toEqual([]);
    expect(untried).toEqual([expect.stringMatching(/^kinds: .*get \/apis?: not allowed \(403\)/)]);
  }
});

test('custom resources of kinds that nobody names have passed nothing', async () => {
  here.server.script(({ path }) => (/^\/apis?$/.test(path) ? denied : { json: { metadata: {}, items: [] } }));
  const { untried } = await customResources.inspect(asking());
  expect(untried).toContainEqual(expect.stringMatching(/^kinds: .*get \/apis?: not allowed \(403\)/));
});

test('objects: Secrets and Endpoints are never asked for, and no object with its content', async () => {
  await liveObjects.inspect(asking());
  expect(here.asked.join()).not.toMatch(/secrets|endpoints/);
  const lists = here.server.received.filter(({ query }) => 'limit' in query);
  expect(lists.length).toBeGreaterThan(5);
  expect(lists.every(({ headers }) => /PartialObjectMetadataList/.test(headers.accept!))).toBe(true);
});

test('subjects that are asked the same question share what they have read', async () => {
  const question = asking();
  await Promise.all([
    liveObjects.inspect(question),
    customResources.inspect(question),
    workloads.inspect(question),
  ]);
  expect(here.asked.filter((line) => line === 'GET /apis/batch/v1/cronjobs')).toHaveLength(1);
  expect(here.asked.filter((line) => line.endsWith('/customresourcedefinitions'))).toHaveLength(2);
  const two = [workloads.inspect(question), refusedPods.inspect(question)];
  await Promise.all(two);
  // With its content, and without.
  expect(here.asked.filter((line) => line.endsWith('/deployments'))).toHaveLength(2);
});

test('as many calls are under way as the question says', async () => {
  let [running, most] = [0, 0];
  const count = <Value>(call: () => Promise<Value>): Promise<Value> => {
    running += 1;
    most = Math.max(most, running);
    return call().finally(() => (running -= 1));
  };
  const counted = new Proxy(clients.kubernetes, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' && name !== 'close'
        ? (...args: unknown[]) => count(() => value.apply(target, args) as Promise<unknown>)
        : value;
    },
  });
  await Promise.all(
    liveSubjects.map((each) => each.inspect(asking({ kubernetes: counted, concurrency: 1 }))),
  );
  // Every subject has a question of its own here.
  expect(most).toBeLessThanOrEqual(liveSubjects.length);
  [running, most] = [0, 0];
  const question = asking({ kubernetes: counted, concurrency: 2 });
  await Promise.all(liveSubjects.map((each) => each.inspect(question)));
  expect(most).toBe(2);
});

test('calls: metrics are read, and what is not served is still told', async () => {
  const labels =
    'group="policy",removed_release="1.25",resource="poddisruptionbudgets",subresource="",version="v1beta1"';
  here.metrics = `apiserver_requested_deprecated_apis{${labels}} 1\n`;
  const report = await clientCalls.inspect(asking());
  expect(report.findings).toMatchObject([{ id: 'API05', severity: 'error' }]);
  expect(report.looked).toMatch(/^1 deprecated API called since the start of the API server that answered/);
});

test('definitions: of both clusters, with the Service of a converter', async () => {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const widgets = {
    metadata: { name: 'widgets.example.com' },
    spec: {
      ...{ group: 'example.com', names: { kind: 'Widget' } },
      versions: [
        { name: 'v1', served: true },
        { name: 'v2', served: true },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { service: { namespace: 'shop', name: 'converter' } } },
      },
    },
  };
  here.objects = { [path]: [widgets], [`${path}/widgets.example.com`]: widgets };
  const both = await customResources.inspect(asking());
  expect(both.findings.map(({ id }) => id)).toEqual(['CRD04', 'API03']);
  expect(here.asked).toContain('GET /api/v1/namespaces/shop/services/converter');
  const alone = await customResources.inspect(questionOf({ kubernetes: clients.kubernetes }));
  expect(alone.findings.map(({ id }) => id)).toEqual(['CRD04']);
  expect(alone.untried).toEqual([]);
  there.replies = { [path]: denied };
  const half = await customResources.inspect(asking());
  expect(half.findings.map(({ id }) => id)).toEqual(['CRD04']);
  expect(half.untried).toEqual([expect.stringMatching(/^new cluster: CustomResourceDefinitions: /)]);
});

test('Helm: of each release one record is read; one that is none of Helm is untried', async () => {
  const labels = (name: string, version: string) => ({
    owner: 'helm',
    name,
    version,
    status: name === 'cut' ? 'failed' : 'deployed',
  });
  const record = (name: string, version: string) => ({
    metadata: { name: `${name}.v${version}`, namespace: 'shop', labels: labels(name, version) },
  });
  const secrets = '/api/v1/namespaces/shop/secrets';
  here.objects = {
    '/api/v1/secrets': [
      record('web', '1'),
      record('web', '2'),
      record('odd', '1'),
      record('gone', '1'),
      record('cut', '7'),
      record('huge', '1'),
    ],
    [`${secrets}/web.v2`]: helmSecret(
      'web.v2',
      'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: job}\n---\n- 1\n',
    ),
    [`${secrets}/odd.v1`]: { data: { release: 'x' } },
    [`${secrets}/huge.v1`]: helmSecret('huge.v1', `a: [${'1, '.repeat(100_000)}`),
  };
  const report = await helmReleases.inspect(asking());
  expect(report.findings).toMatchObject([
    { id: 'API01', severity: 'error', seenIn: 'Helm release web in namespace shop', object: { name: 'job' } },
  ]);
  expect(report.untried).toEqual([
    "Helm release web in namespace shop: 1 document of its manifest can't be read",
    'Helm release odd in namespace shop: its record is none of Helm, or too long',
    "Helm release huge in namespace shop: 1 document of its manifest can't be read, 1 of them for being too long",
    'Helm release cut in namespace shop: none of its records is deployed; the newest, of revision 7, is failed',
  ]);
  expect(here.asked.filter((line) => line.includes('/secrets/'))).toHaveLength(4);
  expect(JSON.stringify(report)).not.toContain('hunter2');
  const [list] = here.server.received.filter(({ path }) => path === '/api/v1/secrets');
  expect(list!.query.fieldSelector).toBe('type=helm.sh/release.v1');
});

test('pods: each template is tried once in the new cluster, and what refuses it is told', async () => {
  here.objects = {
    '/apis/apps/v1/deployments': [
      deployment('web'),
      deployment('again', 'shop', 'web'),
      deployment('api', 'lost'),
    ],
  };
  there.replies = {
    '/api/v1/namespaces/shop/pods': failure(
      400,
      'BadRequest',
      'admission webhook "gate.example.com" denied the request: not signed',
    ),
    '/api/v1/namespaces/lost/pods': failure(404, 'NotFound', 'namespaces "lost" not found'),
  };
  const report = await refusedPods.inspect(asking());
  expect(report.looked).toBe('2 pod templates of 3 workloads');
  expect(report.findings.map(({ id, message }) => `${id} ${message}`)).toEqual([
    'WRK10 the new cluster refuses pods of Deployment shop/web, Deployment shop/again: webhook gate.example.com refuses it: not signed',
    'WRK11 namespace lost is missing in the new cluster: pods of 1 workload could not be tried',
  ]);
  expect(report.untried).toEqual([
    'pods of Deployment lost/api: namespace lost is missing in the new cluster',
  ]);
  expect(there.asked.filter((line) => line.startsWith('POST'))).toHaveLength(2);
});

test('pods of a hundred workloads are not tried one by one where the new cluster does not answer', async () => {
  here.objects = {
    '/apis/apps/v1/deployments': Array.from({ length: 100 }, (_, index) => deployment(`web-${index}`)),
  };
  there.server.script('cut');
  await expect(refusedPods.inspect(asking())).rejects.toMatchObject({ reason: 'unreachable' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(there.server.received.length).toBeLessThan(10);
});

test('pods of a cluster that is not named can not be tried', async () => {
  const { untried } = await refusedPods.inspect(questionOf({ newKubernetes: clients.newKubernetes }));
  expect(untried).toEqual(['no pod templates to try: the cluster: no API server is named']);
});

test('what a server says is one line of printable characters', async () => {
  const evil = failure(403, 'Forbidden', '\u001b[31m\nred');
  [here, there].forEach((cluster) => (cluster.replies = { '*': evil }));
  const reports = await Promise.all(liveSubjects.map((each) => each.inspect(asking())));
  for (const line of reports.flatMap(({ untried }) => untried)) {
    expect(line).not.toMatch(/\p{Cc}/u);
  }
});

import type { KubernetesApi } from '../../../lib/core/kubernetes/api';
import { readDiscovery } from '../../../lib/core/kubernetes/discovery';
import { canSurvey } from '../../../lib/core/kubernetes/survey';
import type { Survey } from '../../../lib/core/kubernetes/survey';
import type { Received } from './api-server';
import { ApiServer, failure } from './api-server';

let server: ApiServer;
let api: KubernetesApi & Survey;
beforeAll(async () => {
  server = await ApiServer.start();
  const opened = await server.open({ attempts: 1 });
  if (!canSurvey(opened)) {
    throw new Error('the client asks nothing of a whole cluster');
  }
  api = opened;
});
afterAll(async () => {
  api.close();
  await server.stop();
});

test('a client without one of the calls can not be asked', () => {
  expect(canSurvey({ servedKinds: () => undefined, listMetadata: () => undefined, metrics: 1 })).toBe(false);
});

describe('discovery', () => {
  const resource = (name: string, kind: string, verbs: readonly string[] = ['get', 'list']): object => ({
    resource: name,
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    verbs,
  });
  const aggregated = (items: readonly object[]): object => ({ kind: 'APIGroupDiscoveryList', items });

  test('in one answer: the preferred version first, what can not be listed left out, what is silent named', async () => {
    server.script(({ path }) => ({
      json:
        path === '/api'
          ? aggregated([
              {
                metadata: {},
                versions: [
                  {
                    version: 'v1',
                    resources: [resource('pods', 'Pod'), resource('bindings', 'Binding', ['create'])],
                  },
                ],
              },
            ])
          : aggregated([
              {
                metadata: { name: 'policy' },
                versions: ['v1', 'v1beta1'].map((version) => ({
                  version,
                  resources: [resource('poddisruptionbudgets', 'PodDisruptionBudget')],
                })),
              },
              {
                metadata: { name: 'metrics.k8s.io' },
                versions: [{ version: 'v1beta1', freshness: 'Stale' }],
              },
            ]),
    }));
    const budgets = { kind: 'PodDisruptionBudget', resource: 'poddisruptionbudgets' };
    expect(await api.servedKinds()).toEqual({
      kinds: [
        { apiVersion: 'v1', kind: 'Pod', resource: 'pods' },
        { apiVersion: 'policy/v1', ...budgets },
        { apiVersion: 'policy/v1beta1', ...budgets },
      ],
      silent: ['metrics.k8s.io/v1beta1'],
    });
    expect(server.received).toHaveLength(2);
    expect(server.received[0]!.headers.accept).toMatch(/g=apidiscovery\.k8s\.io;v=v2;/);
  });

  test('by group, of a server that knows no other, whose aggregated API is down', async () => {
    const answers: Readonly<Record<string, object>> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': {
        kind: 'APIGroupList',
        groups: [
          { name: 'apps', versions: [{ groupVersion: 'apps/v1' }] },
          { name: 'metrics.k8s.io', versions: [{ groupVersion: 'metrics.k8s.io/v1beta1' }] },
        ],
      },
      '/apis/apps/v1': {
        kind: 'APIResourceList',
        resources: [
          { name: 'deployments', kind: 'Deployment', verbs: ['list'] },
          { name: 'deployments/status', kind: 'Deployment', verbs: ['get', 'list'] },
        ],
      },
    };
    server.script(({ path }) =>
      answers[path] ? { json: answers[path] } : failure(503, 'ServiceUnavailable', 'service unavailable'),
    );
    const { kinds, silent } = await api.servedKinds();
    expect(kinds).toEqual([{ apiVersion: 'apps/v1', kind: 'Deployment', resource: 'deployments' }]);
    expect(silent).toEqual(['metrics.k8s.io/v1beta1']);
  });

  test('what is no answer of discovery is said, and never taken for a server without kinds', async () => {
    expect([{}, [], null, 'x', { kind: 'Status' }].map(readDiscovery)).toEqual(Array(5).fill(undefined));
    expect(
      readDiscovery({ kind: 'APIGroupDiscoveryList', items: [{ versions: [1, { resources: [{}] }] }] }),
    ).toEqual({
      kinds: [],
      silent: [],
      toAsk: [],
    });
    server.script({ json: { kind: 'Status' } });
    await expect(api.servedKinds()).rejects.toMatchObject({ reason: 'faulty' });
    server.script(failure(403, 'Forbidden', 'no'));
    await expect(api.servedKinds()).rejects.toMatchObject({ reason: 'denied' });
  });
});

describe('objects without their content', () => {
  const page = (names: readonly string[], next = ''): object => ({
    metadata: { continue: next },
    items: names.map((name) => ({ metadata: { name } })),
  });
  const pods = { apiVersion: 'v1', kind: 'Pod' };

  test('pages, of which only what is kept stays', async () => {
    server.script(({ query }) => ({ json: query.continue ? page(['c']) : page(['a', 'b'], 'next') }));
    const kept = await api.listMetadata(pods, ({ apiVersion, kind, metadata }) =>
      metadata.name === 'b' ? undefined : `${apiVersion} ${kind} ${metadata.name}`,
    );
    expect(kept).toEqual(['v1 Pod a', 'v1 Pod c']);
    expect(server.received.every(({ headers }) => /as=PartialObjectMetadataList/.test(headers.accept!))).toBe(
      true,
    );
  });

  test('a list that expires is read anew, and nothing of it is kept twice', async () => {
    server.script(({ query }) =>
      query.continue
        ? failure(410, 'Expired', 'too old')
        : { json: query.limit ? page(['a'], 'next') : page(['a', 'b']) },
    );
    expect(await api.listMetadata(pods, ({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  });
});

test('metrics are text, also where the answer is none; who may not read them is told so', async () => {
  server.script({ text: 'up 1\n' });
  expect(await api.metrics()).toBe('up 1\n');
  expect(server.received[0]).toMatchObject({ method: 'GET', path: '/metrics' });
  server.script(failure(403, 'Forbidden', 'no'));
  await expect(api.metrics()).rejects.toMatchObject({ reason: 'denied' });
});

test('a trial is a dry run, whatever the object says, and is not tried again', async () => {
  server.script(({ body }: Received) => ({ json: body }));
  await api.tryCreate({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } });
  expect(server.received).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/namespaces/shop/pods',
      query: { dryRun: 'All', fieldValidation: 'Ignore' },
    },
  ]);
  server.script(failure(500, 'InternalError', 'failed calling webhook'));
  await expect(
    api.tryCreate({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }),
  ).rejects.toMatchObject({ reason: 'faulty' });
  expect(server.received).toHaveLength(1);
});

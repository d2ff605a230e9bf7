import type { KubernetesApi } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { Received, Reply } from './api-server';
import { ApiServer, failure } from './api-server';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web/1', namespace: 'shop' } };
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } };
const applications = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };

const caught = async (promise: Promise<unknown>): Promise<KubernetesError> => {
  const outcome = await promise.catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(KubernetesError);
  return outcome as KubernetesError;
};

let server: ApiServer;
let api: KubernetesApi;
beforeAll(async () => {
  server = await ApiServer.start();
  api = await server.open();
});
afterAll(async () => {
  api.close();
  await server.stop();
});

describe('calls', () => {
  const calls: [string, (api: KubernetesApi) => Promise<unknown>, Partial<Received>][] = [
    ['get', (a) => a.get(pod), { method: 'GET', path: '/api/v1/namespaces/shop/pods/web%2F1' }],
    [
      'get in the namespace of the context',
      (a) => a.get(secret),
      { method: 'GET', path: '/api/v1/namespaces/apps/secrets/one' },
    ],
    [
      'get of a kind without namespaces',
      (a) => a.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }),
      { path: '/api/v1/namespaces/shop' },
    ],
    [
      'list everywhere',
      (a) => a.list(applications),
      { path: '/apis/argoproj.io/v1alpha1/applications', query: { limit: '500' } },
    ],
    [
      'list by selectors',
      (a) =>
        a.list(applications, {
          namespace: 'argocd',
          labelSelector: 'a=b,c!=d',
          fieldSelector: 'metadata.name=x',
        }),
      {
        path: '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications',
        query: { limit: '500', labelSelector: 'a=b,c!=d', fieldSelector: 'metadata.name=x' },
      },
    ],
    [
      'create',
      (a) => a.create(pod),
      {
        method: 'POST',
        path: '/api/v1/namespaces/shop/pods',
        query: { fieldManager: 'cluster-canary', fieldValidation: 'Strict' },
        body: pod,
      },
    ],
    [
      'replace',
      (a) => a.replace(pod, { fieldManager: 'me', dryRun: true }),
      {
        method: 'PUT',
        path: '/api/v1/namespaces/shop/pods/web%2F1',
        query: { fieldManager: 'me', fieldValidation: 'Strict', dryRun: 'All' },
        body: pod,
      },
    ],
    [
      'apply',
      (a) => a.apply(pod),
      {
        method: 'PATCH',
        query: { fieldManager: 'cluster-canary', fieldValidation: 'Strict', force: 'false' },
        body: pod,
        headers: expect.objectContaining({ 'content-type': 'application/apply-patch+yaml' }) as never,
      },
    ],
    [
      'apply by force',
      (a) => a.apply(pod, { force: true }),
      { query: expect.objectContaining({ force: 'true' }) as never },
    ],
    [
      'patch',
      (a) => a.patch(pod, { metadata: { labels: { x: null } } }),
      {
        method: 'PATCH',
        body: { metadata: { labels: { x: null } } },
        headers: expect.objectContaining({ 'content-type': 'application/merge-patch+json' }) as never,
      },
    ],
    [
      'remove this very object',
      (a) => a.remove(pod, { uid: 'u1', resourceVersion: '7' }),
      {
        method: 'DELETE',
        path: '/api/v1/namespaces/shop/pods/web%2F1',
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
          preconditions: { uid: 'u1', resourceVersion: '7' },
        },
      },
    ],
  ];
  test.each(calls)('%s', async (_name, call, expected) => {
    server.script({ json: { items: [] } });
    await call(api);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({
      ...expected,
      headers: expected.headers ?? expect.objectContaining({ authorization: 'Bearer secret-token' }),
    });
  });

  test('connections are used again', async () => {
    const before = server.connections;
    server.script({ json: {} });
    for (let round = 0; round < 5; round += 1) {
      await api.get(pod);
    }
    expect(server.connections - before).toBeLessThanOrEqual(1);
  });
});

describe('lists', () => {
  test.each([{ items: [] }, { items: null }])('%j is an empty one', async (json) => {
    server.script({ json });
    expect(await api.list(applications)).toEqual([]);
  });

  test.each([{}, { kind: 'Status' }, { items: 'none' }, null, 'none'])(
    '%j is none: nothing is taken for empty',
    async (json) => {
      server.script({ json } as never);
      const error = await caught(api.list(applications));
      expect([error.reason, error.message]).toEqual([
        'faulty',
        expect.stringContaining('list applications.argoproj.io: the answer is no list'),
      ]);
    },
  );

  const paged =
    (pages: number, fail?: (request: Received) => Reply | undefined) =>
    (request: Received): Reply => {
      const page = Number(request.query.continue ?? 0);
      const items = (numbers: number[]) => numbers.map((each) => ({ metadata: { name: `app-${each}` } }));
      if (!request.query.limit) {
        return { json: { items: items([...Array(pages).keys()]), metadata: {} } };
      }
      const more = page + 1 < pages ? { continue: String(page + 1) } : {};
      return fail?.(request) ?? { json: { items: items([page]), metadata: more } };
    };

  test.each([1, 2, 5])('%d pages are read to the end, and every item says what it is', async (pages) => {
    server.script(paged(pages));
    const found = await api.list(applications, { pageSize: 1 });
    expect(found).toEqual(
      [...Array(pages).keys()].map((each) => ({ ...applications, metadata: { name: `app-${each}` } })),
    );
    expect(server.received.map(({ query }) => query.continue)).toEqual([
      undefined,
      ...[...Array(pages).keys()].slice(1).map(String),
    ]);
  });

  test('where the pages expire on the way, the whole is read at once', async () => {
    server.script(
      paged(4, ({ query }) => (query.continue === '2' ? failure(410, 'Expired', 'too old') : undefined)),
    );
    const found = await api.list(applications, { pageSize: 1 });
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['app-0', 'app-1', 'app-2', 'app-3']);
  });

  test('an empty list is an empty list', async () => {
    server.script({ json: { items: null, metadata: {} } });
    expect(await api.list(applications)).toEqual([]);
  });
});

describe('refusals', () => {
  test.each([
    [
      failure(403, 'Forbidden', 'pods is forbidden'),
      'denied',
      /verb "get" on resource "pods" of API group ""/,
    ],
    [failure(404, 'NotFound', 'pods "web" not found'), 'notFound', /get pods "web\/1" in namespace "shop"/],
    [failure(409, 'AlreadyExists', 'x'), 'alreadyExists', /exists already/],
    [failure(409, 'Conflict', 'modified'), 'conflict', /modified/],
    [failure(422, 'Invalid', 'spec.x: Required value'), 'invalid', /Required value/],
    [failure(400, 'BadRequest', 'unknown field "spec.y"'), 'invalid', /unknown field/],
    [failure(501, 'NotImplemented', 'no'), 'faulty', /501/],
    [{ status: 200, text: '<html>' }, 'faulty', /not JSON/],
  ])('%j', async (reply, reason, message) => {
    server.script(reply);
    const error = await caught(api.get(pod));
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(server.url);
    expect(server.received).toHaveLength(1);
  });

  test('a kind that the server does not have', async () => {
    server.script(failure(404, 'NotFound', 'the server could not find the requested resource'));
    const inKnownGroup = { ...applications, kind: 'Nothing' };
    const inUnknownGroup = { apiVersion: 'example.com/v1', kind: 'Thing' };
    for (const kind of [inKnownGroup, inUnknownGroup]) {
      expect(await caught(api.list(kind))).toMatchObject({ reason: 'unsupported', status: 404 });
    }
  });

  test('what a server says of a Secret is not repeated', async () => {
    server.script(
      failure(422, 'Invalid', 'data: Invalid value: "hunter2"', {
        causes: [{ field: 'data[a b]', message: 'hunter2' }],
      }),
    );
    const error = await caught(api.create(secret));
    expect(error.message).not.toContain('hunter2');
    expect(error.message).toContain('data[a b]');
  });
});

describe('tries', () => {
  const flaky =
    (bad: Reply, failures: number) =>
    (_request: Received, number: number): Reply =>
      number <= failures ? bad : { json: { ...pod, spec: {} } };
  const bad: [string, Reply][] = [
    ['429', failure(429, 'TooManyRequests', 'slow down')],
    ['500', failure(500, 'InternalError', 'etcd')],
    ['503', { status: 503, text: 'no endpoints' }],
    ['a cut connection', 'cut'],
  ];

  test.each(bad)('a read is tried again after %s', async (_name, reply) => {
    server.script(flaky(reply, 3));
    expect(await api.get(pod)).toMatchObject({ spec: {} });
    expect(server.received).toHaveLength(4);
    server.script(flaky(reply, 4));
    const error = await caught(api.get(pod));
    expect(['throttled', 'faulty', 'unreachable']).toContain(error.reason);
    expect(server.received).toHaveLength(4);
  });

  test.each(bad)('an apply is tried again after %s', async (_name, reply) => {
    server.script(flaky(reply, 1));
    expect(await api.apply(pod)).toMatchObject({ spec: {} });
  });

  test.each(bad)('a create after %s is tried again only where nothing was begun', async (name, reply) => {
    server.script(flaky(reply, 1));
    const outcome = await api.create(pod).catch((error: unknown) => error);
    expect(server.received).toHaveLength(name === '429' ? 2 : 1);
    expect(outcome instanceof KubernetesError).toBe(name !== '429');
  });

  test('a server that hangs, or trickles, is given up in time', async () => {
    const hasty = await server.open({ timeout: 150, attempts: 2 });
    for (const reply of ['hang', 'trickle'] as const) {
      server.script(reply);
      const error = await caught(hasty.get(pod));
      expect(error).toMatchObject({ reason: 'unreachable' });
      expect(error.message).toMatch(/no answer within 0.15 s \(2 tries\)/);
      expect(server.received).toHaveLength(2);
    }
    hasty.close();
  });

  test('a signal ends a call, a pause and a call that is about to begin', async () => {
    const reason = new Error('enough');
    const during = new AbortController();
    server.script('hang');
    setTimeout(() => during.abort(reason), 20);
    await expect(api.get(pod, during.signal)).rejects.toBe(reason);

    const pausing = new AbortController();
    const patient = await server.open({ pause: 60_000 });
    server.script(failure(503, 'Unavailable', ''));
    setTimeout(() => pausing.abort(reason), 30);
    await expect(patient.get(pod, pausing.signal)).rejects.toBe(reason);
    patient.close();

    server.script({ json: {} });
    await expect(api.list(applications, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.received).toHaveLength(0);
  });
});

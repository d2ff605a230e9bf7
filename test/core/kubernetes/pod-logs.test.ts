import type { KubernetesApi, PodLogs } from '../../../lib/core/kubernetes/api';
import { canReadPodLogs } from '../../../lib/core/kubernetes/api';
import { ApiServer, failure } from './api-server';

let server: ApiServer;
let api: KubernetesApi & PodLogs;
beforeAll(async () => {
  server = await ApiServer.start();
  const opened = await server.open();
  if (!canReadPodLogs(opened)) {
    throw new Error('the client reads no logs');
  }
  api = opened;
});
afterAll(async () => {
  api.close();
  await server.stop();
});

const web = { namespace: 'shop', pod: 'web/1' };

test('a log is text, also where it is no JSON or where it is empty', async () => {
  for (const text of ['time="x" level=error\nline 2\n', '{"level":"info"}\n', '']) {
    server.script({ text });
    expect(await api.podLog(web)).toBe(text);
  }
  expect(server.received[0]).toMatchObject({
    method: 'GET',
    path: '/api/v1/namespaces/shop/pods/web%2F1/log',
    query: {},
  });
  // kubelet answers with text alone.
  expect(server.received[0]!.headers.accept).toBe('*/*');
});

test('limits are the query', async () => {
  server.script({ text: 'x' });
  await api.podLog({
    ...web,
    container: 'main',
    sinceSeconds: 60,
    tailLines: 10,
    limitBytes: 1_000,
    timeout: 100,
  });
  expect(server.received[0]!.query).toEqual({
    container: 'main',
    sinceSeconds: '60',
    tailLines: '10',
    limitBytes: '1000',
  });
});

test('a missing right, a pod that has not started, and one that is gone', async () => {
  server.script(failure(403, 'Forbidden', 'pods "web" is forbidden'));
  await expect(api.podLog(web)).rejects.toMatchObject({
    reason: 'denied',
    message: expect.stringMatching(/verb "get" on resource "pods\/log"/),
  });
  server.script(failure(400, 'BadRequest', 'container "main" in pod "web" is waiting to start'));
  await expect(api.podLog(web)).rejects.toMatchObject({ reason: 'invalid' });
  server.script(failure(404, 'NotFound', 'pods "web" not found'));
  await expect(api.podLog(web)).rejects.toMatchObject({ reason: 'notFound' });
});

test('a kubelet that does not answer is asked again, for so long and no longer', async () => {
  server.script((_request, number) =>
    number < 3 ? failure(500, 'InternalError', 'dial tcp 10.0.0.7:10250: i/o timeout') : { text: 'back' },
  );
  expect(await api.podLog(web)).toBe('back');
  server.script('hang');
  const hasty = await server.open({ attempts: 1 });
  await expect((hasty as KubernetesApi & PodLogs).podLog({ ...web, timeout: 30 })).rejects.toMatchObject({
    reason: 'unreachable',
    message: expect.stringContaining('no answer within 0.03 s'),
  });
  hasty.close();
});

test('a signal ends it', async () => {
  server.script('hang');
  const reason = new Error('enough');
  const abort = new AbortController();
  setTimeout(() => abort.abort(reason), 20);
  await expect(api.podLog({ ...web, signal: abort.signal })).rejects.toBe(reason);
});

import type { PodProxy } from '../../../lib/core/kubernetes/pod-proxy';
import { canProxyPods } from '../../../lib/core/kubernetes/pod-proxy';
import type { KubernetesApi } from '../../../lib/core/kubernetes/api';
import { ApiServer, failure } from './api-server';

let server: ApiServer;
let api: KubernetesApi & PodProxy;
beforeAll(async () => {
  server = await ApiServer.start();
  const opened = await server.open();
  if (!canProxyPods(opened)) {
    throw new Error('the client asks no pods');
  }
  api = opened;
});
afterAll(async () => {
  api.close();
  await server.stop();
});

const dns = { namespace: 'kube-system', pod: 'coredns/1', port: 9153, path: '/metrics' };

test('what a pod answers is text', async () => {
  server.script({ text: 'up 1\n' });
  expect(await api.podProxy(dns)).toBe('up 1\n');
  expect(server.received[0]).toMatchObject({
    method: 'GET',
    path: '/api/v1/namespaces/kube-system/pods/coredns%2F1%3A9153/proxy/metrics',
    query: {},
  });
});

test('it is asked once, and says which right is missing', async () => {
  server.script(failure(503, 'ServiceUnavailable', 'error trying to reach service: dial tcp 10.0.0.1:9153'));
  await expect(api.podProxy(dns)).rejects.toMatchObject({
    reason: 'faulty',
    message: expect.stringMatching(
      /get pods\/proxy "coredns\/1:9153" in namespace "kube-system".*trying to reach/,
    ),
  });
  expect(server.received).toHaveLength(1);
  server.script(failure(403, 'Forbidden', 'no'));
  await expect(api.podProxy(dns)).rejects.toMatchObject({
    reason: 'denied',
    message: expect.stringContaining('verb "get" on resource "pods/proxy"'),
  });
});

test('an answer beyond its limit is none', async () => {
  server.script({ text: 'x'.repeat(5_000) });
  await expect(api.podProxy({ ...dns, longest: 1_000 })).rejects.toMatchObject({ reason: 'faulty' });
});

import { createServer } from 'node:https';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { CertificateAuthority } from './pki';
import { freePort } from './temporary';
import { serviceAddress, serviceWithBackend } from './webhook-server';

/** What a pod is measured to use. */
export interface PodUsage {
  readonly name: string;
  readonly namespace: string;
  /** CPU, in cores. */
  readonly cores: number;
}

const group = 'metrics.k8s.io';
const version = 'v1beta1';
const service = { name: 'pod-metrics', namespace: 'kube-system', port: 443 };

/**
 * Serves `metrics.k8s.io` on a control plane, as metrics-server does, with figures of the test's own; its API server
 * passes on what the autoscaler asks.
 *
 * @param usage asked at every request; label selectors are not looked at, so a namespace has one workload
 * @see https://github.com/kubernetes/metrics/blob/v0.35.4/pkg/apis/metrics/v1beta1/types.go
 */
export async function servePodMetrics(plane: ControlPlane, usage: () => readonly PodUsage[]): Promise<void> {
  const authority = await CertificateAuthority.create('pod-metrics-ca');
  const host = `${service.name}.${service.namespace}.svc`;
  const { certificate: cert, key } = await authority.issue({ name: host, hosts: [host] });
  const port = await freePort();
  const server = createServer({ cert, key }, (incoming, response) => {
    incoming.resume();
    const { pathname } = new URL(incoming.url!, 'https://pod-metrics');
    const isOurs = pathname.startsWith(`/apis/${group}/${version}`);
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isOurs ? JSON.stringify(answer(pathname, usage())) : '{}');
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(port, serviceAddress, done);
  });
  onCleanUp(async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  });
  const apiService = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      ...{ group, version, service },
      ...{ groupPriorityMinimum: 100, versionPriority: 100 },
      caBundle: Buffer.from(authority.certificate).toString('base64'),
    },
  };
  await plane.apply([...serviceWithBackend(service, { address: serviceAddress, port }), apiService]);
  await eventually('metrics of pods', () => plane.api.call('GET', `/apis/${group}/${version}/pods`));
}

function answer(path: string, usage: readonly PodUsage[]): object {
  const [, , , , namespaces, namespace] = path.split('/');
  if (namespaces === undefined) {
    const resource = {
      name: 'pods',
      singularName: '',
      namespaced: true,
      kind: 'PodMetrics',
      verbs: ['list'],
    };
    return {
      ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}` },
      resources: [resource],
    };
  }
  const timestamp = new Date().toISOString();
  return {
    ...{ kind: 'PodMetricsList', apiVersion: `${group}/${version}`, metadata: {} },
    items: usage
      .filter((pod) => namespaces !== 'namespaces' || pod.namespace === namespace)
      .map(({ cores, ...metadata }) => ({
        metadata,
        ...{ timestamp, window: '1s' },
        containers: [{ name: 'web', usage: { cpu: `${Math.round(cores * 1e9)}n`, memory: '1Mi' } }],
      })),
  };
}

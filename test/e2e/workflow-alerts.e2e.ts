import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { Chart, Testing } from 'cdk8s';
import { Workflow, WorkflowAlerts } from '../../lib/manifests/workflows';
import { argoEvents } from './bench/argo-events';
import { argoWorkflows } from './bench/argo-workflows';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import { nats } from './bench/nats';
import { serviceAddress } from './bench/webhook-server';

const [watched, namespace] = ['batch', 'alerts'];

interface Alert {
  readonly authorization?: string;
  readonly body: Record<string, string>;
}

let plane: ControlPlane;

beforeAll(async () => {
  plane = await controlPlane({ name: 'alerts' });
});

/** A server where pods can reach it, which writes down what is posted to it. */
async function receiver(): Promise<{ readonly url: string; readonly alerts: Alert[] }> {
  const alerts: Alert[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { authorization } = request.headers;
      const body = JSON.parse(Buffer.concat(parts).toString());
      alerts.push({ ...(authorization === undefined ? {} : { authorization }), body });
      response.end();
    });
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(0, serviceAddress, done);
  });
  onCleanUp(async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://${serviceAddress}:${(server.address() as AddressInfo).port}/argo`, alerts };
}

test('a step whose pod is refused and the workflow that failed are posted, and nothing of another namespace', async () => {
  const [bus, { url, alerts }, events] = await Promise.all([nats(), receiver(), argoEvents(plane)]);
  await argoWorkflows(plane);
  const chart = new Chart(Testing.app(), 'test');
  new WorkflowAlerts(chart, 'alerts', {
    ...{ name: 'alerts', namespace, workflowNamespace: watched, url: 'https://alerts.example.com' },
    authorization: { secret: 'receiver', key: 'header' },
  });
  // The receiver of this test has no certificate.
  const objects: KubernetesObject[] = JSON.parse(
    JSON.stringify(Testing.synth(chart)).replaceAll('https://alerts.example.com', url),
  );
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await plane.apply([
    ...[watched, 'elsewhere'].map((name) => ({
      ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: restricted } },
    })),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'receiver', namespace } },
      stringData: { header: 'Bearer only-for-tests' },
    },
    {
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'EventBus', metadata: { name: 'default', namespace } },
      spec: { jetstreamExotic: { url: bus.url, streamConfig: 'replicas: 1\n' } },
    },
    ...objects,
  ]);
  await events.run('Sensor', 'alerts', namespace);
  await eventually('the Sensor listens', async () => (await bus.consumers()).length === 2);
  await events.run('EventSource', 'alerts', namespace);
  let probes = 0;
  await eventually(
    'the EventSource watches',
    async () => {
      await plane.api.create(probe((probes += 1)));
      return alerts.length > 0;
    },
    { every: 500 },
  );

  // Pod Security refuses the pods of both: what a user has to patch is tried once.
  const workflows = new Chart(Testing.app(), 'test');
  const container = { image: 'registry.example.com/tool:1', command: ['tool'] };
  for (const within of ['elsewhere', watched]) {
    new Workflow(workflows, within, {
      ...{ name: 'report', namespace: within },
      spec: { entrypoint: 'run', templates: [{ name: 'run', container }] },
    });
  }
  await plane.apply(Testing.synth(workflows));
  const own = await eventually('both alerts', () => {
    const found = alerts.filter(({ body }) => body['workflow'] !== 'probe');
    const isTold = (reason: string): boolean => found.some(({ body }) => body['reason'] === reason);
    return isTold('WorkflowNodeError') && isTold('WorkflowFailed') && found;
  });
  for (const { authorization, body } of own) {
    expect(authorization).toBe('Bearer only-for-tests');
    expect(body).toEqual({
      reason: expect.stringMatching(/^(WorkflowNodeError|WorkflowFailed)$/),
      severity: body['reason'] === 'WorkflowFailed' ? 'critical' : 'warning',
      message: expect.any(String),
      ...{ namespace: watched, workflow: 'report' },
      uid: expect.stringMatching(/^[-0-9a-f]{36}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  }
  const told = own.map(({ body }) => body['message']).join('\n');
  expect(told).toContain('violates PodSecurity');
});

/** An event of a workflow that is not there, without a message and an identity. */
function probe(number: number): KubernetesObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: `probe-${number}`, namespace: watched } },
    ...{ reason: 'WorkflowFailed', type: 'Warning' },
    involvedObject: {
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' },
      ...{ namespace: watched, name: 'probe' },
    },
  };
}

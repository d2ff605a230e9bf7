import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import type { MountedWebhook } from './bench/mounted-webhook';
import { mountedWebhook } from './bench/mounted-webhook';
import { CertificateAuthority } from './bench/pki';
import { countText, PodStream } from './bench/pod-stream';

const service = { name: 'controller-webhook', namespace: 'controller-system' };
const secretName = 'controller-tls';
/** The kubelet's 60 s, scaled down by ten: how much later than the API server a pod has a new certificate. */
const kubeletDelay = 6_000;
const rate = 20;

/** What a chart that makes its own certificates renders: another authority each time, nothing waits for anything. */
async function render(): Promise<KubernetesObject[]> {
  const authority = await CertificateAuthority.create('controller-ca');
  const { certificate, key } = await authority.issue({
    name: service.name,
    hosts: [`${service.name}.${service.namespace}.svc`],
  });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const entry = (name: string, failurePolicy: string, more: object) => ({
    name,
    failurePolicy,
    clientConfig: { service: { ...service, path: '/' }, caBundle: base64(authority.certificate) },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 3,
    ...more,
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: service.namespace } },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'controller' },
      webhooks: [
        entry('every.pods.example.com', 'Fail', {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'batch' } },
        }),
        entry('asked.pods.example.com', 'Fail', {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
          objectSelector: { matchLabels: { 'example.com/inject': 'enabled' } },
        }),
        entry('nice.pods.example.com', 'Ignore', {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
          objectSelector: { matchLabels: { 'example.com/nice': 'enabled' } },
        }),
      ],
    },
    // The kubelet's delay is so much longer that the order of the two does not matter; here it could.
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: secretName, namespace: service.namespace },
      data: { 'tls.crt': base64(certificate), 'tls.key': base64(key) },
    },
  ];
}

let plane: ControlPlane;
let webhook: MountedWebhook;

beforeAll(async () => {
  plane = await controlPlane({ nodes: 1 });
  await plane.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'batch' } },
    ...(await render()),
  ]);
  webhook = await mountedWebhook({ api: plane.api, service, secretName, delays: [kubeletDelay] });
});

test('a render that makes new certificates refuses every pod until the server has read them', async () => {
  const apis = [plane.api];
  const streams = {
    'without a selector': new PodStream({ apis, rate, name: 'batch', namespace: 'batch' }),
    'opted in, Fail': new PodStream({
      apis,
      rate,
      name: 'asked',
      labels: { 'example.com/inject': 'enabled' },
    }),
    'opted in, Ignore': new PodStream({
      apis,
      rate,
      name: 'nice',
      labels: { 'example.com/nice': 'enabled' },
    }),
    'not opted in': new PodStream({ apis, rate, name: 'plain' }),
  };
  await sleep(2_000);
  const refusedBefore = Object.values(streams).map(({ refused }) => refused);
  const callsBefore = webhook.pods[0]!.calls;
  // An Argo CD that renders anew on a quiet day, without any commit.
  const serving = webhook.pods[0]!.serving;
  await plane.apply(await render());
  const applied = Date.now();
  await eventually('read by the pod', () => webhook.pods[0]!.serving !== serving);
  const seconds = (Date.now() - applied) / 1000;
  await sleep(1_000);
  const refusedAfter = Object.values(streams).map(({ refused }) => refused);
  await sleep(1_500);
  const counts = Object.fromEntries(
    await Promise.all(
      Object.entries(streams).map(async ([name, each]) => [name, await each.stop()] as const),
    ),
  );
  process.stdout.write(
    `\nThe outage, with a kubelet that takes ${kubeletDelay / 1000} s in the place of 60 s, at ${rate} pods a second:\n${Object.entries(
      counts,
    )
      .map(([name, count]) => countText(name, count))
      .join('')}`,
  );

  // All was well before it, and is afterwards.
  expect(callsBefore).toBeGreaterThan(0);
  expect(refusedBefore).toEqual([0, 0, 0, 0]);
  const refused = Object.values(counts).map(({ tries, created }) => tries - created);
  expect(refused).toEqual(refusedAfter);
  // Nearly all that were tried in the meantime.
  expect(seconds).toBeGreaterThan((0.9 * kubeletDelay) / 1000);
  for (const each of refused.slice(0, 2)) {
    expect(each).toBeGreaterThan(0.6 * rate * seconds);
  }
  for (const reason of [
    ...counts['without a selector']!.refusals.keys(),
    ...counts['opted in, Fail']!.refusals.keys(),
  ]) {
    expect(reason).toMatch(/failed calling webhook .* x509: certificate signed by unknown authority/);
  }
  // Pods that did not ask, and those for which the webhook is a convenience, were not held up.
  expect(refused.slice(2)).toEqual([0, 0]);
});

import { X509Certificate } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { harden } from '../../lib/lint';
import { loadBalancerChart } from '../lint/hardening/load-balancer-chart';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import type { KeyPair } from './bench/pki';
import type { WebhookServer } from './bench/webhook-server';
import { webhookServer } from './bench/webhook-server';

const namespace = 'kube-system';
const chart = loadBalancerChart({
  enableCertManager: true,
  enableServiceMutatorWebhook: false,
  webhookConfig: { disableIngressValidation: true },
});
const decisions = [{ service: `${namespace}/aws-load-balancer-webhook-service`, timeoutSeconds: 5 }];

/** What a text holds of what matters here: the test's own server takes the place of the chart's. */
const objectsOf = (text: string): KubernetesObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJSON() as KubernetesObject)
    .filter(({ kind }) => !['Deployment', 'Service', 'PodDisruptionBudget'].includes(kind));

const objects = objectsOf(harden(chart, { decisions }).text);
const configurations = objects.filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
const certificate = (name: string): KubernetesObject =>
  objects.find(({ kind, metadata }) => kind === 'Certificate' && metadata.name === name)!;
const [authority, leaf] = [
  certificate('aws-load-balancer-root-cert'),
  certificate('aws-load-balancer-serving-cert'),
];

let plane: ControlPlane;
let server: WebhookServer;
let created = 0;

/** The certificate that is in the Secret of a Certificate. */
async function issued({ spec }: KubernetesObject): Promise<KeyPair> {
  return eventually(`Secret ${spec.secretName}`, async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: spec.secretName, namespace } };
    const data = (await plane.api.find(secret))?.['data'] ?? {};
    const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
    const [found, key] = [text('tls.crt'), text('tls.key')];
    return found !== '' && key !== '' && { certificate: found, key };
  });
}

/** What API servers trust, of every entry, each once. */
async function bundles(): Promise<string[]> {
  const entries = await Promise.all(configurations.map(async (each) => (await plane.api.get(each)).webhooks));
  return [...new Set(entries.flat().map(({ clientConfig }) => clientConfig.caBundle ?? ''))].map((each) =>
    Buffer.from(each, 'base64').toString(),
  );
}

/** Lets cert-manager issue a certificate anew. @returns the new one */
async function renew(object: KubernetesObject): Promise<KeyPair> {
  const before = await issued(object);
  const issuing = {
    type: 'Issuing',
    status: 'True',
    reason: 'ManuallyTriggered',
    message: 'renewed by a test',
    lastTransitionTime: new Date().toISOString(),
  };
  const { conditions } = (await plane.api.get(object)).status;
  await plane.api.patch(
    object,
    { status: { conditions: [...conditions, issuing] } },
    { subresource: 'status' },
  );
  return eventually('renewed', async () => {
    const found = await issued(object);
    return found.certificate !== before.certificate && found;
  });
}

/** Creates pods that a webhook with Fail sees. @returns why some were refused */
async function pods(count: number): Promise<string[]> {
  const refused: string[] = [];
  for (let each = 0; each < count; each += 1) {
    created += 1;
    await plane.api
      .create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `pod-${created}`, namespace: 'quic' },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
      })
      .catch((error: Error) => refused.push(error.message));
  }
  return refused;
}

/** The server closes its connections, and an API server needs a moment to see that it can't write to them any more. */
async function present(keyPair: KeyPair): Promise<void> {
  server.present(keyPair);
  await setTimeout(500);
}

beforeAll(async () => {
  plane = await controlPlane({ nodes: 1, certManager: true });
  const labels = { 'elbv2.k8s.aws/quic-server-id-inject': 'enabled' };
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quic', labels } });
  await plane.apply(objects);
  server = await webhookServer({ keyPair: await issued(leaf) });
  await plane.apply(server.service('aws-load-balancer-webhook-service', namespace));
});

test('what is injected is the certificate of the authority, into every entry', async () => {
  const { certificate: ca } = await issued(authority);
  const found = await eventually('injected', async () => {
    const each = await bundles();
    return !each.includes('') && each;
  });
  expect(found.map((each) => each.trim())).toEqual([ca.trim()]);
  expect(
    new X509Certificate((await issued(leaf)).certificate).verify(new X509Certificate(ca).publicKey),
  ).toBe(true);
  await eventually('asked', async () => (await pods(1)).length === 0);
  expect(server.calls.at(-1)?.path).toBe('/mutate-v1-pod-server-id');
});

test('a renewal of the server certificate changes no bundle, and no pod is refused by either side of it', async () => {
  const before = await bundles();
  const renewed = await renew(leaf);
  expect(await pods(10)).toEqual([]);
  await present(renewed);
  expect(await pods(10)).toEqual([]);
  expect(await bundles()).toEqual(before);
});

test('a renewal of the authority keeps its key: both certificates are taken before and after', async () => {
  const before = await issued(authority);
  const calls = server.calls.length;
  const after = await renew(authority);
  expect(after.key).toBe(before.key);
  expect(await pods(10)).toEqual([]);
  await eventually('injected anew', async () =>
    (await bundles()).every((each) => each.includes(after.certificate)),
  );
  expect(await pods(10)).toEqual([]);
  await present(await renew(leaf));
  expect(await pods(10)).toEqual([]);
  expect(server.calls.length).toBe(calls + 30);
});

test('the chart, rendered and hardened once more, changes nothing', async () => {
  const before = await bundles();
  await plane.apply(objectsOf(harden(chart, { decisions }).text));
  expect(await bundles()).toEqual(before);
  expect(await pods(5)).toEqual([]);
});

test('left as it is, the chart injects from what the server serves, and its authority gets a new key', async () => {
  await plane.apply(objectsOf(chart));
  const before = await issued(authority);
  const after = await renew(authority);
  expect(after.key).not.toBe(before.key);
  // The server's certificate is still of the old key, and so is what its Secret brings along.
  expect((await bundles()).some((each) => each.includes(after.certificate))).toBe(false);
});

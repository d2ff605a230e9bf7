import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { App, Chart, Testing } from 'cdk8s';
import { PodDefaultsChart } from '../../examples/manifests/pod-defaults-chart';
import type { Intent } from '../../lib/core/admission/intent';
import { systemNamespaces } from '../../lib/core/admission/requests';
import { WebhookCertificate } from '../../lib/manifests/certificates';
import { MutatingWebhook, ValidatingWebhook } from '../../lib/manifests/webhooks';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import type { KeyPair } from './bench/pki';
import { CertificateAuthority } from './bench/pki';
import type { WebhookServer } from './bench/webhook-server';
import { webhookServer } from './bench/webhook-server';

const optIn = { 'example.com/gate': 'enabled' };
const service = { name: 'gate', namespace: 'gate-system' };
const pods = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] } as const;

/** The objects of a webhook with its own certificate, and the namespace of its server. */
function webhookObjects(intent: Intent): KubernetesObject[] {
  const chart = new Chart(new App(), intent);
  const props = { name: `${intent}.gate.example.com`, rules: [pods], service };
  const certificate = new WebhookCertificate(chart, 'certificate', { service });
  if (intent === 'security') {
    const server = { podLabels: { app: 'gate' }, replicas: 2 };
    new ValidatingWebhook(chart, 'webhook', { ...props, intent, certificate, server });
  } else {
    new MutatingWebhook(chart, 'webhook', { ...props, intent, certificate, optIn });
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: service.namespace } };
  return [namespace, ...Testing.synth(chart)];
}

const isConfiguration = ({ kind }: KubernetesObject): boolean => /WebhookConfiguration$/.test(kind);

let plane: ControlPlane;
let created = 0;

const pod = (namespace: string, labels: Record<string, string> = {}): KubernetesObject => {
  created += 1;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${created}`, namespace, labels },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
  };
};

/** What becomes of a pod: `created`, or why it was refused. */
async function attempt(namespace: string, labels?: Record<string, string>): Promise<string> {
  return plane.api.create(pod(namespace, labels)).then(
    () => 'created',
    (error: Error) => error.message,
  );
}

/** The certificate authorities that were injected into a webhook configuration. */
async function injected(configuration: KubernetesObject): Promise<string> {
  return eventually('the CA is injected', async () => {
    const { webhooks } = await plane.api.get(configuration);
    const bundle: string | undefined = webhooks[0].clientConfig.caBundle;
    return bundle && Buffer.from(bundle, 'base64').toString();
  });
}

/** The certificate that was issued into a Secret. */
async function issued(name: string, namespace: string): Promise<KeyPair> {
  return eventually(`Secret ${name}`, async () => {
    const found = await plane.api.find({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
    const text = (key: string) => Buffer.from(found?.['data']?.[key] ?? '', 'base64').toString();
    const [certificate, key] = [text('tls.crt'), text('tls.key')];
    return certificate !== '' && key !== '' && { certificate, key };
  });
}

beforeAll(async () => {
  plane = await controlPlane({ nodes: 1, certManager: true });
});

describe('while the server is down', () => {
  const unreachable = /failed calling webhook/;
  let configuration: KubernetesObject;
  const install = async (intent: Intent) => {
    const objects = webhookObjects(intent);
    configuration = objects.find(isConfiguration)!;
    await plane.apply(objects);
    await injected(configuration);
  };
  const spared = [...systemNamespaces, 'cert-manager', service.namespace];
  const inSpared = async (labels: Record<string, string>) =>
    Promise.all(spared.map(async (each) => [each, await attempt(each, labels)]));
  afterEach(() => plane.api.delete(configuration));

  test('a required webhook refuses pods that opted in, and no others', async () => {
    await install('required');
    await eventually('refused', async () => unreachable.test(await attempt('default', optIn)));
    expect(await attempt('default')).toBe('created');
    expect(await attempt('default', { 'example.com/gate': 'disabled' })).toBe('created');
    expect(await attempt('default', optIn)).toMatch(unreachable);
    expect(await inSpared(optIn)).toEqual(spared.map((each) => [each, 'created']));
  });

  test('a security webhook refuses every pod but those that its server and the cluster need', async () => {
    await install('security');
    await eventually('refused', async () => unreachable.test(await attempt('default')));
    expect(await attempt('default', optIn)).toMatch(unreachable);
    expect(await inSpared({})).toEqual(spared.map((each) => [each, 'created']));
    const [budget, ...more] = await plane.api.list('policy/v1', 'PodDisruptionBudget', {
      namespace: service.namespace,
    });
    expect(more).toEqual([]);
    expect(budget!['spec']).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: { app: 'gate' } } });
  });

  test('a Deployment that opted in waits for a required webhook, and comes up with it', async () => {
    await install('required');
    await eventually('refused', async () => unreachable.test(await attempt('default', optIn)));
    const labels = { app: 'waiting', ...optIn };
    const waiting = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'waiting', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'waiting' } },
        template: { metadata: { labels }, spec: pod('default')['spec'] },
      },
    };
    await plane.apply(waiting);
    await eventually('ReplicaFailure', async () => {
      const { status } = await plane.api.get(waiting);
      return (status?.conditions ?? []).some(({ type }: { type: string }) => type === 'ReplicaFailure');
    });
    const server = await webhookServer({ keyPair: await issued('gate-webhook', service.namespace) });
    await plane.apply(server.service(service.name, service.namespace));
    await eventually('ready', async () => (await plane.api.get(waiting)).status?.readyReplicas === 2);
    expect(server.calls.length).toBeGreaterThanOrEqual(2);
    await server.stop();
  });
});

describe("the example's webhook", () => {
  const ask = { 'platform.example.com/pod-defaults': 'enabled' };
  const mark = 'platform.example.com/defaulted';
  let objects: KubernetesObject[];
  let configuration: KubernetesObject;
  let server: WebhookServer;

  /** The annotations of a new pod. */
  const annotations = async (
    namespace: string,
    labels: Record<string, string> = ask,
  ): Promise<Record<string, string>> =>
    (await plane.api.create(pod(namespace, labels)))['metadata'].annotations ?? {};
  const leaf = () => issued('pod-defaults-webhook', 'platform');

  /** Calls the server as an API server would, trusting nobody but this authority. */
  const call = (certificateAuthority: string, servername = 'pod-defaults.platform.svc') =>
    new Promise<number | undefined>((done, fail) => {
      const { address: host, port } = server;
      const body = JSON.stringify({ request: { uid: 'own', object: { metadata: {} } } });
      const outgoing = request(
        { host, port, servername, ca: certificateAuthority, method: 'POST', path: '/mutate', agent: false },
        (response) => {
          response.resume();
          done(response.statusCode);
        },
      );
      outgoing.on('error', fail);
      outgoing.end(body);
    });

  beforeAll(async () => {
    objects = Testing.synth(new PodDefaultsChart(new App(), 'pod-defaults'));
    configuration = objects.find(isConfiguration)!;
    await plane.apply(objects);
    await injected(configuration);
  });

  test('its pods are created while its server is down, whether they opted in or not', async () => {
    for (const namespace of ['default', 'platform', 'kube-system']) {
      expect(await attempt(namespace)).toBe('created');
      expect(await attempt(namespace, ask)).toBe('created');
    }
  });

  test('the injected CA verifies the issued certificate in a real TLS call, and no other name or CA does', async () => {
    server = await webhookServer({
      keyPair: await leaf(),
      answer: ({ object }) => ({
        allowed: true,
        patch: object.metadata.annotations
          ? [{ op: 'add', path: `/metadata/annotations/${mark.replace('/', '~1')}`, value: 'yes' }]
          : [{ op: 'add', path: '/metadata/annotations', value: { [mark]: 'yes' } }],
      }),
    });
    await plane.apply(server.service('pod-defaults', 'platform'));
    const bundle = await injected(configuration);
    expect(await call(bundle)).toBe(200);
    expect(await call(bundle, 'pod-defaults.platform.svc.cluster.local')).toBe(200);
    await expect(call(bundle, 'other.platform.svc')).rejects.toThrow(/altnames/);
    const stranger = await CertificateAuthority.create('stranger');
    await expect(call(stranger.certificate)).rejects.toThrow(/certificate/);
  });

  test('pods that opted in are changed by it, others are not seen by it', async () => {
    await eventually('defaulted', async () => (await annotations('default'))[mark] === 'yes');
    const before = server.calls.length;
    expect(await annotations('default', {})).not.toHaveProperty(mark);
    expect(await annotations('kube-system')).not.toHaveProperty(mark);
    expect(await annotations('platform')).not.toHaveProperty(mark);
    expect(server.calls.length).toBe(before);
    expect(server.calls[before - 1]).toMatchObject({ path: '/mutate', request: { operation: 'CREATE' } });
  });

  test('an API server that does not trust the certificate passes it over', async () => {
    const { certificate, key } = await leaf();
    const stranger = await CertificateAuthority.create('stranger');
    const before = server.calls.length;
    server.present(await stranger.issue({ name: 'pod-defaults', hosts: ['pod-defaults.platform.svc'] }));
    expect(await annotations('default')).not.toHaveProperty(mark);
    expect(server.calls.length).toBe(before);
    server.present({ certificate, key });
    expect(await annotations('default')).toHaveProperty([mark], 'yes');
  });

  test('a renewal of the authority keeps its key: the old certificate is trusted before and after', async () => {
    const authority = objects.find(({ kind, spec }) => kind === 'Certificate' && spec?.isCA === true)!;
    const own = () => issued(authority['spec'].secretName, 'platform');
    const before = await own();
    const issuing = {
      type: 'Issuing',
      status: 'True',
      reason: 'ManuallyTriggered',
      message: 'renewed by a test',
      lastTransitionTime: new Date().toISOString(),
    };
    const { conditions } = (await plane.api.get(authority))['status'];
    await plane.api.patch(
      authority,
      { status: { conditions: [...conditions, issuing] } },
      { subresource: 'status' },
    );
    const after = await eventually('renewed', async () => {
      const found = await own();
      return found.certificate !== before.certificate && found;
    });
    expect(after.key).toBe(before.key);
    const serials = [before, after].map(({ certificate }) => new X509Certificate(certificate).serialNumber);
    expect(new Set(serials).size).toBe(2);

    // The server still has the certificate that was signed before.
    expect(await call(before.certificate)).toBe(200);
    expect(await call(after.certificate)).toBe(200);
    await eventually('injected anew', async () =>
      (await injected(configuration)).includes(after.certificate),
    );
    server.present(await leaf());
    expect(await annotations('default')).toHaveProperty([mark], 'yes');
  });
});

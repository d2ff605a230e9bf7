import type { Server } from 'node:http';
import { createServer } from 'node:https';
import { onCleanUp } from './clean-up';
import type { KubernetesApi, KubernetesObject } from './kubernetes-api';
import type { KeyPair } from './pki';
import { freePort } from './temporary';

/** Addresses of the suite's network namespace that are no loopback ones: a pod each. */
const addresses = ['10.77.0.10', '10.77.0.1'] as const;

/** What pods are like. */
export interface MountedWebhookOptions {
  readonly api: KubernetesApi;
  readonly service: { readonly name: string; readonly namespace: string };
  /** Secret that the pods mount. */
  readonly secretName: string;
  /** How long after a change of the Secret each pod reads it, in milliseconds: the kubelet's delay. At most two pods. */
  readonly delays: readonly number[];
}

/** A pod that serves a webhook with the certificate of a mounted Secret. */
export interface MountedPod {
  /** Certificate that it serves, PEM. */
  readonly serving: string;
  /** How many reviews it answered. */
  readonly calls: number;
}

/** Pods behind a Service that allow everything. */
export interface MountedWebhook {
  readonly pods: readonly MountedPod[];
  readonly objects: readonly KubernetesObject[];
}

/**
 * Starts the pods of a webhook, and makes the Service in front of them. They read the Secret again when it changes, each
 * at its own time, as kubelets do. No connection outlives its call, so each call meets the certificate of its moment, and
 * no call is lost when that changes.
 */
export async function mountedWebhook(options: MountedWebhookOptions): Promise<MountedWebhook> {
  const { api, service, delays } = options;
  const port = await freePort();
  const pods = await Promise.all(
    delays.map(async (delay, index) => {
      const pod = new Pod(options, delay);
      await pod.start(addresses[index]!, port);
      return pod;
    }),
  );
  const objects: KubernetesObject[] = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...service },
      spec: { ports: [{ name: 'https', port: 443, targetPort: port, protocol: 'TCP' }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...service, labels: { 'kubernetes.io/service-name': service.name } },
      addressType: 'IPv4',
      endpoints: delays.map((_, index) => ({
        addresses: [addresses[index]!],
        conditions: { ready: true },
        targetRef: { kind: 'Pod', name: `${service.name}-${index + 1}`, namespace: service.namespace },
      })),
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    },
  ];
  for (const object of objects) {
    await api.apply(object);
  }
  return { pods, objects };
}

class Pod implements MountedPod {
  public serving = '';
  public calls = 0;
  private seen = '';
  private server?: Server & { setSecureContext(context: { cert: string; key: string }): void };

  public constructor(
    private readonly options: MountedWebhookOptions,
    private readonly delay: number,
  ) {}

  public async start(address: string, port: number): Promise<void> {
    const { certificate, key } = await this.mounted();
    [this.serving, this.seen] = [certificate, certificate];
    const server = createServer({ cert: certificate, key }, (incoming, response) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('end', () => {
        this.calls += 1;
        const { apiVersion, kind, request } = JSON.parse(Buffer.concat(parts).toString());
        response.setHeader('connection', 'close').setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ apiVersion, kind, response: { uid: request.uid, allowed: true } }));
      });
    });
    await new Promise<void>((done, fail) => {
      server.once('error', fail).listen(port, address, done);
    });
    this.server = server;
    const timer = setInterval(() => void this.look().catch(() => undefined), 200);
    onCleanUp(() => {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
    });
  }

  private async look(): Promise<void> {
    const { certificate, key } = await this.mounted();
    if (certificate === this.seen) {
      return;
    }
    this.seen = certificate;
    setTimeout(() => {
      this.serving = certificate;
      this.server?.setSecureContext({ cert: certificate, key });
    }, this.delay);
  }

  private async mounted(): Promise<KeyPair> {
    const { api, service, secretName: name } = this.options;
    const secret = await api.get({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: service.namespace },
    });
    const text = (key: string) => Buffer.from(secret['data'][key], 'base64').toString();
    return { certificate: text('tls.crt'), key: text('tls.key') };
  }
}

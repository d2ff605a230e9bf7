import type { KubernetesObject, KubernetesReader } from '../../../lib/core/kubernetes/api';
import type { KubernetesError } from '../../../lib/core/kubernetes/errors';

/** A node that renews its Lease, in seconds. */
export interface Kubelet {
  readonly name: string;
  /** How far its clock is ahead. */
  readonly skew: number;
  /** When it renews first. @default 0 */
  readonly phase?: number;
  /** Between two renewals. @default 10.2 - kubelet's 10 s and some jitter */
  readonly every?: number;
  /** How long the write of each renewal takes, the last one for all further ones. @default [0.02] */
  readonly latency?: readonly number[];
  /** When it renews last. @default - never */
  readonly until?: number;
  /** Set to no entries where the server does not say who wrote. @default - one entry of kubelet's */
  readonly managedFields?: unknown;
}

const start = Date.parse('2026-11-21T12:00:00Z');

/** Nodes of a cluster, with a clock of their own that passes only while somebody waits. */
export class Kubelets implements KubernetesReader {
  public readonly server = 'https://api.example.com';
  public pods: KubernetesObject[] = [];
  public lists = 0;
  /** Identity of the Leases. */
  public uid = 'lease';
  /** What a list of a kind fails with. */
  public failures: Readonly<Record<string, KubernetesError>> = {};
  private seconds = 0;

  /** @param fraction of a second that the API server's clock is past a whole one at the beginning */
  public constructor(
    private readonly kubelets: readonly Kubelet[],
    private readonly fraction = 0,
  ) {}

  public readonly elapsed = (): number => this.seconds * 1000;
  public readonly wait = (milliseconds: number): Promise<void> => {
    this.seconds += milliseconds / 1000;
    return Promise.resolve();
  };

  public get({ kind, metadata }: { kind: string; metadata: { name: string } }): Promise<KubernetesObject> {
    const failure = this.failures[kind];
    return failure
      ? Promise.reject(failure)
      : Promise.resolve({ apiVersion: 'v1', kind, metadata: { name: metadata.name } });
  }

  public list({ kind }: { kind: string }): Promise<readonly KubernetesObject[]> {
    this.lists += 1;
    const failure = this.failures[kind];
    if (failure) {
      return Promise.reject(failure);
    }
    return Promise.resolve(kind === 'Pod' ? this.pods : this.kubelets.flatMap((each) => this.lease(each)));
  }

  private lease(kubelet: Kubelet): KubernetesObject[] {
    const { name, skew, phase = 0, every = 10.2, latency = [0.02], until = Infinity } = kubelet;
    const renewals = Math.floor((Math.min(this.seconds, until) - phase) / every);
    if (renewals < 0) {
      return [];
    }
    const at = this.fraction + phase + renewals * every;
    const written = at + (latency[renewals] ?? latency.at(-1)!);
    const entry = {
      manager: 'kubelet',
      operation: 'Update',
      time: time(written).replace(/\.\d+/, ''),
      fieldsV1: { 'f:spec': { 'f:renewTime': {} } },
    };
    return [
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          name,
          uid: `${name}-${this.uid}`,
          managedFields: 'managedFields' in kubelet ? kubelet.managedFields : [entry],
        },
        spec: { renewTime: time(at + skew).replace('Z', '000Z'), leaseDurationSeconds: 40 },
      },
    ];
  }
}

function time(seconds: number): string {
  return new Date(start + seconds * 1000).toISOString();
}

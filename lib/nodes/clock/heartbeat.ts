import type { KubernetesObject } from '../../kubernetes';

/** One renewal of a node's Lease, as two clocks saw it. */
export interface Heartbeat {
  /** Name of the node. */
  readonly node: string;
  /** Identity (`uid`) of the Lease: a new one belongs to a new node, also where its name is the same. */
  readonly lease: string;
  /** Time of the renewal by the node's clock, in milliseconds since 1970. */
  readonly renewedAt: number;
  /** The whole second in which the API server wrote it, by its own clock, in milliseconds since 1970. */
  readonly writtenAt: number;
  /** How long the Lease holds without another renewal, in milliseconds. */
  readonly holds: number;
}

/** What kubelet asks for unless it is told otherwise, in seconds. @see https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ */
const usualDuration = 40;

/**
 * Reads the newest heartbeat out of a Lease of `kube-node-lease`.
 *
 * kubelet puts its own time into `spec.renewTime`. With the write, the API server notes in `metadata.managedFields` who
 * changed the field, and when by its own clock, cut to whole seconds. Who owns the field does not matter, so it works
 * for every program that renews Leases in kubelet's place.
 *
 * @returns a text that says what is missing, where it can't be read
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#heartbeats
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function heartbeatOf(lease: KubernetesObject): Heartbeat | string {
  const { name, uid = '', managedFields } = lease.metadata;
  const spec = mappingOf(lease['spec']);
  const renewedAt = timeOf(spec['renewTime']);
  if (renewedAt === undefined) {
    return 'its Lease has no renewTime';
  }
  const writes = (Array.isArray(managedFields) ? managedFields : [])
    .map(mappingOf)
    .filter(ownsRenewTime)
    .map(({ time }) => timeOf(time))
    .filter((time) => time !== undefined);
  if (writes.length === 0) {
    return 'its Lease does not say when renewTime was written (metadata.managedFields)';
  }
  const seconds = spec['leaseDurationSeconds'];
  const duration = typeof seconds === 'number' && seconds > 0 ? seconds : usualDuration;
  // Whoever writes the same value once more owns it as well: the first write is the renewal.
  return { node: name, lease: uid, renewedAt, writtenAt: Math.min(...writes), holds: duration * 1000 };
}

function ownsRenewTime({ fieldsV1 }: Mapping): boolean {
  return 'f:renewTime' in mappingOf(mappingOf(fieldsV1)['f:spec']);
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

type Mapping = Readonly<Record<string, unknown>>;

function mappingOf(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {};
}

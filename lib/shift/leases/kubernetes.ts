import type { AccessRule, KubernetesApi, KubernetesObject } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import type { KubernetesFailure } from '../../core/kubernetes/errors';
import { refuseArguments } from '../../core/validation/arguments';
import { object } from '../../core/validation/collections';
import { dnsLabelText } from '../../core/validation/values';
import type { Lease, LeaseContent, LeaseLook } from '../engine';
import {
  currentHolder,
  leaseName,
  leaseOptionEntries,
  leaseSeized,
  leaseTaken,
  readRecordText,
  recordText,
  someone,
  moment,
  leaseDefaults,
} from './document';
import type { LeaseDocument, LeaseOptions } from './document';
import type { RecordKind } from './record-kind';
import { shiftRecords } from './shift-records';

/**
 * The part of a `coordination.k8s.io/v1` Lease that is read and written; what else stands on one stays, because it is
 * written whole.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/
 */
export interface KubernetesLease {
  /** API version of Leases. */
  readonly apiVersion: 'coordination.k8s.io/v1';
  /** Kind of the object. */
  readonly kind: 'Lease';
  /** What names it, and what is noted on it. */
  readonly metadata: {
    /** Name of the Lease. */
    readonly name: string;
    /** Namespace of the Lease. */
    readonly namespace: string;
    /** Set on what was read; a `replace` with an older one is a conflict. */
    readonly resourceVersion?: string;
    /** Annotations; the record of the newest shift is one. */
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** Who holds it, and until when. */
  readonly spec?: {
    /** Who holds it. @default - nobody */
    readonly holderIdentity?: string;
    /** How long it lasts after `renewTime`, in seconds. */
    readonly leaseDurationSeconds?: number;
    /** RFC 3339 with six digits after the second. */
    readonly acquireTime?: string;
    /** RFC 3339 with six digits after the second. */
    readonly renewTime?: string;
    /** How often it went from one holder to another. */
    readonly leaseTransitions?: number;
  };
}

/** The Leases of one API server. Other failures than those said here are thrown as they are. */
export interface KubernetesLeases {
  /** Answers undefined if there is none. */
  get(namespace: string, name: string, signal?: AbortSignal): Promise<KubernetesLease | undefined>;
  /** Answers undefined if there is one already. */
  create(lease: KubernetesLease, signal?: AbortSignal): Promise<KubernetesLease | undefined>;
  /** Writes all of a Lease; answers undefined if it has changed since, or is gone. */
  replace(lease: KubernetesLease, signal?: AbortSignal): Promise<KubernetesLease | undefined>;
}

/** What {@link kubernetesLease} takes. */
export interface KubernetesLeaseOptions extends LeaseOptions {
  /** Namespace of the Lease, which is there already. */
  readonly namespace: string;
}

const kubernetesLeaseOptions = object<KubernetesLeaseOptions>({
  ...leaseOptionEntries,
  namespace: dnsLabelText,
});

/** Name of the Lease of a router. */
export function kubernetesLeaseName(routerId: string): string {
  return kubernetesLeaseNameOf(shiftRecords, routerId);
}

/** The same for records of another kind. */
export function kubernetesLeaseNameOf({ prefix }: Pick<RecordKind<object>, 'prefix'>, id: string): string {
  return `${prefix}${leaseName(id)}`;
}

/**
 * The least rights that Leases of these names need.
 *
 * Of these alone: who may write the Lease of another router may stop its shifts, and roll them back. A new
 * object has no name yet for Kubernetes, so `create` is apart. Nothing here brings the Lease along instead: Argo CD leaves
 * Leases out by default.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
 */
export function kubernetesLeaseAccess(namespace: string, names: readonly string[]): readonly AccessRule[] {
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return [
    { ...leases, resourceNames: [...new Set(names)], verbs: ['get', 'update'], namespace },
    { ...leases, verbs: ['create'], namespace },
  ];
}

/**
 * A lease that is a Kubernetes Lease, with the record in an annotation. The `resourceVersion` guards every write: of two
 * that try at once the API server lets one.
 *
 * A holder whose lease expires while it writes weights does not know it yet. That does no harm, since every write of
 * weights comes after a look at the live ones.
 *
 * @param routerId what is shifted: `id` of a router
 */
export function kubernetesLease(
  routerId: string,
  leases: KubernetesLeases,
  options: KubernetesLeaseOptions,
): Lease {
  refuseArguments('kubernetesLease', kubernetesLeaseOptions, options);
  return kubernetesLeaseOf(shiftRecords, routerId, leases, options);
}

/**
 * The same lease for records of another kind.
 *
 * @param id of what only one at a time may change: another one for each kind of record
 */
export function kubernetesLeaseOf<R extends object>(
  kind: RecordKind<R>,
  id: string,
  leases: KubernetesLeases,
  options: KubernetesLeaseOptions,
): Lease<R> {
  const name = kubernetesLeaseNameOf(kind, id);
  return new HeldLease(kind, name, options.namespace, leases, leaseDefaults(options));
}

/** How often it is tried to write a Lease that changes all the time. */
const mostTries = 3;

class HeldLease<R extends object> implements Lease<R> {
  public readonly name: string;
  public readonly durationMs: number;

  public constructor(
    private readonly kind: RecordKind<R>,
    private readonly objectName: string,
    private readonly namespace: string,
    private readonly leases: KubernetesLeases,
    private readonly options: Required<LeaseOptions>,
  ) {
    this.name = `Lease ${namespace}/${objectName}`;
    this.durationMs = options.duration;
  }

  public async acquire(signal?: AbortSignal): Promise<LeaseContent<R>> {
    let content: LeaseContent<R> = {};
    await this.take((found) => {
      this.refuseOthers(found);
      content = this.contentOf(found);
      return this.mine(found, content.record);
    }, signal);
    return content;
  }

  public async look(signal?: AbortSignal): Promise<LeaseLook<R>> {
    const found = await this.leases.get(this.namespace, this.objectName, signal);
    const document = documentOf(found);
    const holder = currentHolder(document, this.options.clock.now());
    return {
      ...this.contentOf(found),
      ...(holder !== undefined && { holder, expiresAt: document.expiresAt }),
    };
  }

  public async keep(record: R, signal?: AbortSignal): Promise<void> {
    await this.take((found) => {
      const { holder, expiresAt } = documentOf(found);
      // One that is gone is no reason to stop: somebody has cleaned up.
      const { record: stored } = this.contentOf(found);
      if (found && holder !== this.options.holder) {
        throw (
          leaseSeized(this.kind, this.name, stored) ??
          leaseTaken(this.kind, this.name, holder ?? someone, expiresAt)
        );
      }
      return this.mine(found, record);
    }, signal);
  }

  public async release(record?: R, signal?: AbortSignal): Promise<void> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const found = await this.leases.get(this.namespace, this.objectName, signal);
      if (found?.spec?.holderIdentity !== this.options.holder) {
        return;
      }
      const left = record ?? this.contentOf(found).record;
      const lease = { ...withRecord(this.kind, found, left), spec: { ...found.spec, holderIdentity: '' } };
      if (await this.leases.replace(lease, signal)) {
        return;
      }
    }
    throw new Error(`${this.name} changed at each of ${mostTries} tries to write it`);
  }

  public async seize(record: R, signal?: AbortSignal): Promise<R | undefined> {
    let over: R | undefined;
    await this.take((found) => {
      over = this.contentOf(found).record;
      const lease = this.mine(found, record);
      return { ...lease, spec: { ...lease.spec, holderIdentity: '' } };
    }, signal);
    return over;
  }

  /**
   * Looks and writes, and again where the Lease has changed in between.
   *
   * @throws LeaseTaken where somebody else is always faster
   */
  private async take(
    next: (found: KubernetesLease | undefined) => KubernetesLease,
    signal?: AbortSignal,
  ): Promise<void> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const found = await this.leases.get(this.namespace, this.objectName, signal);
      const lease = next(found);
      if (found ? await this.leases.replace(lease, signal) : await this.leases.create(lease, signal)) {
        return;
      }
    }
    throw leaseTaken(this.kind, this.name, someone, 0);
  }

  private mine(found: KubernetesLease | undefined, record: R | undefined): KubernetesLease {
    const { holder, duration, clock } = this.options;
    const time = new Date(clock.now()).toISOString().replace('Z', '000Z');
    const same = found?.spec?.holderIdentity === holder;
    const transitions = found?.spec?.leaseTransitions ?? 0;
    const base = found ?? {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: this.objectName, namespace: this.namespace },
    };
    return {
      ...withRecord(this.kind, base, record),
      spec: {
        ...found?.spec,
        holderIdentity: holder,
        leaseDurationSeconds: Math.max(1, Math.ceil(duration / 1_000)),
        acquireTime: same ? (found.spec?.acquireTime ?? time) : time,
        renewTime: time,
        leaseTransitions: !found || same ? transitions : transitions + 1,
      },
    };
  }

  private contentOf(found: KubernetesLease | undefined): LeaseContent<R> {
    return readRecordText(this.kind, this.name, found?.metadata.annotations?.[this.kind.annotation]);
  }

  private refuseOthers(found: KubernetesLease | undefined): void {
    const document = documentOf(found);
    const holder = currentHolder(document, this.options.clock.now());
    if (holder !== undefined && holder !== this.options.holder) {
      throw leaseTaken(this.kind, this.name, holder, document.expiresAt);
    }
  }
}

function documentOf(lease: KubernetesLease | undefined): Pick<LeaseDocument<object>, 'holder' | 'expiresAt'> {
  const { holderIdentity, renewTime = '', leaseDurationSeconds = 0 } = lease?.spec ?? {};
  const renewed = Date.parse(renewTime);
  const expires = renewed + leaseDurationSeconds * 1_000;
  // What is no moment keeps nobody out.
  const expiresAt = moment.accepts(expires) ? expires : 0;
  return { ...(holderIdentity && { holder: holderIdentity }), expiresAt };
}

function withRecord<R extends object>(
  kind: RecordKind<R>,
  lease: KubernetesLease,
  record: R | undefined,
): KubernetesLease {
  if (!record) {
    return lease;
  }
  const annotations = { ...lease.metadata.annotations, [kind.annotation]: recordText(kind, record) };
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

/** The Leases of an API server. */
export function kubernetesLeases(api: KubernetesApi): KubernetesLeases {
  const unless = async (
    reasons: readonly KubernetesFailure[],
    call: Promise<KubernetesObject>,
  ): Promise<KubernetesLease | undefined> => {
    try {
      return (await call) as unknown as KubernetesLease;
    } catch (error) {
      if (isKubernetesError(error, ...reasons)) {
        return undefined;
      }
      throw error;
    }
  };
  const objectOf = (lease: KubernetesLease): KubernetesObject => ({ ...lease });
  return {
    get: (namespace, name, signal) =>
      unless(
        ['notFound'],
        api.get(
          { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } },
          signal,
        ),
      ),
    create: (lease, signal) => unless(['alreadyExists'], api.create(objectOf(lease), { signal })),
    replace: (lease, signal) => unless(['conflict', 'notFound'], api.replace(objectOf(lease), { signal })),
  };
}

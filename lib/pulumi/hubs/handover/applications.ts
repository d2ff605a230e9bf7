import type { KubernetesObject } from '../../../core/kubernetes/api';

/**
 * An Application of Argo CD, as far as a handover reads it.
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/types.go
 */
export interface HubApplication {
  /** Name of the Application. */
  readonly name: string;
  /** The ApplicationSet that made it. */
  readonly set?: string;
  /** Name or URL of the cluster that it deploys to. */
  readonly cluster: string;
  /** Namespace that it deploys to. @default - each manifest says its own */
  readonly namespace?: string;
  /** Whether it is synchronised by itself. */
  readonly automated: boolean;
  /** `Synced`, `OutOfSync`, `Unknown`; unset where Argo CD has not compared it yet. */
  readonly sync?: string;
  /** Revisions that it was compared with, one for each source. */
  readonly revisions: readonly string[];
  /** Objects that differ from what is wanted: `Deployment podinfo/podinfo`. */
  readonly differing: readonly string[];
  /** Why it could not be compared. */
  readonly error?: string;
  /** Whether a sync runs, or waits to. */
  readonly operating: boolean;
}

/**
 * Reads Applications. Left out are those that are being deleted, and those of the cluster that Argo CD itself runs in: they
 * are each hub's own.
 */
export function hubApplications(objects: readonly KubernetesObject[]): readonly HubApplication[] {
  return objects
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(hubApplication)
    .filter(({ cluster }) => cluster !== 'in-cluster' && cluster !== 'https://kubernetes.default.svc');
}

interface Manifest {
  readonly spec?: {
    readonly destination?: { readonly name?: string; readonly server?: string; readonly namespace?: string };
    readonly syncPolicy?: { readonly automated?: { readonly enabled?: boolean } };
  };
  readonly operation?: object;
  readonly status?: {
    readonly sync?: {
      readonly status?: string;
      readonly revision?: string;
      readonly revisions?: readonly string[];
    };
    readonly reconciledAt?: string;
    readonly resources?: readonly ManifestResource[];
    readonly conditions?: readonly { readonly type?: string; readonly message?: string }[];
    readonly operationState?: { readonly phase?: string };
  };
}

interface ManifestResource {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly status?: string;
}

function hubApplication(object: KubernetesObject): HubApplication {
  const { metadata } = object;
  const { spec = {}, status = {}, operation } = object as Manifest;
  const { destination = {}, syncPolicy } = spec;
  const { sync = {}, resources = [], conditions = [], operationState } = status;
  const set = metadata.ownerReferences?.find(({ kind }) => kind === 'ApplicationSet')?.name;
  const error = conditions.find(({ type }) => type?.endsWith('Error'))?.message;
  const compared = status.reconciledAt !== undefined && sync.status;
  return {
    name: metadata.name,
    ...(set !== undefined && { set }),
    cluster: destination.name ?? destination.server ?? '',
    ...(destination.namespace !== undefined && { namespace: destination.namespace }),
    automated: syncPolicy?.automated !== undefined && syncPolicy.automated.enabled !== false,
    ...(compared && { sync: compared }),
    revisions: sync.revisions ?? (sync.revision === undefined ? [] : [sync.revision]),
    differing: resources.filter((each) => each.status === 'OutOfSync').map(nameOf),
    ...(error !== undefined && { error }),
    operating:
      operation !== undefined || ['Running', 'Terminating'].includes(operationState?.phase ?? 'Succeeded'),
  };
}

function nameOf({ kind, namespace, name }: ManifestResource): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

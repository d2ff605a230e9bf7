import type { AccessRule, KubernetesObject, ObjectKind } from '../../core/kubernetes/api';
import type { DrainSettings } from './settings';

/** The parts of a cluster that are emptied, one after the other. */
export const drainPhases = ['entrances', 'bindings', 'volumes', 'nodes'] as const;

/**
 * - `entrances`: what a controller makes load balancers for.
 * - `bindings`: what a controller registers pods in target groups for.
 * - `volumes`: claims on disks, and what mounts them. Before nodes: a disk is detached and deleted by programs that run there.
 * - `nodes`: what Karpenter makes instances for.
 */
export type DrainPhase = (typeof drainPhases)[number];

/** An object that has to go, or to rest, before the cluster does. */
export interface ClusterObject extends ObjectKind {
  readonly phase: DrainPhase;
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  /** What has to be done to it. */
  readonly action: 'delete' | 'scaleToZero';
  /** Whether its deletion has begun, and waits for these finalizers. */
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
}

interface DrainedKind extends ObjectKind {
  readonly phase: DrainPhase;
  readonly action: ClusterObject['action'];
  readonly concerns: (object: KubernetesObject) => boolean;
}

const every = (): boolean => true;

/**
 * What is looked for. Kinds that a cluster does not have are passed over.
 *
 * @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/gateway/
 * @see https://karpenter.sh/docs/concepts/nodepools/
 * @see https://karpenter.sh/docs/concepts/nodeclaims/
 */
export const drainedKinds: readonly DrainedKind[] = [
  {
    phase: 'entrances',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    action: 'delete',
    concerns: every,
  },
  { phase: 'entrances', apiVersion: 'v1', kind: 'Service', action: 'delete', concerns: isLoadBalancer },
  {
    phase: 'entrances',
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    action: 'delete',
    concerns: every,
  },
  {
    phase: 'bindings',
    apiVersion: 'elbv2.k8s.aws/v1beta1',
    kind: 'TargetGroupBinding',
    action: 'delete',
    concerns: every,
  },
  {
    phase: 'bindings',
    apiVersion: 'eks.amazonaws.com/v1',
    kind: 'TargetGroupBinding',
    action: 'delete',
    concerns: every,
  },
  {
    phase: 'volumes',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    action: 'scaleToZero',
    concerns: runsWithClaims,
  },
  {
    phase: 'volumes',
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    action: 'scaleToZero',
    concerns: runsWithClaims,
  },
  { phase: 'volumes', apiVersion: 'v1', kind: 'PersistentVolumeClaim', action: 'delete', concerns: every },
  { phase: 'nodes', apiVersion: 'karpenter.sh/v1', kind: 'NodePool', action: 'delete', concerns: isOwnPool },
  {
    phase: 'nodes',
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    action: 'delete',
    concerns: isOfOwnPool,
  },
];

/** An object of a drained kind as it is checked; undefined where it may stay as it is. */
export function clusterObject(kind: DrainedKind, object: KubernetesObject): ClusterObject | undefined {
  const { name, namespace, uid = '', deletionTimestamp, finalizers } = object.metadata;
  return kind.concerns(object)
    ? {
        phase: kind.phase,
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid,
        action: kind.action,
        deleting: deletionTimestamp !== undefined,
        finalizers: (finalizers as readonly string[] | undefined) ?? [],
      }
    : undefined;
}

/** `Ingress shop/web` */
export function objectText({
  kind,
  namespace,
  name,
}: Pick<ClusterObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

interface PodTemplate {
  readonly spec?: { readonly volumes?: readonly { readonly persistentVolumeClaim?: unknown }[] };
}

interface AnySpec {
  readonly type?: string;
  readonly replicas?: number;
  readonly template?: PodTemplate;
  readonly volumeClaimTemplates?: readonly unknown[];
}

function specOf(object: KubernetesObject): AnySpec {
  return object.spec ?? {};
}

function isLoadBalancer(object: KubernetesObject): boolean {
  return specOf(object).type === 'LoadBalancer';
}

function runsWithClaims(object: KubernetesObject): boolean {
  const { replicas = 1, template, volumeClaimTemplates = [] } = specOf(object);
  const mounted = (template?.spec?.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim);
  return replicas > 0 && (mounted || volumeClaimTemplates.length > 0);
}

const builtIn = ['general-purpose', 'system'];

interface NodeClass {
  readonly nodeClassRef?: { readonly group?: string };
}

/**
 * EKS Auto Mode's built-in pools can't be changed, and go with the cluster.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/set-builtin-node-pools.html
 */
function isOwnPool({ metadata, spec }: KubernetesObject): boolean {
  const { template } = (spec ?? {}) as { template?: { spec?: NodeClass } };
  return !(isAutoMode(template?.spec) && builtIn.includes(metadata.name));
}

function isOfOwnPool({ metadata, spec }: KubernetesObject): boolean {
  return !(
    isAutoMode(spec as NodeClass) && builtIn.includes(metadata.labels?.['karpenter.sh/nodepool'] ?? '')
  );
}

function isAutoMode(spec: NodeClass | undefined): boolean {
  return spec?.nodeClassRef?.group === 'eks.amazonaws.com';
}

/**
 * The least rights on its API server that the drain of a cluster needs.
 *
 * @param settings whether volumes are deleted
 */
export function drainAccess({ volumes }: Pick<DrainSettings, 'volumes'>): readonly AccessRule[] {
  return drainedKinds.map(({ apiVersion, kind, phase, action }) => {
    const isTouched = phase !== 'volumes' || volumes === 'delete';
    const word = kind.toLowerCase();
    return {
      apiGroups: [apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''],
      resources: [word.endsWith('s') ? `${word}es` : `${word}s`],
      verbs: ['list', ...(isTouched ? [action === 'delete' ? 'delete' : 'patch'] : [])],
    };
  });
}

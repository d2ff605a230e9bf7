import { checkAccess } from '../checks';
import type { CheckSettings, KubernetesPodsArgs } from '../checks';
import type { AccessRule, KubernetesSettings } from '../kubernetes';
import { kubernetesLeaseName } from '../leases';
import { isOwnCluster } from './cluster-settings';
import type { Plan } from './plan';
import { routerId, subjectOf } from './route-subject';

/** Rights on the API server of one cluster. */
export interface ClusterAccess {
  /** The kubeconfig and the context that the plan asks; empty for the cluster that it runs in. */
  readonly cluster: Pick<KubernetesSettings, 'kubeconfig' | 'context'>;
  /** Each once. */
  readonly rules: readonly AccessRule[];
}

/**
 * The rights that a plan needs on the API server of the cluster that it runs in: those of its checks, its lease, its labels
 * and its sync window that name no kubeconfig, where that cluster is the one of Argo CD. Each is needed once.
 */
export function shiftAccess(plan: Plan): readonly AccessRule[] {
  return shiftAccessByCluster(plan).find(({ cluster }) => isOwnCluster(cluster))?.rules ?? [];
}

/** The rights that a plan needs on the API server of each cluster that it asks. */
export function shiftAccessByCluster(plan: Plan): readonly ClusterAccess[] {
  const clusters = new Map<string, { cluster: ClusterAccess['cluster']; rules: AccessRule[] }>();
  const needed = [...checksAccess(plan), ...leaseAccess(plan), ...labelAccess(plan), ...windowAccess(plan)];
  for (const [{ kubeconfig, context }, rule] of needed) {
    const key = JSON.stringify([kubeconfig, context]);
    const cluster = {
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    };
    const known = clusters.get(key) ?? { cluster, rules: [] };
    known.rules.push(rule);
    clusters.set(key, known);
  }
  return [...clusters.values()].map(({ cluster, rules }) => ({ cluster, rules: distinct(rules) }));
}

type Needed = readonly [at: KubernetesSettings, rule: AccessRule];

function checksAccess({ routes, checks }: Plan): readonly Needed[] {
  return Object.values(routes).flatMap((route) => {
    const subject = subjectOf(route);
    return checks.flatMap((check) => {
      const at = settingsOf(check);
      return checkAccess([check], subject).flatMap(({ cluster, rule }): readonly Needed[] =>
        cluster === 'hub'
          ? [[at, rule]]
          : Object.entries(subject.slots).map(([slot, { clusterName }]) => [
              { ...at, context: at.contexts?.[slot] ?? clusterName },
              rule,
            ]),
      );
    });
  });
}

/** Settings of a check that say which clusters it asks: a plan has them as paths and names alone. */
function settingsOf(check: CheckSettings): KubernetesSettings & Pick<KubernetesPodsArgs, 'contexts'> {
  return (Object.values(check)[0] ?? {}) as KubernetesSettings & Pick<KubernetesPodsArgs, 'contexts'>;
}

/**
 * Of its own Leases alone: who may write the Lease of another router may stop its shifts, and roll them back. A new
 * object has no name yet for Kubernetes, so `create` is apart. Nothing here brings the Lease along instead: Argo CD leaves
 * Leases out by default.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
 */
function leaseAccess(plan: Plan): readonly Needed[] {
  const { lease, routes } = plan;
  if (lease === undefined || lease === 'none' || !('kubernetes' in lease)) {
    return [];
  }
  const { namespace } = lease.kubernetes;
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  const resourceNames = Object.values(routes).map((route) => kubernetesLeaseName(routerId(plan, route)));
  return [
    [
      lease.kubernetes,
      { ...leases, resourceNames: [...new Set(resourceNames)], verbs: ['get', 'update'], namespace },
    ],
    [lease.kubernetes, { ...leases, verbs: ['create'], namespace }],
  ];
}

/** Argo CD's cluster Secrets can't be told from others by a Role: `ShiftWorkflow` adds a policy. */
function labelAccess({ labels }: Plan): readonly Needed[] {
  return (labels?.hubs ?? []).map((hub) => [
    hub,
    {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['list', 'patch'],
      namespace: hub.namespace ?? 'argocd',
    },
  ]);
}

function windowAccess({ syncWindow }: Plan): readonly Needed[] {
  return (syncWindow?.hubs ?? []).map((hub) => [
    hub,
    {
      apiGroups: ['argoproj.io'],
      resources: ['appprojects'],
      resourceNames: hub.projects,
      verbs: ['get', 'patch'],
      namespace: hub.namespace ?? 'argocd',
    },
  ]);
}

function distinct(rules: readonly AccessRule[]): readonly AccessRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

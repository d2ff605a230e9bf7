import { checkAccess } from '../checks';
import type { CheckSettings } from '../checks';
import type { AccessRule, KubernetesSettings } from '../kubernetes';
import { kubernetesLeaseName } from '../leases';
import { isOwnCluster } from './cluster-settings';
import type { Plan } from './plan';
import { routerId, subjectOf } from './route-subject';

/**
 * The rights that a plan needs on the API server of the cluster that it runs in: those of its checks, its lease, its labels
 * and its sync window that name no kubeconfig, where that cluster is the one of Argo CD. Each is needed once.
 */
export function shiftAccess(plan: Plan): readonly AccessRule[] {
  const here = plan.checks.filter(asksHere);
  const rules = Object.values(plan.routes)
    .flatMap((route) => checkAccess(here, subjectOf(route)))
    .filter(({ cluster }) => cluster === 'hub')
    .map(({ rule }) => rule);
  return distinct([...rules, ...leaseAccess(plan), ...labelAccess(plan), ...windowAccess(plan)]);
}

/**
 * Of its own Leases alone: who may write the Lease of another router may stop its shifts, and roll them back. A new
 * object has no name yet for Kubernetes, so `create` is apart. Nothing here brings the Lease along instead: Argo CD leaves
 * Leases out by default.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
 */
function leaseAccess(plan: Plan): readonly AccessRule[] {
  const { lease, routes } = plan;
  if (lease === undefined || lease === 'none' || !('kubernetes' in lease)) {
    return [];
  }
  const { namespace } = lease.kubernetes;
  if (!isOwnCluster(lease.kubernetes)) {
    return [];
  }
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  const resourceNames = Object.values(routes).map((route) => kubernetesLeaseName(routerId(plan, route)));
  return [
    { ...leases, resourceNames: [...new Set(resourceNames)], verbs: ['get', 'update'], namespace },
    { ...leases, verbs: ['create'], namespace },
  ];
}

/** Argo CD's cluster Secrets can't be told from others by a Role: `ShiftWorkflow` adds a policy. */
function labelAccess({ labels }: Plan): readonly AccessRule[] {
  return (labels?.hubs ?? []).filter(isOwnCluster).map(({ namespace = 'argocd' }) => ({
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['list', 'patch'],
    namespace,
  }));
}

function windowAccess({ syncWindow }: Plan): readonly AccessRule[] {
  return (syncWindow?.hubs ?? []).filter(isOwnCluster).map(({ namespace = 'argocd', projects }) => ({
    apiGroups: ['argoproj.io'],
    resources: ['appprojects'],
    resourceNames: projects,
    verbs: ['get', 'patch'],
    namespace,
  }));
}

function asksHere(check: CheckSettings): boolean {
  return isOwnCluster((Object.values(check)[0] ?? {}) as KubernetesSettings);
}

function distinct(rules: readonly AccessRule[]): readonly AccessRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

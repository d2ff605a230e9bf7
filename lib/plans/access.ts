import { checkAccess } from '../checks';
import type { CheckSettings } from '../checks';
import type { AccessRule, KubernetesSettings } from '../kubernetes';
import { isOwnCluster } from './cluster-settings';
import type { Plan } from './plan';
import { subjectOf } from './route-subject';

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

function leaseAccess({ lease }: Plan): readonly AccessRule[] {
  if (lease === undefined || lease === 'none' || !('kubernetes' in lease)) {
    return [];
  }
  const { namespace } = lease.kubernetes;
  const resources = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return isOwnCluster(lease.kubernetes)
    ? [{ ...resources, verbs: ['get', 'create', 'update'], namespace }]
    : [];
}

/** Argo CD's cluster Secrets can't be told from others by a Role. */
function labelAccess({ labels }: Plan): readonly AccessRule[] {
  return (labels?.hubs ?? []).filter(isOwnCluster).map(({ namespace = 'argocd' }) => ({
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['list', 'patch'],
    namespace,
  }));
}

function windowAccess({ syncWindow }: Plan): readonly AccessRule[] {
  return (syncWindow?.hubs ?? []).filter(isOwnCluster).map(({ namespace = 'argocd' }) => ({
    apiGroups: ['argoproj.io'],
    resources: ['appprojects'],
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

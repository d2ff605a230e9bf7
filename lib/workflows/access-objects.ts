import type { AccessRule } from '../kubernetes';

/** A manifest without its metadata's labels. */
export interface AccessObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/**
 * What the executor of Argo Workflows needs beside our container.
 * @see https://argo-workflows.readthedocs.io/en/latest/workflow-rbac/
 */
const executorRule = {
  apiGroups: ['argoproj.io'],
  resources: ['workflowtaskresults'],
  verbs: ['create', 'patch'],
};

const group = 'rbac.authorization.k8s.io';

/** Roles and their bindings: the executor's, and what the checks and the lease of a plan need in each namespace. */
export function accessObjects(
  name: string,
  namespace: string,
  serviceAccount: string,
  access: readonly AccessRule[],
): readonly AccessObject[] {
  const subjects = [{ kind: 'ServiceAccount', name: serviceAccount, namespace }];
  const namespaces = [...new Set([namespace, ...access.flatMap((rule) => rule.namespace ?? [])])];
  const roles = namespaces.flatMap((within) => {
    const own = access.filter((rule) => rule.namespace === within).map(ruleOf);
    const rules = within === namespace ? [executorRule, ...own] : own;
    // Two workflows with one name in different namespaces may both have a role in a third one.
    const roleName = within === namespace ? name : `${namespace}-${name}`;
    return pair('Role', { name: roleName, namespace: within }, rules, subjects);
  });
  const everywhere = access.filter((rule) => rule.namespace === undefined).map(ruleOf);
  return everywhere.length === 0
    ? roles
    : [...roles, ...pair('ClusterRole', { name: `${namespace}-${name}` }, everywhere, subjects)];
}

function ruleOf({ namespace: _namespace, ...rule }: AccessRule): object {
  return rule;
}

function pair(
  kind: 'Role' | 'ClusterRole',
  metadata: AccessObject['metadata'],
  rules: readonly object[],
  subjects: readonly object[],
): readonly AccessObject[] {
  const roleRef = { apiGroup: group, kind, name: metadata.name };
  return [
    { apiVersion: `${group}/v1`, kind, metadata, rules },
    { apiVersion: `${group}/v1`, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

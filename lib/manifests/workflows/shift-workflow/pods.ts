import type { AccessRule } from '../../../core/kubernetes/api';

/** What the pods of a shift are made of. */
export interface ShiftPod {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly object[];
  readonly resources: object;
  /** Folders by path, each a Secret's name. */
  readonly secretFolders: Readonly<Record<string, string>>;
  /** Name of the ConfigMap with the plan. */
  readonly configMap: string;
  /** Fields of the container laid over ours. */
  readonly containerArgs: object;
}

/** Where the plan is, in the pod. */
const planFolder = '/etc/cluster-canary';

export const planFile = 'plan.yaml';

/** What the Pod Security Standard `restricted` asks of every container. */
export const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

/** What it asks of the pod. */
export function podSecurity(user: number): object {
  return {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

/** The same for the two containers that Argo Workflows puts beside ours, which it leaves as they are. */
export const podSpecPatch = JSON.stringify({
  initContainers: [{ name: 'init', securityContext: restricted }],
  containers: [{ name: 'wait', securityContext: restricted }],
});

/** A template whose pod runs the command on one route. */
export function podTemplate(name: string, pod: ShiftPod, args: readonly string[], retry: object): object {
  return {
    name,
    inputs: { parameters: [{ name: 'route' }] },
    retryStrategy: retry,
    container: {
      image: pod.image,
      command: pod.command,
      args: ['shift', `${planFolder}/${planFile}`, '--route', '{{inputs.parameters.route}}', ...args],
      env: [{ name: 'HOME', value: '/tmp' }, ...pod.env],
      resources: pod.resources,
      securityContext: { ...restricted, readOnlyRootFilesystem: true },
      volumeMounts: [
        { name: 'plan', mountPath: planFolder, readOnly: true },
        { name: 'temporary', mountPath: '/tmp' },
        ...Object.keys(pod.secretFolders).map((mountPath, index) => ({
          name: `secret-${index + 1}`,
          mountPath,
          readOnly: true,
        })),
      ],
      ...pod.containerArgs,
    },
  };
}

/** The volumes of every pod. */
export function volumesOf({ configMap, secretFolders }: ShiftPod): readonly object[] {
  return [
    { name: 'plan', configMap: { name: configMap } },
    { name: 'temporary', emptyDir: {} },
    ...Object.values(secretFolders).map((secretName, index) => ({
      name: `secret-${index + 1}`,
      secret: { secretName },
    })),
  ];
}

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

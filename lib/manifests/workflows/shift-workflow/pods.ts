import type { AccessRule } from '../../../core/kubernetes/api';
import { restricted, roleOf, rulesWithin, serviceAccount } from '../../command-pod';
import type { AccountName } from '../../command-pod';
import type { Manifest } from '../../objects';
import { folderMounts, folderVolumes } from './pod-props';

/** What the pods of a shift are made of. */
export interface ShiftPod {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly object[];
  readonly resources: object;
  /** Folders by path, each a Secret's name. */
  readonly secretFolders: Readonly<Record<string, string>>;
  /** Ports that others connect to. */
  readonly ports: readonly object[];
  /** Name of the ConfigMap with the plan. */
  readonly configMap: string;
  /** Fields of the container laid over ours. */
  readonly containerArgs: object;
}

/** Where the plan is, in the pod. */
const planFolder = '/etc/cluster-canary';

export const planFile = 'plan.yaml';

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
      ...(pod.ports.length > 0 && { ports: pod.ports }),
      resources: pod.resources,
      securityContext: { ...restricted, readOnlyRootFilesystem: true },
      volumeMounts: [
        { name: 'plan', mountPath: planFolder, readOnly: true },
        { name: 'temporary', mountPath: '/tmp' },
        ...folderMounts(pod),
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
    ...folderVolumes({ secretFolders }),
  ];
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

/**
 * The service account, roles and their bindings: the executor's, and what the checks and the lease of a plan need in each
 * namespace.
 */
export function accessObjects(
  name: string,
  account: AccountName,
  access: readonly AccessRule[],
  labels: Readonly<Record<string, string>>,
): readonly Manifest[] {
  const { namespace } = account;
  const namespaces = [...new Set([namespace, ...access.flatMap((rule) => rule.namespace ?? [])])];
  const everywhere = rulesWithin(access, undefined);
  return [
    serviceAccount(account, labels),
    ...namespaces.flatMap((within) => {
      const own = rulesWithin(access, within);
      const rules = within === namespace ? [executorRule, ...own] : own;
      // Two workflows with one name in different namespaces may both have a role in a third one.
      const roleName = within === namespace ? name : `${namespace}-${name}`;
      return roleOf(account, { name: roleName, namespace: within, labels }, rules);
    }),
    ...(everywhere.length === 0 ? [] : roleOf(account, { name: `${namespace}-${name}`, labels }, everywhere)),
  ];
}

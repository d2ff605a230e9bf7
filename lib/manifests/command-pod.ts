import type { AccessRule } from '../core/kubernetes/api';
import { opaque } from '../core/validation/arguments';
import { across, optional, record } from '../core/validation/collections';
import { containerCommand, imageByDigest, variableName } from '../core/validation/formats';
import type { Schema } from '../core/validation/schema';
import { holdsLogin, namesSecret } from '../core/validation/secrets';
import { fits, following, secret, text, whole } from '../core/validation/values';
import type { Manifest } from './objects';

/** A service account, by which a pod has its rights. */
export interface AccountName {
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
}

const rbac = 'rbac.authorization.k8s.io';

/** A service account as an object. */
export function serviceAccount(
  { name, namespace }: AccountName,
  labels?: Readonly<Record<string, string>>,
): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace, ...(labels && { labels }) },
  };
}

/** What Kubernetes lets an account do to some objects. */
export type PolicyRule = Omit<AccessRule, 'namespace'>;

/** The rules of a role, of all that is needed: those of one namespace, or those of the cluster. */
export function rulesWithin(
  access: readonly AccessRule[],
  namespace: string | undefined,
): readonly PolicyRule[] {
  return access
    .filter((rule) => rule.namespace === namespace)
    .map(({ namespace: _namespace, ...rule }) => rule);
}

/**
 * A role and its binding to a service account.
 *
 * @param metadata of both: a namespace in it makes a Role, and none a ClusterRole
 */
export function roleOf(
  account: AccountName,
  metadata: Manifest['metadata'],
  rules: readonly PolicyRule[],
): readonly Manifest[] {
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  return [
    { apiVersion: `${rbac}/v1`, kind, metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: rbac, kind, name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
    },
  ];
}

/**
 * What the Pod Security Standard `restricted` asks of a pod.
 *
 * @param volumes whether files of its volumes are the user's group's
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export function podSecurity(user: number, volumes: 'ofGroup' | 'asTheyAre' = 'asTheyAre'): object {
  return {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    ...(volumes === 'ofGroup' ? { fsGroup: user } : {}),
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

/** What it asks of every container. */
export const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

/** Security of a container of ours, which also writes nothing but into its volumes. */
export const containerSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: restricted.capabilities,
};

/**
 * Where Kubernetes looks for the last words of a container, which a cluster's users see without its logs.
 * @see https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
 */
export const lastWords = '/dev/termination-log';

/** The container of a pod that runs the command; other fields are those of Kubernetes. */
interface CommandContainer {
  readonly name: string;
  /** Image with the command, by its digest. */
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly resources: object;
  /** @default - none */
  readonly volumeMounts?: readonly object[];
  /** Whether it leaves its last words, as the command does with `--message`. @default false */
  readonly leavesWords?: boolean;
  readonly [field: string]: unknown;
}

/** A pod that runs the command; other fields are those of Kubernetes. */
interface CommandPod {
  readonly serviceAccountName: string;
  /** User and group that it runs as; never 0. */
  readonly user: number;
  /** Whose the files of its volumes are. @default 'asTheyAre' */
  readonly files?: 'ofGroup' | 'asTheyAre';
  readonly container: CommandContainer;
  /** @default - none */
  readonly volumes?: readonly object[];
  readonly [field: string]: unknown;
}

/** The spec of a pod that runs the command of this library, locked down: no root, no capability, a file system that is read only. */
export function commandPodSpec({ user, files, container, volumes, ...spec }: CommandPod): object {
  const { volumeMounts, resources, leavesWords = false, ...main } = container;
  return {
    ...spec,
    securityContext: podSecurity(user, files),
    containers: [
      {
        ...main,
        ...(leavesWords
          ? // Where it could not say anything: the end of its log.
            { terminationMessagePath: lastWords, terminationMessagePolicy: 'FallbackToLogsOnError' }
          : {}),
        resources,
        securityContext: containerSecurity,
        ...(volumeMounts ? { volumeMounts } : {}),
      },
    ],
    ...(volumes ? { volumes } : {}),
  };
}

/** Props of constructs that are for the pods of a command. */
export const commandPodEntries = {
  image: fits(imageByDigest),
  command: optional(following(containerCommand)),
  user: optional(whole(1, 2_147_483_647)),
  resources: optional(opaque('an object with requests and limits')),
};

/** Environment variables in plain text. Values are not shown: they may be secret. */
export const commandPodEnvironment: Schema<Readonly<Record<string, string>>> = across(
  record(secret(text('a text')), fits(variableName)),
  (variables, { mustBeSecretly }) => {
    for (const [name, value] of Object.entries(variables)) {
      if (typeof value === 'string' && (namesSecret(name) || holdsLogin(value))) {
        const allowed =
          'left out: it is a secret, and whoever may read the pod would see it; keep it in a Secret';
        mustBeSecretly([name], allowed);
      }
    }
  },
);

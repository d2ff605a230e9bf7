import { evaluatedNamespace } from '../../../core/admission/requests';
import type { AccessRule } from '../../../core/kubernetes/api';
import { across, list, object, optional } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import { dnsLabel } from '../../../core/validation/formats';
import { isPlainObject } from '../../../core/validation/problems';
import type { Format } from '../../../core/validation/problems';
import type { Schema, Unevaluated } from '../../../core/validation/schema';
import { fits, text } from '../../../core/validation/values';
import { changesSecrets } from './labels-policy';

/** Where the value of an environment variable is kept. */
export interface EnvironmentSecret {
  /** Name of the Secret, in the namespace of the workflow. */
  readonly secret: string;
  /** Key in the Secret whose value is used. */
  readonly key: string;
}

/** Environment variables of pods, in plain text and of Secrets. */
export interface PodVariables {
  readonly env?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, EnvironmentSecret>>;
}

/** Where a Secret may be mounted. */
export const folder: Format = {
  allowed: 'an absolute path outside of /etc/cluster-canary and /tmp, without ":"',
  accepts: (value) =>
    typeof value === 'string' &&
    /^\/[^:]+$/.test(value) &&
    !/^\/(etc\/cluster-canary|tmp)(\/|$)/.test(value) &&
    !value.split('/').includes('..'),
};

const words = list(text('a text'));

/** A right on the API server, which is narrow enough where it reaches Secrets. */
export const accessRule: Schema<AccessRule> = across(
  object<AccessRule>({
    apiGroups: words,
    resources: words,
    verbs: words,
    resourceNames: optional(words),
    namespace: optional(fits(dnsLabel)),
  }),
  (rule, { mustBe }) => {
    const { apiGroups, resources, verbs, namespace } = rule;
    const areLists = [apiGroups, resources, verbs].every((each) => Array.isArray(each));
    const isChecked = namespace !== undefined && !dnsLabel.accepts(namespace);
    if (areLists && !isChecked && changesSecrets([rule as AccessRule])) {
      if (!evaluatedNamespace.accepts(namespace)) {
        mustBe(['namespace'], evaluatedNamespace.allowed);
      }
    }
  },
);

/** A variable has one value. */
export function notInBoth({ env, secrets }: Unevaluated<PodVariables>, { mustBeSecretly }: Objections): void {
  for (const name of keysInBoth(env, secrets)) {
    mustBeSecretly(['secrets', name], 'left out of "env" or of "secrets": it is in both');
  }
}

/** Keys that two objects have, of what may be none. */
export function keysInBoth(one: unknown, other: unknown): readonly string[] {
  return isPlainObject(one) && isPlainObject(other)
    ? Object.keys(other).filter((key) => Object.hasOwn(one, key))
    : [];
}

/** The variables of a container. */
export function environmentOf({ env = {}, secrets = {} }: PodVariables): readonly object[] {
  return [
    ...Object.entries(env).map(([name, value]) => ({ name, value })),
    ...Object.entries(secrets).map(([name, { secret, key }]) => ({
      name,
      valueFrom: { secretKeyRef: { name: secret, key } },
    })),
  ];
}

/** Folders of a pod, by path. */
export interface PodFolders {
  /** Names of Secrets. @default - none */
  readonly secretFolders?: Readonly<Record<string, string>>;
  /** Names of persistent volume claims. @default - none */
  readonly claimFolders?: Readonly<Record<string, string>>;
}

/** The volumes of folders. */
export function folderVolumes({ secretFolders = {}, claimFolders = {} }: PodFolders): readonly object[] {
  return [
    ...Object.values(secretFolders).map((secretName, index) => ({
      name: `secret-${index + 1}`,
      secret: { secretName },
    })),
    ...Object.values(claimFolders).map((claimName, index) => ({
      name: `claim-${index + 1}`,
      persistentVolumeClaim: { claimName },
    })),
  ];
}

/** Where a container has them. */
export function folderMounts({ secretFolders = {}, claimFolders = {} }: PodFolders): readonly object[] {
  return [
    ...Object.keys(secretFolders).map((mountPath, index) => ({
      name: `secret-${index + 1}`,
      mountPath,
      readOnly: true,
    })),
    ...Object.keys(claimFolders).map((mountPath, index) => ({ name: `claim-${index + 1}`, mountPath })),
  ];
}

import type { OptionsOf } from '../problems';
import { dnsSubdomain, textRule } from '../problems';
import type { FieldChecks } from './field-checks';

/** A value in a Secret of Argo CD's namespace: where it is, never what it is. */
export interface SecretKey {
  /** Name of the Secret. */
  readonly secretName: string;
  /** Key in the Secret. */
  readonly key: string;
}

/** Keys of `SecretKey`. */
export const secretKeyKeys: OptionsOf<SecretKey> = { secretName: 'plain', key: 'plain' };

/** A value in a ConfigMap of Argo CD's namespace. */
export interface ConfigMapKey {
  /** Name of the ConfigMap. */
  readonly configMapName: string;
  /** Key in the ConfigMap. */
  readonly key: string;
}

export const configMapKeyKeys: OptionsOf<ConfigMapKey> = { configMapName: 'plain', key: 'plain' };

/** https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data */
const dataKey = textRule(
  /^[-._a-zA-Z0-9]{1,253}$/,
  'letters, digits, "-", "_" and ".", at most 253 characters',
);

/** Checks where a secret value is. The value itself would be no object, and is not shown. */
export function checkSecretKey(checks: FieldChecks, path: string, reference: unknown): void {
  checkKey(checks, path, reference, 'secretName');
}

/** Checks where a value of a ConfigMap is. */
export function checkConfigMapKey(checks: FieldChecks, path: string, reference: unknown): void {
  checkKey(checks, path, reference, 'configMapName');
}

function checkKey(
  checks: FieldChecks,
  path: string,
  reference: unknown,
  nameField: 'secretName' | 'configMapName',
): void {
  if (typeof reference !== 'object' || reference === null) {
    checks.problems.addSecret(path, `an object with "${nameField}" and "key", which say where the value is`);
    return;
  }
  const fields = reference as Record<string, unknown>;
  checks.requiredSecretly(`${path}.${nameField}`, fields[nameField], dnsSubdomain);
  checks.requiredSecretly(`${path}.key`, fields.key, dataKey);
}

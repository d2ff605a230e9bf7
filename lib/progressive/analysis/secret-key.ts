import type { Problems, Rule } from '../../problems';
import { dnsSubdomain } from '../../problems';

/** One value of a Secret, by its name and key. */
export interface SecretValue {
  /** Name of the Secret. */
  readonly secret: string;
  /** Key in the Secret whose value is used. */
  readonly key: string;
}

/** @see https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data */
const secretKey: Rule = {
  allowed: 'a key of the Secret: letters, digits, "-", "_" and "."',
  accepts: (value) => typeof value === 'string' && /^[-\w.]{1,253}$/.test(value),
};

/** Adds what is wrong with the name of a value in a Secret. */
export function checkSecretValue(problems: Problems, path: string, value: SecretValue | undefined): void {
  problems.check(`${path}.secret`, value?.secret, dnsSubdomain);
  problems.check(`${path}.key`, value?.key, secretKey);
}

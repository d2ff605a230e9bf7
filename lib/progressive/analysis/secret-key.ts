import type { Problems, OptionsOf } from '../../problems';
import { dnsSubdomain, secretKey } from '../../problems';

/** One value of a Secret, by its name and key. */
export interface SecretValue {
  /** Name of the Secret. */
  readonly secret: string;
  /** Key in the Secret whose value is used. */
  readonly key: string;
}

export const secretValueKeys: OptionsOf<SecretValue> = { secret: 'plain', key: 'plain' };

/** Adds what is wrong with the name of a value in a Secret. */
export function checkSecretValue(problems: Problems, path: string, value: SecretValue | undefined): void {
  problems.check(`${path}.secret`, value?.secret, dnsSubdomain);
  problems.check(`${path}.key`, value?.key, secretKey);
}

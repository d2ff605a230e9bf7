import { holdsLogin } from './plain-secrets';
import type { Problems } from './problems';
import type { Rule } from './rules';
import { namesSecret } from './secret-names';

/**
 * An image that is always the same one.
 *
 * @see https://pkg.go.dev/github.com/distribution/reference
 */
export const imageByDigest: Rule = {
  allowed:
    'an image by its digest, NAME@sha256:… with 64 hexadecimal digits: a tag may be another image tomorrow',
  accepts: (value) =>
    typeof value === 'string' && /^[a-z0-9][\w.:/-]{0,440}@sha256:[0-9a-f]{64}$/.test(value),
};

/** A container's command. Kubernetes would replace `$(NAME)` in it. */
export const containerCommand: Rule = {
  allowed: 'a list of words, at least one, without "$("',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((word) => typeof word === 'string' && /^[^\p{Cc}]+$/u.test(word) && !word.includes('$(')),
};

/** Name of an environment variable. */
export const variableName: Rule = {
  allowed: 'letters, digits and "_", no digit first',
  accepts: (value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value),
};

/** What is allowed where a variable of a container is a secret. */
const noSecret = 'left out: it is a secret, and whoever may read the pod would see it; keep it in a Secret';

/** Adds what is wrong with the environment of a container. Values are not shown: they may be secret. */
export function checkEnvironment(
  problems: Problems,
  path: string,
  env: Readonly<Record<string, string>> = {},
): void {
  for (const [name, value] of Object.entries(env)) {
    problems.check(path, name, variableName);
    if (typeof value !== 'string') {
      problems.addSecret(`${path}.${name}`, 'a text');
    } else if (namesSecret(name) || holdsLogin(value)) {
      problems.addSecret(`${path}.${name}`, noSecret);
    }
  }
}

/**
 * A key in a Secret.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data
 */
export const secretKey: Rule = {
  allowed: 'a key of the Secret: letters, digits, "-", "_" and "."',
  accepts: (value) => typeof value === 'string' && /^[-\w.]{1,253}$/.test(value),
};

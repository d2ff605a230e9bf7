import type { Rule } from './rules';

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

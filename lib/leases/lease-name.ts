import { createHash } from 'node:crypto';

/** So much of the hash makes two rules with one name unlikely enough: 48 bits. */
const hashLength = 12;
/** A Kubernetes name may be longer, but a label value may not. */
const longestReadable = 45;

/**
 * A short name for what is shifted, the same for every run: the beginning of its id without the account, for people, and
 * a hash of all of it. Lower-case letters, digits and `-`, at most 58 characters: fit for SSM and for Kubernetes.
 *
 * @param id of a router: an ARN, say
 */
export function leaseName(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength);
  const readable = id
    .toLowerCase()
    .replace(/^arn:([^:]*:){4}/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, longestReadable)
    .replace(/-$/, '');
  return readable === '' ? hash : `${readable}-${hash}`;
}

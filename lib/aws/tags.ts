import type { Problems, Rule } from '../problems';

/** The library finds a fleet's resources by the first: other values there would hide live traffic. AWS refuses the second. */
const reserved = /^(cluster-canary\/|aws:)/i;

const tagKey: Rule = {
  allowed: 'a key of 1 to 128 characters',
  accepts: (key) => typeof key === 'string' && /^.{1,128}$/su.test(key),
};

/**
 * Adds a problem for each tag that AWS would refuse, or that would take the place of one of the library's own.
 *
 * @see https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/allocation-tag-restrictions.html
 */
export function checkTags(
  problems: Problems,
  path: string,
  tags: Readonly<Record<string, unknown>> | undefined,
): void {
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags)) {
    if (tags !== undefined) {
      problems.add(path, tags, 'an object of tags: { team: "platform" }');
    }
    return;
  }
  for (const [key, value] of Object.entries(tags)) {
    problems.check(path, key, tagKey);
    if (reserved.test(key)) {
      const allowed =
        'left out: tags that begin with "cluster-canary/" say whose a resource is, and "aws:" is for AWS alone';
      problems.add(`${path}.${key}`, value, allowed);
    }
    if (value !== undefined && (typeof value !== 'string' || value.length > 256)) {
      problems.add(`${path}.${key}`, value, 'a text of at most 256 characters');
    }
  }
}

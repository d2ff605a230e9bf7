import { across, either, list, optional, record } from '../core/validation/collections';
import { labelKey, labelValue } from '../core/validation/formats';
import type { Format } from '../core/validation/problems';
import type { OptionalSchema, Schema } from '../core/validation/schema';
import { following, later, secret } from '../core/validation/values';

/** A value that may be an Output, and follows a rule where it is plain. */
export function input(rule: Format): Schema<never> {
  return later(following(rule));
}

/** A list of such values, which may be an Output as a whole. */
export function inputList(rule: Format): Schema<never> {
  return later(list(input(rule), 0, `several values, each of them ${rule.allowed}`));
}

/** Such values by names of the user's own. */
export function inputsByName(rule: Format, name?: Format): Schema<Readonly<Record<string, never>>> {
  return record(input(rule), name && following(name));
}

/** A list of plain values. */
export function plainList<T>(
  item: Schema<T>,
  allowed = `several values, each of them ${item.allowed}`,
): Schema<readonly T[]> {
  return list(item, 0, allowed);
}

/** A list whose items may hold secrets: what is there in place of a list is not shown. */
export function listOfSecrets<T>(schema: Schema<readonly T[]>): Schema<readonly T[]> {
  return either(
    schema.allowed,
    { when: Array.isArray, schema },
    { when: () => true, schema: secret(schema) },
  );
}

/** Labels of Kubernetes. */
export const kubernetesLabels: OptionalSchema<Readonly<Record<string, string>>> = optional(
  record(following(labelValue), following(labelKey), 'an object of labels: { env: "production" }'),
);

/** The library finds a fleet's resources by the first: other values there would hide live traffic. AWS refuses the second. */
const reserved = /^(cluster-canary\/|aws:)/i;

const tagKey: Format = {
  allowed: 'a key of 1 to 128 characters',
  accepts: (key) => typeof key === 'string' && /^.{1,128}$/su.test(key),
};

const tagValue: Format = {
  allowed: 'a text of at most 256 characters',
  accepts: (value) => value === undefined || (typeof value === 'string' && value.length <= 256),
};

/**
 * Tags that AWS takes, and that do not take the place of one of the library's own.
 *
 * @see https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/allocation-tag-restrictions.html
 */
export const awsTags: Schema<Readonly<Record<string, string>>> = across(
  record(following(tagValue), following(tagKey), 'an object of tags: { team: "platform" }'),
  (tags, { mustBe }) => {
    for (const key of Object.keys(tags).filter((each) => reserved.test(each))) {
      mustBe(
        [key],
        'left out: tags that begin with "cluster-canary/" say whose a resource is, and "aws:" is for AWS alone',
      );
    }
  },
);

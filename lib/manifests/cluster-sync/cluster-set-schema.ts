import { parseArn, awsRegion, iamRoleArn } from '../../core/aws/arns';
import { parseDuration } from '../../core/durations';
import { across, list, object, optional, optionalOrNull } from '../../core/validation/collections';
import { dnsLabel, labelValue } from '../../core/validation/formats';
import { InvalidInput, isPlainObject } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import { readSettings } from '../../core/validation/read-settings';
import { problemsOf } from '../../core/validation/schema';
import type { PlacedProblem, Schema } from '../../core/validation/schema';
import { anything, flag, following, number, oneOf, text, that, whole } from '../../core/validation/values';
import type {
  ClusterPlace,
  ClusterSelector,
  ClusterSet,
  ClusterSetAccount,
  ClusterSetSettings,
  ClusterSetSpec,
} from './cluster-set';
import { filled, isThere, template, textsBy } from './cluster-template-schema';

const roleArn = following(iamRoleArn, {
  type: 'string',
  pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$',
});

const account = text('an account: a text of 12 digits, in quotation marks', /^\d{12}$/);

/**
 * Key and value of a tag. A number is a text to AWS, and YAML reads it as a number unless it is in quotation marks.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
 */
const tagKey = text('the key of a tag: a text of 1 to 128 characters', /./s, 128);

const tagValue = text(
  'the value of a tag: a text of at most 256 characters (numbers and booleans in quotation marks)',
  undefined,
  256,
);

/** A duration of at least so many milliseconds. */
function durationFrom(least: number, allowed: string): Schema<string> {
  const accepts = (value: string): boolean => (parseDuration(value) ?? -1) >= least;
  return that(text(allowed), allowed, accepts, filled);
}

const requirement = across(
  object<NonNullable<ClusterSelector['matchExpressions']>[number]>({
    key: tagKey,
    operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: optionalOrNull(list(tagValue)),
  }),
  ({ operator, values }, { mustBe }) => {
    const takesValues = operator === 'In' || operator === 'NotIn';
    const given = Array.isArray(values) ? values.length : 0;
    if (takesValues && given === 0) {
      mustBe(['values'], `at least one value: the operator is "${operator}"`);
    } else if (!takesValues && given > 0) {
      mustBe(['values'], 'left out: only In and NotIn take values');
    }
  },
);

const selector = object<ClusterSelector>(
  {
    eksTags: optionalOrNull(
      textsBy({ allowed: tagKey.allowed, accepts: (key) => problemsOf(tagKey, key).length === 0 }, tagValue),
    ),
    matchExpressions: optionalOrNull(
      list({
        ...requirement,
        json: {
          ...requirement.json,
          anyOf: [
            {
              required: ['values'],
              properties: {
                operator: { enum: ['In', 'NotIn'] },
                values: { type: 'array', minItems: 1 },
              },
            },
            {
              properties: {
                operator: { enum: ['Exists', 'DoesNotExist'] },
                values: { type: ['array', 'null'], maxItems: 0 },
              },
            },
          ],
        },
      }),
    ),
    roleARN: optionalOrNull(roleArn),
  },
  'an object with eksTags or matchExpressions; {} selects every cluster',
);

const accounts = list(
  across(
    object<ClusterSetAccount>({
      roleArn: optionalOrNull(roleArn),
      regions: optionalOrNull(list(following(awsRegion), 1, 'a list of at least one region, or left out')),
      account: optionalOrNull(account),
    }),
    ({ roleArn: role, account: given }, { mustBe }) => {
      const ofRole = parseArn(String(role))?.account;
      if (ofRole !== undefined && typeof given === 'string' && given !== ofRole) {
        mustBe(['account'], `that of roleArn, ${ofRole}, or left out`);
      }
    },
  ),
  1,
  'a list of at least one account, or left out',
);

const spec = across(
  object<ClusterSetSpec>({
    selector,
    template,
    accounts: optionalOrNull(accounts),
    adopt: optionalOrNull(flag),
    deletion: optionalOrNull(
      object({
        gracePeriod: optionalOrNull(durationFrom(0, 'a duration such as "15m" or "1h"')),
        maxShare: optionalOrNull(whole(0, 100)),
      }),
    ),
    concurrency: optionalOrNull(whole(1, 100)),
    interval: optionalOrNull(durationFrom(10_000, 'a duration of at least 10s, such as "1m"')),
  }),
  ({ selector: selected, accounts: places }, { mustBe, conflicts }) => {
    if (isPlainObject(selected) && isThere(selected.roleARN) && isThere(places)) {
      conflicts(['selector', 'roleARN'], 'spec.accounts, which lists the roles that are assumed');
    }
    const seen = new Set<string>();
    for (const [position, each] of (Array.isArray(places) ? places : []).entries()) {
      const { roleArn: role, regions } = (isPlainObject(each) ? each : {}) as Partial<ClusterSetAccount>;
      for (const [index, region] of (Array.isArray(regions) ? regions : []).entries()) {
        const place = JSON.stringify([role ?? null, region]);
        if (seen.has(place)) {
          mustBe(
            ['accounts', position, 'regions', index],
            'a region that is not read with this role already',
          );
        }
        seen.add(place);
      }
    }
  },
);

/**
 * What Kubernetes keeps in the metadata of an object that was copied out of a cluster.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
const kept = [
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
];

const ownerName: Format = {
  allowed: `a label value that is not empty: ${labelValue.allowed}`,
  accepts: (value) => value !== '' && labelValue.accepts(value),
};

/** What a configuration file of `cluster-canary clusters` may say. */
export const clusterSetSchema: Schema<ClusterSet> = object<ClusterSet>(
  {
    apiVersion: optional(anything),
    kind: optionalOrNull(oneOf('ClusterSet')),
    metadata: object(
      {
        name: following(ownerName, { type: 'string', minLength: 1, maxLength: 63 }),
        namespace: optionalOrNull(following(dnsLabel)),
      },
      'an object with name and namespace',
      kept,
    ),
    spec,
  },
  'an object with metadata and spec',
  ['status'],
);

const milliseconds = number('milliseconds, 0 or more', { min: 0 });

/** A set with every default filled in, as `withDefaults` answers. */
export const clusterSetSettings: Schema<ClusterSetSettings> = object<ClusterSetSettings>({
  name: following(ownerName),
  namespace: following(dnsLabel),
  selector,
  template,
  places: list(
    object<ClusterPlace>({
      region: optional(following(awsRegion)),
      roleArn: optional(roleArn),
      account: optional(account),
    }),
  ),
  adopt: flag,
  gracePeriod: milliseconds,
  maxShare: whole(0, 100),
  concurrency: whole(1, 100),
  interval: milliseconds,
});

/** Everything that is wrong with the content of a configuration file. */
export function clusterSetProblems(content: unknown): readonly PlacedProblem[] {
  return problemsOf(clusterSetSchema, content);
}

/**
 * Reads a set from YAML or JSON.
 *
 * @param file name of the file, for messages
 * @throws InvalidInput with every problem: `clusterset.yaml:7:9 spec.template.metadata.labels.env: …`
 */
export function parseClusterSet(text: string, file: string): ClusterSet {
  return readSettings(text, file, clusterSetProblems);
}

/**
 * Checks a set that a program made.
 *
 * @throws InvalidInput with every problem
 */
export function checkClusterSet(set: ClusterSet): void {
  const problems = clusterSetProblems(set).map(({ steps: _steps, ...problem }) => problem);
  if (problems.length > 0) {
    throw new InvalidInput('ClusterSet', problems);
  }
}

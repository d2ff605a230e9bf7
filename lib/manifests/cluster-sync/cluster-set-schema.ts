import { arnParts, awsRegion, iamRoleArn } from '../../core/aws/arns';
import { parseDuration } from '../../core/durations';
import { reservedKeys } from '../../core/names';
import { across, list, object, optional, record } from '../../core/validation/collections';
import {
  dnsLabel,
  dnsSubdomain,
  labelKey,
  labelValue,
  proxyUrl,
  someText,
  wholeNumber,
} from '../../core/validation/formats';
import { InvalidInput, isMapping } from '../../core/validation/problems';
import type { Rule } from '../../core/validation/problems';
import { readSettings } from '../../core/validation/read-settings';
import { problemsOf } from '../../core/validation/schema';
import type { JsonSchema, OptionalSchema, PlacedProblem, Schema } from '../../core/validation/schema';
import { holdsLogin, namesSecret, plainSecrets } from '../../core/validation/secrets';
import {
  anything,
  flag,
  following,
  oneOf,
  orNull,
  secret,
  text,
  that,
  whole,
} from '../../core/validation/values';
import type {
  ClusterLogin,
  ClusterSelector,
  ClusterSet,
  ClusterSetAccount,
  ClusterSetSpec,
  ClusterTemplate,
} from './cluster-set';
import { TemplateError, checkTemplate, isTemplate, templateRule } from './text-template';

/** A key that may be left out; one without a value is null, and was left out as well. */
function maybe<T>(schema: Schema<T>): OptionalSchema<T> {
  return optional(orNull(schema));
}

/** A text with something in it, as far as a JSON Schema can say more. */
const filled: JsonSchema = { type: 'string', pattern: '\\S' };

const words = following(someText, filled);

const roleArn = following(iamRoleArn, {
  type: 'string',
  pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$',
});

const account = text('an account: a text of 12 digits, in quotation marks', /^\d{12}$/);

/**
 * Key and value of a tag. A number is a text to AWS, and YAML reads it as a number unless it stands in quotation marks.
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

/** A template; a text without a variable must be what its expansion has to be. */
function templateOf(rule: Rule): Rule {
  return {
    allowed: `${rule.allowed}; or ${templateRule}`,
    accepts: (value) => {
      if (typeof value !== 'string' || !isTemplate(value)) {
        return rule.accepts(value);
      }
      try {
        checkTemplate(value);
        return true;
      } catch (error) {
        if (error instanceof TemplateError) {
          return false;
        }
        throw error;
      }
    },
  };
}

/** Texts by key, each of which the rule for keys accepts. */
function textsBy(key: Pick<Rule, 'allowed'> & { accepts(key: string): boolean }, value: Schema<string>) {
  return across(record(value), (given, { mustBe }) =>
    Object.keys(given)
      .filter((each) => !key.accepts(each))
      .forEach((each) => mustBe([each], `under ${key.allowed}`)),
  );
}

const requirement = across(
  object<NonNullable<ClusterSelector['matchExpressions']>[number]>({
    key: tagKey,
    operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: maybe(list(tagValue)),
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
    eksTags: maybe(
      textsBy({ allowed: tagKey.allowed, accepts: (key) => problemsOf(tagKey, key).length === 0 }, tagValue),
    ),
    matchExpressions: maybe(
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
    roleARN: maybe(roleArn),
  },
  'an object with eksTags or matchExpressions; {} selects every cluster',
);

const accounts = list(
  across(
    object<ClusterSetAccount>({
      roleArn: maybe(roleArn),
      regions: maybe(list(following(awsRegion), 1, 'a list of at least one region, or left out')),
      account: maybe(account),
    }),
    ({ roleArn: role, account: given }, { mustBe }) => {
      const ofRole = arnParts(String(role))?.account;
      if (ofRole !== undefined && typeof given === 'string' && given !== ofRole) {
        mustBe(['account'], `that of roleArn, ${ofRole}, or left out`);
      }
    },
  ),
  1,
  'a list of at least one account, or left out',
);

const noSecret = "left out: a credential would stand in the Secret; give the pods' own identity the right";

const templateText = templateOf(someText);

/** Arguments and environment of a program; a secret among them is not shown, whatever else is wrong with it. */
const program = across(
  object<NonNullable<ClusterLogin['execProviderConfig']>>({
    command: words,
    args: maybe({ ...list(anything), json: { type: 'array', items: { type: 'string' } } }),
    env: maybe({
      ...record(anything),
      json: { type: 'object', additionalProperties: { type: 'string' } },
    }),
    apiVersion: maybe(words),
    installHint: maybe(words),
  }),
  ({ args, env }, { mustBe, mustBeSecretly }) => {
    const given: readonly unknown[] = Array.isArray(args) ? args : [];
    const secrets = plainSecrets(given.map((each) => (typeof each === 'string' ? each : '')));
    given.forEach((each, position) => {
      if (secrets.includes(position)) {
        mustBeSecretly(['args', position], noSecret);
      } else if (!templateText.accepts(each)) {
        mustBe(['args', position], templateText.allowed);
      }
    });
    for (const [name, value] of Object.entries(isMapping(env) ? env : {})) {
      if (namesSecret(name) || (typeof value === 'string' && holdsLogin(value))) {
        mustBeSecretly(['env', name], noSecret);
      } else if (!templateText.accepts(value)) {
        mustBe(['env', name], templateText.allowed);
      }
    }
  },
);

/** How Argo CD logs in: once, without a credential. */
const login = across(
  object<ClusterLogin>({
    awsAuthConfig: maybe(
      object({ roleARN: maybe(following(templateOf(iamRoleArn), filled)), profile: maybe(words) }),
    ),
    execProviderConfig: maybe(program),
    // It may hold a password.
    proxyUrl: maybe(secret(following(proxyUrl))),
  }),
  ({ awsAuthConfig, execProviderConfig }, { conflicts }) => {
    if (isThere(awsAuthConfig) && isThere(execProviderConfig)) {
      conflicts(['execProviderConfig'], 'awsAuthConfig');
    }
  },
);

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const anyText: Rule = {
  allowed: 'a text (numbers and booleans in quotation marks)',
  accepts: (value) => typeof value === 'string',
};

/** Labels or annotations, whose values are templates. */
function metadataTexts(value: Rule): Schema<Readonly<Record<string, string>>> {
  return across(textsBy(labelKey, following(templateOf(value))), (given, { mustBe }) =>
    Object.keys(given)
      .filter((key) => reservedKeys.includes(key))
      .forEach((key) => mustBe([key], 'left out: this key is kept by others')),
  );
}

const template = across(
  object<ClusterTemplate>(
    {
      metadata: maybe(
        object({
          name: maybe(following(templateOf(dnsSubdomain), filled)),
          labels: maybe(metadataTexts(labelValue)),
          annotations: maybe(metadataTexts(anyText)),
          config: maybe(login),
        }),
      ),
      clusterName: maybe(following(templateText, filled)),
      server: maybe(oneOf('endpoint', 'arn')),
      config: maybe(login),
      project: maybe(following(templateOf(dnsSubdomain), filled)),
      shard: maybe(
        following(templateOf(wholeNumber(0, Number.MAX_SAFE_INTEGER)), {
          type: ['integer', 'string'],
          minimum: 0,
        }),
      ),
      namespaces: maybe(list(following(dnsLabel))),
      clusterResources: maybe(flag),
    },
    'an object; {} registers clusters under their own names',
  ),
  ({ metadata, config, server }, { conflicts }) => {
    const older = isMapping(metadata) ? metadata.config : undefined;
    if (isThere(config) && isThere(older)) {
      conflicts(['metadata', 'config'], 'spec.template.config');
    }
    for (const [steps, each] of [[['config'], config] as const, [['metadata', 'config'], older] as const]) {
      if (isThere(each) && server === 'arn') {
        conflicts(steps, "server: arn, the cluster's ARN, with which EKS logs in by itself");
      }
    }
  },
);

const spec = across(
  object<ClusterSetSpec>({
    selector,
    template,
    accounts: maybe(accounts),
    adopt: maybe(flag),
    deletion: maybe(
      object({
        gracePeriod: maybe(durationFrom(0, 'a duration such as "15m" or "1h"')),
        maxShare: maybe(whole(0, 100)),
      }),
    ),
    concurrency: maybe(whole(1, 100)),
    interval: maybe(durationFrom(10_000, 'a duration of at least 10s, such as "1m"')),
  }),
  ({ selector: selected, accounts: places }, { mustBe, conflicts }) => {
    if (isMapping(selected) && isThere(selected.roleARN) && isThere(places)) {
      conflicts(['selector', 'roleARN'], 'spec.accounts, which says which roles are assumed');
    }
    const seen = new Set<string>();
    for (const [position, each] of (Array.isArray(places) ? places : []).entries()) {
      const { roleArn: role, regions } = (isMapping(each) ? each : {}) as Partial<ClusterSetAccount>;
      for (const [index, region] of (Array.isArray(regions) ? regions : []).entries()) {
        const place = JSON.stringify([role ?? null, region]);
        if (seen.has(place)) {
          mustBe(
            ['accounts', position, 'regions', index],
            'a region that is not asked with this role already',
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

const ownerName: Rule = {
  allowed: `a label value that is not empty: ${labelValue.allowed}`,
  accepts: (value) => value !== '' && labelValue.accepts(value),
};

/** What a configuration file of `cluster-canary clusters` may say. */
export const clusterSetSchema: Schema<ClusterSet> = object<ClusterSet>(
  {
    apiVersion: optional(anything),
    kind: maybe(oneOf('ClusterSet')),
    metadata: object(
      {
        name: following(ownerName, { type: 'string', minLength: 1, maxLength: 63 }),
        namespace: maybe(following(dnsLabel)),
      },
      'an object with name and namespace',
      kept,
    ),
    spec,
  },
  'an object with metadata and spec',
  ['status'],
);

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

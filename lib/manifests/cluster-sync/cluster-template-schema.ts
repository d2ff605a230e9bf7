import { iamRoleArn } from '../../core/aws/arns';
import { reservedKeys } from '../../core/names';
import { across, list, object, optionalOrNull, record } from '../../core/validation/collections';
import {
  dnsLabel,
  dnsSubdomain,
  labelKey,
  labelValue,
  proxyUrl,
  nonEmptyText,
  wholeNumber,
} from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import type { JsonSchema, Schema } from '../../core/validation/schema';
import { holdsLogin, namesSecret, plainSecrets } from '../../core/validation/secrets';
import { anything, flag, following, oneOf, secret } from '../../core/validation/values';
import type { ClusterLogin, ClusterTemplate } from './cluster-set';
import { TemplateError, checkTemplate, isTemplate, templateRule } from './text-template';

/** A text with something in it, as far as a JSON Schema can say more. */
export const filled: JsonSchema = { type: 'string', pattern: '\\S' };

const words = following(nonEmptyText, filled);

/** A template; a text without a variable must be what its expansion has to be. */
function templateOf(rule: Format): Format {
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
export function textsBy(key: Format, value: Schema<string>): Schema<Readonly<Record<string, string>>> {
  return across(record(value), (given, { mustBe }) =>
    Object.keys(given)
      .filter((each) => !key.accepts(each))
      .forEach((each) => mustBe([each], `under ${key.allowed}`)),
  );
}

const noSecret = "left out: a credential would be in the Secret; give the pods' own identity the right";

const templateText = templateOf(nonEmptyText);

/** Arguments and environment of a program; a secret among them is not shown, whatever else is wrong with it. */
const program = across(
  object<NonNullable<ClusterLogin['execProviderConfig']>>({
    command: words,
    args: optionalOrNull({ ...list(anything), json: { type: 'array', items: { type: 'string' } } }),
    env: optionalOrNull({
      ...record(anything),
      json: { type: 'object', additionalProperties: { type: 'string' } },
    }),
    apiVersion: optionalOrNull(words),
    installHint: optionalOrNull(words),
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
    for (const [name, value] of Object.entries(isPlainObject(env) ? env : {})) {
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
    awsAuthConfig: optionalOrNull(
      object({
        roleARN: optionalOrNull(following(templateOf(iamRoleArn), filled)),
        profile: optionalOrNull(words),
      }),
    ),
    execProviderConfig: optionalOrNull(program),
    // It may hold a password.
    proxyUrl: optionalOrNull(secret(following(proxyUrl))),
  }),
  ({ awsAuthConfig, execProviderConfig }, { conflicts }) => {
    if (isThere(awsAuthConfig) && isThere(execProviderConfig)) {
      conflicts(['execProviderConfig'], 'awsAuthConfig');
    }
  },
);

/** Whether something is said of a key: null says nothing. */
export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const anyText: Format = {
  allowed: 'a text (numbers and booleans in quotation marks)',
  accepts: (value) => typeof value === 'string',
};

/** Labels or annotations, whose values are templates. */
function metadataTexts(value: Format): Schema<Readonly<Record<string, string>>> {
  return across(textsBy(labelKey, following(templateOf(value))), (given, { mustBe }) =>
    Object.keys(given)
      .filter((key) => reservedKeys.includes(key))
      .forEach((key) => mustBe([key], 'left out: this key is kept by others')),
  );
}

/** What the Secrets of clusters say. */
export const template: Schema<ClusterTemplate> = across(
  object<ClusterTemplate>(
    {
      metadata: optionalOrNull(
        object({
          name: optionalOrNull(following(templateOf(dnsSubdomain), filled)),
          labels: optionalOrNull(metadataTexts(labelValue)),
          annotations: optionalOrNull(metadataTexts(anyText)),
          config: optionalOrNull(login),
        }),
      ),
      clusterName: optionalOrNull(following(templateText, filled)),
      server: optionalOrNull(oneOf('endpoint', 'arn')),
      config: optionalOrNull(login),
      project: optionalOrNull(following(templateOf(dnsSubdomain), filled)),
      shard: optionalOrNull(
        following(templateOf(wholeNumber(0, Number.MAX_SAFE_INTEGER)), {
          type: ['integer', 'string'],
          minimum: 0,
        }),
      ),
      namespaces: optionalOrNull(list(following(dnsLabel))),
      clusterResources: optionalOrNull(flag),
    },
    'an object; {} registers clusters under their own names',
  ),
  ({ metadata, config, server }, { conflicts }) => {
    const older = isPlainObject(metadata) ? metadata.config : undefined;
    if (isThere(config) && isThere(older)) {
      conflicts(['metadata', 'config'], 'spec.template.config');
    }
    for (const [steps, each] of [[['config'], config] as const, [['metadata', 'config'], older] as const]) {
      if (isThere(each) && server === 'arn') {
        conflicts(steps, "server: arn, the cluster's ARN, with which EKS logs in itself");
      }
    }
  },
);

import { intentPolicy, intents } from '../../core/admission/intent';
import type { FailurePolicy, Intent } from '../../core/admission/intent';
import { matchConditionRisks, mostMatchConditions } from '../../core/admission/match-conditions';
import type { MatchCondition } from '../../core/admission/match-conditions';
import { forbiddenWithFail } from '../../core/admission/protected-resources';
import { exemptingSelector, operationsOf, selectsNoNamespace } from '../../core/admission/requests';
import type { WebhookRule } from '../../core/admission/requests';
import { injectionSources } from '../../core/certificates/ca-bundles';
import { selects } from '../../core/kubernetes/label-selector';
import type { LabelSelector, Labels } from '../../core/kubernetes/label-selector';
import { intentAnnotation } from '../../core/names';
import { across, list, object, optional } from '../../core/validation/collections';
import type { Objections } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain, labelKey } from '../../core/validation/formats';
import type { Problems } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { fits, oneOf, text, that } from '../../core/validation/values';
import { annotations, completedLabels, labelSelector } from '../field-schemas';

/** Metadata of a webhook configuration, which belongs to the cluster and has no namespace. */
export interface WebhookMetadata {
  /**
   * Name of the webhook configuration. A renamed one is a new one, without a CA until it is injected.
   * @default - the webhook's name
   */
  readonly name?: string;
  /** Labels. @default - those of the chart */
  readonly labels?: Labels;
  /** Annotations beside those that inject the CA. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Metadata; annotations that are set otherwise are refused. */
export const webhookMetadata: Entries<WebhookMetadata> = {
  name: optional(fits(dnsSubdomain)),
  labels: optional(completedLabels()),
  annotations: optional(
    across(annotations, (given, { mustBe }) => {
      const keys = injectionSources(given as Readonly<Record<string, string>>);
      for (const key of [...keys, intentAnnotation].filter((each) => Object.hasOwn(given, each))) {
        mustBe(
          [key],
          `left out: ${key === intentAnnotation ? 'intent' : 'certificate or caInjection'} sets it`,
        );
      }
    }),
  ),
};

const ruleFields = ['operations', 'apiGroups', 'apiVersions', 'resources'] as const;

const part = String.raw`([a-z0-9]([-a-z0-9.]*[a-z0-9])?|\*)`;

function atLeastOne<T>(item: Schema<T>): Schema<readonly T[]> {
  return list(item, 1, 'at least one');
}

/**
 * A rule, as the API server takes it.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/admissionregistration/validation/validation.go
 */
const webhookRule: Schema<WebhookRule> = across(
  object<WebhookRule>({
    operations: atLeastOne(oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*')),
    apiGroups: atLeastOne(text('an API group; "" is the core group')),
    apiVersions: atLeastOne(text('a version such as "v1"', /./s)),
    resources: atLeastOne(
      text('a plural in lower case such as "pods" or "pods/exec"', new RegExp(`^${part}(/${part})?$`)),
    ),
    scope: optional(oneOf('Cluster', 'Namespaced', '*')),
  }),
  (rule, objections) => {
    for (const field of ruleFields) {
      const values = textsIn(rule[field]);
      const everything = field === 'resources' ? '*/*' : '*';
      if (values.length > 1 && values.includes(everything)) {
        objections.mustBe([field], `"${everything}" alone, or a list without it`);
      }
    }
    checkOverlap(textsIn(rule.resources), objections);
  },
);

function textsIn(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((each) => typeof each === 'string') : [];
}

function checkOverlap(resources: readonly string[], { mustBe }: Objections): void {
  if (resources.includes('*') && resources.some((each) => each !== '*' && !each.includes('/'))) {
    mustBe(['resources'], '"*" without other resources beside it');
  }
  for (const wildcard of resources.filter(
    (each) => each.includes('/') && each.includes('*') && each !== '*/*',
  )) {
    const [resource, below] = wildcard.split('/');
    const covered = resources.filter((each) => {
      const [otherResource, otherBelow] = each.split('/');
      return (
        each !== wildcard &&
        otherBelow !== undefined &&
        (below === '*' ? otherResource === resource : otherBelow === below)
      );
    });
    if (covered.length > 0) {
      mustBe(['resources'], `"${wildcard}" without ${covered.map((each) => `"${each}"`).join(', ')}`);
    }
  }
}

/** What decides which requests a webhook or a policy evaluates, and what becomes of those that it can't evaluate. */
export interface Matching {
  readonly intent: Intent;
  readonly rules: readonly WebhookRule[];
  readonly optIn?: Labels;
  readonly objectSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly exemptNamespaces?: readonly string[];
  readonly failurePolicy?: FailurePolicy;
}

/** What evaluates the requests, in messages. */
interface Evaluate {
  /** What it is. */
  readonly called: 'webhook' | 'policy';
  /** When it can't evaluate. */
  readonly fails: string;
}

/** Schemas of {@link Matching}. */
export const matchingEntries: Entries<Matching> = {
  intent: oneOf(...intents),
  rules: list(webhookRule, 1, 'at least one rule: a webhook without rules is never asked'),
  optIn: optional(completedLabels()),
  objectSelector: optional(labelSelector()),
  namespaceSelector: optional(labelSelector()),
  exemptNamespaces: optional(list(fits(dnsLabel))),
  failurePolicy: optional(oneOf('Ignore', 'Fail')),
};

/** An expression of the Common Expression Language. */
export const celExpression = text('a CEL expression', /\S/);

/** Match conditions, as many as the API server takes. */
export const matchConditions: Schema<readonly MatchCondition[]> = that(
  list(object<MatchCondition>({ name: fits(labelKey), expression: celExpression })),
  `at most ${mostMatchConditions} conditions`,
  (conditions) => conditions.length <= mostMatchConditions,
);

/** Adds names that are there twice, and expressions that fail on objects which are in order. */
export function checkMatchConditions(
  problems: Problems,
  path: string,
  conditions: readonly MatchCondition[],
  rules: readonly WebhookRule[],
): void {
  conditions.forEach(({ name }, position) => {
    if (conditions.findIndex((other) => other.name === name) < position) {
      problems.add(`${path}[${position}].name`, name, 'a name that no other condition has');
    }
  });
  for (const { position, expression, allowed } of matchConditionRisks(conditions, operationsOf(rules))) {
    problems.add(`${path}[${position}].expression`, expression, allowed);
  }
}

/** Adds a selector that leaves no namespace but those that are left out. */
export function checkNamespaces(
  problems: Problems,
  { namespaceSelector }: Partial<Matching>,
  leftOut: readonly string[],
): void {
  if (namespaceSelector && selectsNoNamespace(exemptingSelector(leftOut, namespaceSelector))) {
    problems.add(
      'namespaceSelector',
      namespaceSelector,
      `a selection with a namespace in it other than those that are left out: ${leftOut.join(', ')}`,
    );
  }
}

/** What is evaluated: without what is wrong by itself, and as it was given. */
interface MatchingCase {
  readonly sound: Partial<Matching>;
  readonly given: Partial<Matching>;
}

/** Adds what contradicts the intent, where that is one. */
export function checkIntent(
  problems: Problems,
  { sound, given }: MatchingCase,
  { called, fails }: Evaluate,
): void {
  const { intent, failurePolicy, rules = [] } = sound;
  if (intent === undefined) {
    return;
  }
  const policy = intentPolicy(intent);
  if (failurePolicy !== undefined && failurePolicy !== policy.failurePolicy) {
    problems.add(
      'failurePolicy',
      failurePolicy,
      `${policy.failurePolicy} or left out with the intent ${intent}: ${policy.why}`,
    );
  }
  if (policy.failurePolicy === 'Fail') {
    rules.forEach((rule, position) =>
      forbiddenWithFail(rule, fails).forEach(({ path, value, allowed }) =>
        problems.add(`rules[${position}].${path}`, value, allowed),
      ),
    );
  }
  if (policy.optIn) {
    checkOptIn(problems, sound, given.optIn, called);
  } else {
    checkNoWayAround(problems, sound, called);
  }
}

function checkOptIn(
  problems: Problems,
  { intent, optIn = {}, objectSelector, rules = [] }: Partial<Matching>,
  given: Labels | undefined,
  called: string,
): void {
  if (Object.keys(given ?? {}).length === 0) {
    problems.add(
      'optIn',
      optIn,
      `at least one label by which an object opts in to the ${called} (intent ${intent})`,
    );
  }
  if (objectSelector) {
    const { matchLabels = {}, matchExpressions = [] } = objectSelector;
    const asked = (key: string): boolean => Object.hasOwn(optIn, key);
    const onOptIn = {
      matchLabels: Object.fromEntries(Object.entries(matchLabels).filter(([key]) => asked(key))),
      matchExpressions: matchExpressions.filter(({ key }) => asked(key)),
    };
    if (!selects(onOptIn, optIn)) {
      problems.add('objectSelector', objectSelector, 'one that selects objects with the optIn label');
    }
  }
  rules.forEach(({ operations }, position) => {
    if (operations.includes('CONNECT')) {
      problems.add(
        `rules[${position}].operations`,
        operations,
        `without CONNECT with the intent ${intent}: what is connected to has no labels, so an opt-in never matches`,
      );
    }
  });
}

function checkNoWayAround(problems: Problems, matching: Partial<Matching>, called: string): void {
  for (const path of ['optIn', 'objectSelector'] as const) {
    if (matching[path] !== undefined) {
      problems.add(
        path,
        matching[path],
        `left out with the intent security: the author of an object could avoid the ${called}`,
      );
    }
  }
}

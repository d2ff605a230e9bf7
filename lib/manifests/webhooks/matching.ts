import type { IntentPolicy } from '../../core/admission/intent';
import { forbiddenWithFail } from '../../core/admission/protected-resources';
import { exemptingSelector, selectsNoNamespace } from '../../core/admission/requests';
import { injectionSources } from '../../core/certificates/ca-bundles';
import { checkLabelSelector, selects } from '../../core/kubernetes/label-selector';
import { intentAnnotation } from '../../core/names';
import { FieldChecks } from '../../core/validation/fields';
import { dnsLabel, dnsSubdomain, labelKey } from '../../core/validation/formats';
import type { Problems } from '../../core/validation/problems';
import type { WebhookMetadata, WebhookProps } from './webhook-props';

/** Adds what the API server would refuse in metadata, and annotations that are set otherwise. */
export function checkMetadata(problems: Problems, metadata: WebhookMetadata = {}): void {
  if (metadata.name !== undefined) {
    problems.check('metadata.name', metadata.name, dnsSubdomain);
  }
  new FieldChecks(problems).labels('metadata.labels', metadata.labels);
  const annotations = metadata.annotations ?? {};
  Object.keys(annotations).forEach((key) => problems.check('metadata.annotations (key)', key, labelKey));
  for (const key of [...injectionSources(annotations), intentAnnotation]) {
    if (Object.hasOwn(annotations, key)) {
      problems.add(
        `metadata.annotations["${key}"]`,
        annotations[key],
        `left out: ${key === intentAnnotation ? 'intent' : 'certificate or caInjection'} sets it`,
      );
    }
  }
}

/** What decides which requests a webhook or a policy evaluates, and what becomes of those that it can't evaluate. */
export type Matching = Pick<
  WebhookProps,
  'intent' | 'rules' | 'optIn' | 'objectSelector' | 'namespaceSelector' | 'exemptNamespaces' | 'failurePolicy'
>;

/** What evaluates the requests, in messages. */
export interface Evaluate {
  /** What it is. */
  readonly called: 'webhook' | 'policy';
  /** When it can't evaluate. */
  readonly fails: string;
}

/** Adds what is wrong with the namespaces that are left out, and a selector that leaves no other. */
export function checkNamespaces(problems: Problems, matching: Matching, leftOut: readonly string[]): void {
  (matching.exemptNamespaces ?? []).forEach((namespace, position) =>
    problems.check(`exemptNamespaces[${position}]`, namespace, dnsLabel),
  );
  const { namespaceSelector } = matching;
  if (!namespaceSelector) {
    return;
  }
  checkLabelSelector(new FieldChecks(problems), 'namespaceSelector', namespaceSelector);
  if (selectsNoNamespace(exemptingSelector(leftOut, namespaceSelector))) {
    problems.add(
      'namespaceSelector',
      namespaceSelector,
      `a selection with a namespace in it other than those that are left out: ${leftOut.join(', ')}`,
    );
  }
}

/** Adds what contradicts the intent. */
export function checkIntent(
  problems: Problems,
  matching: Matching,
  policy: IntentPolicy,
  { called, fails }: Evaluate,
): void {
  const { intent, failurePolicy, rules } = matching;
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
    checkOptIn(problems, matching, called);
  } else {
    checkNoWayAround(problems, matching, called);
  }
}

function checkOptIn(
  problems: Problems,
  { intent, optIn = {}, objectSelector, rules }: Matching,
  called: string,
): void {
  if (Object.keys(optIn).length === 0) {
    problems.add(
      'optIn',
      optIn,
      `at least one label by which an object opts in to the ${called} (intent ${intent})`,
    );
  }
  const checks = new FieldChecks(problems);
  checks.labels('optIn', optIn);
  if (objectSelector) {
    checkLabelSelector(checks, 'objectSelector', objectSelector);
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

function checkNoWayAround(problems: Problems, matching: Matching, called: string): void {
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

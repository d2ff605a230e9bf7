import { readCel } from '../../../../core/admission/cel';
import { matchesRequest, namespaceNameLabel } from '../../../../core/admission/requests';
import type { RequestKind } from '../../../../core/admission/requests';
import { selects } from '../../../../core/kubernetes/label-selector';
import type { LabelSelector, Labels } from '../../../../core/kubernetes/label-selector';
import type { RuleContext } from '../../../rule';
import type { AdmissionWebhook } from '../../../views/admission';
import { namespaceOf } from '../../../views/workloads';
import type { KnownNamespace } from '../../../views/workloads';
import { listInWords, nameInWords } from './format';

/**
 * Whether a selector selects only what has a certain label: by `matchLabels`, `In` or `Exists`. What `NotIn` and
 * `DoesNotExist` leave out does not count, since they select whatever was not considered. Nor does a namespace's having a
 * name: every namespace has.
 */
export function asksForLabel(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.keys(matchLabels).length > 0 ||
    matchExpressions.some(
      ({ key, operator }) => operator === 'In' || (operator === 'Exists' && key !== namespaceNameLabel),
    )
  );
}

/** Whether only objects that ask for a webhook, or those of namespaces that do, are sent to it. */
export function isOptIn({ namespaceSelector, objectSelector }: AdmissionWebhook): boolean {
  return asksForLabel(objectSelector) || asksForLabel(namespaceSelector);
}

/** Whether a selector selects less than everything. */
export function isSelective(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
}

/** That a webhook is called for an object. */
export interface Reach {
  /** What may leave the object out all the same, and can't be checked here. None of it, and the webhook is certainly called. */
  readonly unless: readonly string[];
}

/** Longer texts are not read. */
export const longestExpression = 10_000;

/** Parts of a request that say nothing of what is sent to whom. */
const indifferent = new Set(['dryRun', 'options', 'uid']);

/** Names of the match conditions that may leave something out: they are not evaluated. */
function unevaluatedConditions({ matchConditions }: AdmissionWebhook): readonly string[] {
  return matchConditions.filter(({ expression }) => !holdsAnyway(expression)).map(({ name }) => name);
}

function holdsAnyway(expression: string): boolean {
  if (expression.length > longestExpression) {
    return false;
  }
  const { roots, accesses } = readCel([expression]);
  return (
    expression.trim() !== '' &&
    [...roots].every((root) => root === 'true' || root === 'request') &&
    accesses.every(({ base, key }) => base !== 'request' || indifferent.has(key))
  );
}

/** What is left to say of match conditions: nothing, where there are none that matter. */
export function conditionsInWords(webhook: AdmissionWebhook): string[] {
  const names = unevaluatedConditions(webhook);
  return names.length === 0
    ? []
    : [
        `match conditions (${listInWords(names.map(nameInWords))}), which are not evaluated here, leave it out`,
      ];
}

/** Whether a webhook's rules match a request. */
export function asksAbout({ rules }: AdmissionWebhook, request: RequestKind): boolean {
  return rules.some((rule) => matchesRequest(rule, request));
}

/** A namespace as its manifest says, or else as the cluster has it. */
export function knownNamespace({ objects, live }: RuleContext, name: string): KnownNamespace {
  const known = namespaceOf(objects, name);
  return known.complete || !live ? known : namespaceOf(live, name);
}

/**
 * Whether the selectors of a webhook let an object through to it, rules apart.
 *
 * A label of a namespace that is not among the objects may be there or not: a selector that asks for one selects no
 * such namespace, since none has it by itself; one that leaves a label out selects it unless it has the label.
 *
 * @param labels of the object; undefined where they are not known
 */
export function reachOf(
  webhook: AdmissionWebhook,
  namespace: KnownNamespace,
  labels: Labels | undefined,
): Reach | undefined {
  const { namespaceSelector, objectSelector } = webhook;
  if (!selects(namespaceSelector, namespace.labels) || !selects(objectSelector, labels ?? {})) {
    return undefined;
  }
  const left = namespace.complete ? [] : leftOutBy(webhook, namespace);
  const where = nameInWords(namespace.name);
  return {
    unless: [
      ...(left.length > 0
        ? [`the namespace ${where}, whose manifest is not here, has a label ${listInWords(left)}`]
        : []),
      ...(labels === undefined && isSelective(objectSelector)
        ? ['labels of the objects, which are not here, leave them out']
        : []),
      ...conditionsInWords(webhook),
    ],
  };
}

/** Labels by which a namespace may be left out. */
function leftOutBy({ namespaceSelector }: AdmissionWebhook, { labels }: KnownNamespace): string[] {
  return (namespaceSelector?.matchExpressions ?? [])
    .filter(({ operator }) => operator === 'NotIn' || operator === 'DoesNotExist')
    .map(({ key }) => key)
    .filter((key) => key !== namespaceNameLabel && !Object.hasOwn(labels, key))
    .map(nameInWords);
}

/** Completes a message with what can't be checked. */
export function unlessInWords({ unless }: Reach): string {
  return unless.length === 0 ? '' : `, unless ${unless.join(', or ')}`;
}

import type { LabelSelector } from '../../../admission';
import { namespaceNameLabel } from '../../../admission';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';

/**
 * Whether a selector selects only what has a certain label: by `matchLabels`, `In` or `Exists`. What `NotIn` and
 * `DoesNotExist` leave out does not count, since they select whatever nobody thought of. Nor does a namespace's having a
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

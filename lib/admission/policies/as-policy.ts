import { refuseOptions } from '../../problems';
import type { Matching } from '../check-matching';
import type { WebhookProps } from '../webhook-props';
import { mutatingWebhookPropsKeys } from '../webhook-props';
import type { MutatingPolicyProps, PolicyProps, ValidatingPolicyProps } from './policy-props';

/** What a policy takes over from the webhook in whose place it stands. */
type FromWebhook = Pick<PolicyProps, 'name' | 'metadata' | 'matchConditions' | keyof Matching>;

/** What a validating policy says beyond the webhook in whose place it stands. */
export type ValidatingJudgement = Omit<ValidatingPolicyProps, keyof FromWebhook>;

/** What a mutating policy says beyond the webhook in whose place it stands. */
export type MutatingJudgement = Omit<MutatingPolicyProps, keyof FromWebhook>;

/**
 * The props of a policy in place of a webhook: who is judged, and what happens where that fails, stay as they were.
 * What only a call needs is left behind: Service, server, certificate, timeout, side effects. With them go the
 * exemptions of the server's own namespace and of cert-manager's; name them in `exemptNamespaces` to keep them.
 *
 * @example
 * new ValidatingPolicy(chart, 'images', asPolicy(webhook, { validations: [{ expression }] }));
 */
export function asPolicy(webhook: WebhookProps, judgement: ValidatingJudgement): ValidatingPolicyProps;
export function asPolicy(webhook: WebhookProps, judgement: MutatingJudgement): MutatingPolicyProps;
export function asPolicy(
  webhook: WebhookProps,
  judgement: ValidatingJudgement | MutatingJudgement,
): ValidatingPolicyProps | MutatingPolicyProps {
  refuseOptions('asPolicy', webhook, mutatingWebhookPropsKeys);
  const { name, metadata, intent, rules, optIn, objectSelector } = webhook;
  const { namespaceSelector, exemptNamespaces, failurePolicy, matchConditions } = webhook;
  const shared: FromWebhook = {
    ...{ name, metadata, intent, rules, optIn, objectSelector },
    ...{ namespaceSelector, exemptNamespaces, failurePolicy, matchConditions },
  };
  return { ...shared, ...judgement };
}

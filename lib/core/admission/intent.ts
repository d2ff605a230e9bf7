/**
 * What a webhook is for. It decides what happens to a request while the webhook's server can't be reached.
 *
 * - `convenience`: the object is fine without the webhook. The request passes (`Ignore`), and only objects that
 *   carry the opt-in label are sent at all.
 * - `required`: the label says that the object is wrong without the webhook (a pod that asks for a readiness gate).
 *   The request is refused (`Fail`), and only objects that carry the opt-in label are sent.
 * - `security`: nothing may pass unseen. The request is refused (`Fail`), no label on an object lets its author
 *   avoid the webhook, and the server must be able to lose a node.
 */
export type Intent = 'convenience' | 'required' | 'security';

/** What the API server does with a request when the webhook can't be asked. */
export type FailurePolicy = 'Fail' | 'Ignore';

/** What follows from an intent. */
export interface IntentPolicy {
  /** What happens to a request while the webhook can't be asked. */
  readonly failurePolicy: FailurePolicy;
  /** Whether an object must ask for the webhook by a label. */
  readonly optIn: boolean;
  /** Why, for messages. */
  readonly why: string;
}

const policies: Readonly<Record<Intent, IntentPolicy>> = {
  convenience: {
    failurePolicy: 'Ignore',
    optIn: true,
    why: 'a convenience must never stop the creation of an object',
  },
  required: {
    failurePolicy: 'Fail',
    optIn: true,
    why: 'an object with the opt-in label is wrong without it',
  },
  security: {
    failurePolicy: 'Fail',
    optIn: false,
    why: 'nothing may pass unseen',
  },
};

/** Every intent. */
export const intents = Object.keys(policies) as readonly Intent[];

/** What follows from an intent. */
export function intentPolicy(intent: Intent): IntentPolicy {
  return policies[intent];
}

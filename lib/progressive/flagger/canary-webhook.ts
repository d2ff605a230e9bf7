import type { OptionsOf } from '../../problems';

/**
 * When Flagger calls:
 *
 * | type | when | a status over 202 |
 * |---|---|---|
 * | `confirm-rollout` | before the new version gets pods | waits |
 * | `pre-rollout` | before it gets traffic | a failed check |
 * | `rollout` | at each step, before the metrics | a failed check |
 * | `confirm-traffic-increase` | before each higher weight | waits |
 * | `confirm-promotion` | before it is released | waits, and goes on checking |
 * | `post-rollout` | after the release or the way back | is told |
 * | `rollback` | all the way | goes on; **any other status takes the new version back** |
 * | `event` | at every event | is told |
 *
 * @see https://docs.flagger.app/usage/webhooks
 */
export type CanaryWebhookType =
  | 'confirm-rollout'
  | 'pre-rollout'
  | 'rollout'
  | 'confirm-traffic-increase'
  | 'confirm-promotion'
  | 'post-rollout'
  | 'rollback'
  | 'event';

/** A service that Flagger calls by POST, with the Canary's name, namespace and phase. */
export interface CanaryWebhook {
  /** Name in events, once in a Canary. */
  readonly name: string;
  /** When it is called. @default 'rollout' - Flagger's */
  readonly type?: CanaryWebhookType;
  /** `http://…` or `https://…`, without credentials: it stands in the manifest. */
  readonly url: string;
  /** Longest time of one try, in minutes and seconds. @default '10s' - Flagger's */
  readonly timeout?: string;
  /** Further tries. @default 0 */
  readonly retries?: number;
  /** Whether certificates are not verified. @default false */
  readonly disableTLS?: boolean;
  /** Whether waiting for a confirmation is not alerted. @default false */
  readonly muteAlert?: boolean;
  /** What is sent besides; it stands in the manifest. @default - nothing */
  readonly metadata?: Readonly<Record<string, string>>;
}

export const canaryWebhookKeys: OptionsOf<CanaryWebhook> = {
  name: 'plain',
  type: 'plain',
  url: 'plain',
  timeout: 'plain',
  retries: 'plain',
  disableTLS: 'plain',
  muteAlert: 'plain',
  metadata: 'plain',
};

import { falseOr, list, object, optional } from '../../../core/validation/collections';
import { dnsLabel, nonEmptyText } from '../../../core/validation/formats';
import type { Schema } from '../../../core/validation/schema';
import { text } from '../../../core/validation/values';
import { completed } from '../../field-schemas';

/** When a notification is sent, and which. */
export interface NotificationTrigger {
  /** Name, without dots: subscriptions are annotations, whose key has the name between dots. */
  readonly name: string;
  /** The conditions; each is evaluated on its own. */
  readonly conditions: readonly TriggerCondition[];
}

/**
 * A condition on an Application.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/triggers/
 */
export interface TriggerCondition {
  /** An expression over `app`, true when the notification is due. Optional parts are read with `?.`. */
  readonly when: string;
  /** Names of the templates that are sent. */
  readonly send: readonly string[];
  /**
   * An expression: one notification is sent for each value of it. `false` sends one each time the condition becomes true, and
   * an Application that flaps sends as many.
   * @default 'app.status.operationState?.syncResult?.revision' - one for each revision, as Argo CD's own catalog has it
   */
  readonly oncePer?: string | false;
  /** What the condition is for. @default - nothing */
  readonly description?: string;
}

const expression = completed(nonEmptyText);

export const notificationTrigger: Schema<NotificationTrigger> = object<NotificationTrigger>({
  name: completed(dnsLabel),
  conditions: list(
    object<TriggerCondition>({
      when: expression,
      send: list(text('a text'), 1, 'a list with at least one template'),
      oncePer: optional(falseOr<string>(expression, `${nonEmptyText.allowed}, or false`)),
      description: optional(text('a text')),
    }),
    1,
    'a list with at least one condition',
  ),
});

/** One notification for each revision. */
export const oncePerRevision = 'app.status.operationState?.syncResult?.revision';

const operation = 'app.status.operationState';

/**
 * Ready triggers; each takes the names of the templates that it sends.
 * @see https://github.com/argoproj/argo-cd/tree/v3.4.4/notifications_catalog/triggers
 */
export const notificationTriggers = {
  /** A sync failed. */
  syncFailed: (...send: readonly string[]): NotificationTrigger => ({
    name: 'on-sync-failed',
    conditions: [
      {
        when: `${operation} != nil and ${operation}.phase in ['Error', 'Failed']`,
        send,
        description: 'A sync failed',
      },
    ],
  }),

  /** The Application is degraded: one notification a revision, or one that flaps would send one each time. */
  degraded: (...send: readonly string[]): NotificationTrigger => ({
    name: 'on-health-degraded',
    conditions: [
      { when: "app.status.health?.status == 'Degraded'", send, description: 'The Application is degraded' },
    ],
  }),

  /**
   * Argo CD synchronised automatically at a revision that was synchronised before: either an object was changed in the
   * cluster, or the same revision was rendered to something else than before (a chart that was published again, a random
   * value, a remote base), which may happen at any hour, when a cache runs out.
   *
   * Argo CD counts these syncs in `operation.sync.autoHealAttemptsCount`; they need `selfHeal`.
   * @see https://github.com/argoproj/argo-cd/blob/v3.4.4/controller/appcontroller.go
   */
  syncedAgain: (...send: readonly string[]): NotificationTrigger => ({
    name: 'on-synced-again',
    conditions: [
      {
        when:
          `${operation} != nil and ${operation}.phase == 'Succeeded' and ` +
          `(${operation}.operation?.sync?.autoHealAttemptsCount ?? 0) > 0`,
        send,
        description: 'Objects were changed by a sync at an unchanged revision',
      },
    ],
  }),
};

/** A trigger's conditions as they are in the ConfigMap. */
export function triggerManifest({ conditions }: NotificationTrigger): Record<string, unknown>[] {
  return conditions.map(({ when, send, oncePer = oncePerRevision, description }) => ({
    when,
    send,
    ...(oncePer === false ? {} : { oncePer }),
    ...(description === undefined ? {} : { description }),
  }));
}

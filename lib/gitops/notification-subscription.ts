import type { OptionsOf } from '../problems';
import { Problems, dnsLabel, someText, refuseOptions } from '../problems';
import type { FieldChecks } from './field-checks';

/** Who hears of a trigger, of all Applications or of some. */
export interface NotificationSubscription {
  /** Recipients: `SERVICE:RECIPIENT`, or `SERVICE` alone for a webhook. */
  readonly recipients: readonly string[];
  /** Names of the triggers. */
  readonly triggers: readonly string[];
  /** Label selector of the Applications, `env=production`. @default - every Application */
  readonly selector?: string;
}

export const notificationSubscriptionKeys: OptionsOf<NotificationSubscription> = {
  recipients: 'list',
  triggers: 'list',
  selector: 'plain',
};

/** A subscription of one Application, or of all of a project. */
export interface SubscribeOptions {
  /** Name of the trigger. */
  readonly trigger: string;
  /** Name of the service. */
  readonly service: string;
  /** Recipients, such as channels. @default - none: a webhook has none */
  readonly recipients?: readonly string[];
}

const subscribeOptionsKeys: OptionsOf<SubscribeOptions> = {
  trigger: 'plain',
  service: 'plain',
  recipients: 'list',
};

/**
 * Annotations that subscribe to triggers, for an Application, an ApplicationSet's template or an AppProject (for all of its
 * Applications).
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/subscriptions/
 *
 * @throws InvalidInput where a name or a recipient is wrong
 *
 * @example
 * new gitops.AppProject(chart, 'apps', {
 *   ...apps,
 *   annotations: gitops.subscribeTo({ trigger: 'on-sync-failed', service: 'slack', recipients: ['deployments'] }),
 * });
 */
export function subscribeTo(...subscriptions: readonly SubscribeOptions[]): Record<string, string> {
  subscriptions.forEach((each) => refuseOptions('subscribeTo', each, subscribeOptionsKeys));
  const problems = new Problems('subscribeTo');
  const annotations: Record<string, string> = {};
  subscriptions.forEach(({ trigger, service, recipients = [] }, position) => {
    const at = `subscriptions[${position}]`;
    problems.check(`${at}.trigger`, trigger, dnsLabel);
    problems.check(`${at}.service`, service, dnsLabel);
    recipients.forEach((recipient, index) => {
      problems.check(`${at}.recipients[${index}]`, recipient, {
        allowed: 'a text that is not empty, without ";"',
        accepts: (value) => someText.accepts(value) && !value.includes(';'),
      });
    });
    const key = `notifications.argoproj.io/subscribe.${trigger}.${service}`;
    annotations[key] = [...(annotations[key] ? [annotations[key]] : []), ...recipients].join(';');
  });
  problems.throwIfAny();
  return annotations;
}

/** Checks a subscription against the triggers and services that are there. */
export function checkSubscription(
  checks: FieldChecks,
  path: string,
  subscription: NotificationSubscription,
  known: { readonly triggers: readonly string[]; readonly services: readonly string[] },
): void {
  const { recipients, triggers, selector } = subscription;
  recipients.forEach((recipient, position) => {
    if (!known.services.includes(String(recipient).split(':')[0]!)) {
      checks.problems.add(
        `${path}.recipients[${position}]`,
        recipient,
        '"SERVICE:RECIPIENT" (or "SERVICE") with the name of one of "services"',
      );
    }
  });
  triggers.forEach((trigger, position) => {
    if (!known.triggers.includes(trigger)) {
      checks.problems.add(`${path}.triggers[${position}]`, trigger, 'the name of one of "triggers"');
    }
  });
  for (const [name, list] of Object.entries({ recipients, triggers })) {
    if (list.length === 0) {
      checks.problems.add(`${path}.${name}`, list, 'a list that is not empty');
    }
  }
  checks.optional(`${path}.selector`, selector, someText);
}

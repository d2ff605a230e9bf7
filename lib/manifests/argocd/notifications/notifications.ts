import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { FieldChecks } from '../../../core/validation/fields';
import { dnsLabel, dnsSubdomain, nonEmptyText } from '../../../core/validation/formats';
import { listOf, optionKeyProblems, refuseOptions } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { Problems } from '../../../core/validation/problems';
import { httpsUrl } from '../argo-object';
import {
  checkNotificationService,
  notificationServiceKeys,
  refersToSecret,
  serviceKey,
  serviceName,
  serviceOptions,
} from './services';
import type { NotificationService } from './services';
import { checkNotificationTemplate, notificationTemplateKeys, templateManifest } from './templates';
import type { NotificationTemplate } from './templates';
import { checkTrigger, notificationTriggerKeys, triggerManifest } from './triggers';
import type { NotificationTrigger } from './triggers';

/** Who hears of a trigger, of all Applications or of some. */
export interface NotificationSubscription {
  /** Recipients: `SERVICE:RECIPIENT`, or `SERVICE` alone for a webhook. */
  readonly recipients: readonly string[];
  /** Names of the triggers. */
  readonly triggers: readonly string[];
  /** Label selector of the Applications, `env=production`. @default - every Application */
  readonly selector?: string;
}

const notificationSubscriptionKeys: OptionsOf<NotificationSubscription> = {
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
 * new argocd.AppProject(chart, 'apps', {
 *   ...apps,
 *   annotations: argocd.subscribeTo({ trigger: 'on-sync-failed', service: 'slack', recipients: ['deployments'] }),
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
        accepts: (value) => nonEmptyText.accepts(value) && !value.includes(';'),
      });
    });
    const key = `notifications.argoproj.io/subscribe.${trigger}.${service}`;
    annotations[key] = [...(annotations[key] ? [annotations[key]] : []), ...recipients].join(';');
  });
  problems.throwIfAny();
  return annotations;
}

/** Checks a subscription against the triggers and services that are there. */
function checkSubscription(
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
  checks.optional(`${path}.selector`, selector, nonEmptyText);
}

/** What Argo CD tells whom, when. */
export interface NotificationSettings {
  /** Where notifications go. */
  readonly services: readonly NotificationService[];
  /** What they say. */
  readonly templates: readonly NotificationTemplate[];
  /** When they are sent; `notificationTriggers` has ready ones. */
  readonly triggers: readonly NotificationTrigger[];
  /** Who hears of all Applications. @default - only who subscribes by annotation, see `subscribeTo` */
  readonly subscriptions?: readonly NotificationSubscription[];
  /** URL of Argo CD, for links. @default - none */
  readonly argocdUrl?: string;
  /** Further texts for templates, `context.NAME`. @default - none */
  readonly context?: Readonly<Record<string, string>>;
  /**
   * Name of the Secret in Argo CD's namespace that `$KEY` refers to. It is not made here: let the External Secrets Operator
   * or a Sealed Secret make it.
   * @default - none; to be given where a service refers to it
   */
  readonly secretName?: string;
}

const settingsKeys: OptionsOf<Omit<NotificationSettings, 'secretName'>> = {
  services: listOf(notificationServiceKeys),
  templates: listOf(notificationTemplateKeys),
  triggers: listOf(notificationTriggerKeys),
  subscriptions: listOf(notificationSubscriptionKeys),
  argocdUrl: 'plain',
  context: 'plain',
};

/** Keys of `NotificationSettings`. */
export const notificationSettingsKeys: OptionsOf<NotificationSettings> = {
  ...settingsKeys,
  secretName: 'plain',
};

/** Everything that is wrong with notifications; paths are those of the settings. */
export function notificationProblems(settings: NotificationSettings): Problems['all'] {
  const unfit = optionKeyProblems(settings, notificationSettingsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('notifications');
  const checks = new FieldChecks(problems);
  const { services, templates, triggers, subscriptions = [] } = settings;
  const names = {
    services: services.map(serviceName),
    templates: templates.map(({ name }) => name),
    triggers: triggers.map(({ name }) => name),
  };
  const webhooks = services.filter(({ kind }) => kind === 'webhook').map(serviceName);
  services.forEach((each, position) => checkNotificationService(checks, `services[${position}]`, each));
  templates.forEach((each, position) =>
    checkNotificationTemplate(checks, `templates[${position}]`, each, webhooks),
  );
  triggers.forEach((each, position) => checkTrigger(checks, `triggers[${position}]`, each, names.templates));
  subscriptions.forEach((each, position) =>
    checkSubscription(checks, `subscriptions[${position}]`, each, names),
  );
  for (const [field, list] of Object.entries(names)) {
    checks.distinct(field, list, 'a name');
  }
  checks.optional('argocdUrl', settings.argocdUrl, httpsUrl);
  checks.optional('secretName', settings.secretName, dnsSubdomain);
  if (settings.secretName === undefined && services.some(refersToSecret)) {
    problems.add('secretName', undefined, 'given: a service refers to a key of the Secret by "$KEY"');
  }
  return problems.all;
}

/** The entries of Argo CD's ConfigMap for notifications, by their kind. */
export interface NotificationEntries {
  /** `service.TYPE.NAME`. */
  readonly services: Readonly<Record<string, string>>;
  /** `template.NAME`. */
  readonly templates: Readonly<Record<string, string>>;
  /** `trigger.NAME`. */
  readonly triggers: Readonly<Record<string, string>>;
}

/**
 * The entries as texts. They are JSON, which is YAML as well, and needs no care for texts that YAML would take for something
 * else.
 */
export function notificationEntries(settings: NotificationSettings): NotificationEntries {
  refuseOptions('notificationEntries', settings, notificationSettingsKeys);
  const text = (value: unknown) => JSON.stringify(value, undefined, 2);
  return {
    services: Object.fromEntries(
      settings.services.map((each) => [serviceKey(each), text(serviceOptions(each))]),
    ),
    templates: Object.fromEntries(
      settings.templates.map((each) => [`template.${each.name}`, text(templateManifest(each))]),
    ),
    triggers: Object.fromEntries(
      settings.triggers.map((each) => [`trigger.${each.name}`, text(triggerManifest(each))]),
    ),
  };
}

/** Notifications for an Argo CD that is installed in another way than by a hub. */
export interface NotificationsProps extends Omit<NotificationSettings, 'secretName'> {
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
}

const notificationsPropsKeys: OptionsOf<NotificationsProps> = { ...settingsKeys, namespace: 'plain' };

/**
 * The ConfigMap `argocd-notifications-cm`, which the notifications controller reads. The Secret beside it,
 * `argocd-notifications-secret`, is for others to create.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/
 *
 * @example
 * new argocd.Notifications(chart, 'notifications', {
 *   services: [{ kind: 'webhook', name: 'hook', url: 'https://hooks.example.com/argo' }],
 *   templates: [argocd.applicationNotification('degraded', 'has degraded', ['hook'])],
 *   triggers: [argocd.notificationTriggers.degraded('degraded')],
 *   subscriptions: [{ recipients: ['hook'], triggers: ['on-health-degraded'] }],
 * });
 */
export class Notifications extends Construct {
  /** The ConfigMap. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput with everything that is wrong or refers to nothing */
  public constructor(scope: Construct, id: string, props: NotificationsProps) {
    refuseOptions(`Notifications "${id}"`, props, notificationsPropsKeys);
    super(scope, id);
    const problems = new Problems('Notifications');
    const { namespace = 'argocd', ...settings } = props;
    const secretName = 'argocd-notifications-secret';
    problems.check('namespace', namespace, dnsLabel);
    problems.addAll(notificationProblems({ ...settings, secretName }));
    problems.throwIfAny();
    const { services, templates, triggers } = notificationEntries({ ...settings, secretName });
    const { argocdUrl, context, subscriptions } = props;
    this.apiObject = new ApiObject(this, 'Resource', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-notifications-cm', namespace: props.namespace ?? 'argocd' },
      data: {
        context: JSON.stringify({ argocdUrl: argocdUrl ?? '', ...context }),
        ...services,
        ...templates,
        ...triggers,
        subscriptions: subscriptions?.length ? JSON.stringify(subscriptions, undefined, 2) : undefined,
      },
    });
  }
}

import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, dnsLabel, dnsSubdomain, refuseOptions, optionKeyProblems, listOf } from '../problems';
import { FieldChecks } from './field-checks';
import { httpsUrl } from './argo-rules';
import type { NotificationService } from './notification-service';
import {
  checkNotificationService,
  notificationServiceKeys,
  refersToSecret,
  serviceKey,
  serviceName,
  serviceOptions,
} from './notification-service';
import type { NotificationSubscription } from './notification-subscription';
import { checkSubscription, notificationSubscriptionKeys } from './notification-subscription';
import type { NotificationTemplate } from './notification-template';
import {
  checkNotificationTemplate,
  templateManifest,
  notificationTemplateKeys,
} from './notification-template';
import type { NotificationTrigger } from './notification-trigger';
import { checkTrigger, triggerManifest, notificationTriggerKeys } from './notification-trigger';

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
 * `argocd-notifications-secret`, is for somebody else to make.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/
 *
 * @example
 * new gitops.Notifications(chart, 'notifications', {
 *   services: [{ kind: 'webhook', name: 'hook', url: 'https://hooks.example.com/argo' }],
 *   templates: [gitops.applicationNotification('degraded', 'has degraded', ['hook'])],
 *   triggers: [gitops.notificationTriggers.degraded('degraded')],
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

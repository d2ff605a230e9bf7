import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { across, list, object, optional, record } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import { dnsLabel, dnsSubdomain, nonEmptyText } from '../../../core/validation/formats';
import { isPlainObject } from '../../../core/validation/problems';
import type { PlainObject, Problem } from '../../../core/validation/problems';
import type { Entries, Schema, Unevaluated } from '../../../core/validation/schema';
import { following, text } from '../../../core/validation/values';
import { completed, propsProblems, refuseProps, repeatedIn, withKnownKeys } from '../../field-schemas';
import { httpsUrl } from '../argo-object';
import { notificationService, refersToSecret, serviceKey, serviceName, serviceOptions } from './services';
import type { NotificationService } from './services';
import { notificationTemplate, templateManifest } from './templates';
import type { NotificationTemplate } from './templates';
import { notificationTrigger, triggerManifest } from './triggers';
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

const notEmpty = 'a list that is not empty';

const notificationSubscription = object<NotificationSubscription>({
  recipients: list(text('a text'), 1, notEmpty),
  triggers: list(text('a text'), 1, notEmpty),
  selector: optional(completed(nonEmptyText)),
});

/** A subscription of one Application, or of all of a project. */
export interface SubscribeOptions {
  /** Name of the trigger. */
  readonly trigger: string;
  /** Name of the service. */
  readonly service: string;
  /** Recipients, such as channels. @default - none: a webhook has none */
  readonly recipients?: readonly string[];
}

const subscriptions = list(
  object<SubscribeOptions>({
    trigger: following(dnsLabel),
    service: following(dnsLabel),
    recipients: optional(list(text('a text that is not empty, without ";"', /^[^;]*[^;\s][^;]*$/))),
  }),
);

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
export function subscribeTo(...options: readonly SubscribeOptions[]): Record<string, string> {
  refuseProps('subscribeTo', object({ subscriptions }), { subscriptions: options });
  const annotations: Record<string, string> = {};
  for (const { trigger, service, recipients = [] } of options) {
    const key = `notifications.argoproj.io/subscribe.${trigger}.${service}`;
    annotations[key] = [...(annotations[key] ? [annotations[key]] : []), ...recipients].join(';');
  }
  return annotations;
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

const settingsEntries: Entries<Omit<NotificationSettings, 'secretName'>> = {
  services: list(notificationService),
  templates: list(notificationTemplate),
  triggers: list(notificationTrigger),
  subscriptions: optional(list(notificationSubscription)),
  argocdUrl: optional(completed(httpsUrl)),
  context: optional(record(text('a text'))),
};

/** What notifications are made of, and what of it names another part. */
export const notificationSettings: Schema<NotificationSettings> = across(
  object<NotificationSettings>({ ...settingsEntries, secretName: optional(completed(dnsSubdomain)) }),
  (settings, objections) => {
    checkReferences(settings, objections);
    if (settings.secretName === undefined && servicesIn(settings.services).some(refersToSecret)) {
      objections.mustBe(['secretName'], 'given: a service refers to a key of the Secret by "$KEY"');
    }
  },
);

function listIn(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}

function objectsIn(values: unknown): readonly PlainObject[] {
  return listIn(values).map((each) => (isPlainObject(each) ? each : {}));
}

function servicesIn(values: unknown): readonly NotificationService[] {
  return objectsIn(values) as readonly unknown[] as readonly NotificationService[];
}

/** What is named has to be there, and to have its name alone. */
function checkReferences(
  settings: Unevaluated<Omit<NotificationSettings, 'secretName'>>,
  { mustBe }: Objections,
): void {
  const services = servicesIn(settings.services);
  const [templates, triggers] = [objectsIn(settings.templates), objectsIn(settings.triggers)];
  const names = {
    services: services.map(serviceName),
    templates: templates.map(({ name }) => name),
    triggers: triggers.map(({ name }) => name),
  };
  for (const [field, given] of Object.entries(names)) {
    for (const position of repeatedIn(given)) {
      mustBe([field, position], 'a name that the list does not hold already', given[position]);
    }
  }
  const webhooks = services.filter(({ kind }) => kind === 'webhook').map(serviceName);
  for (const [position, { webhook }] of templates.entries()) {
    for (const name of isPlainObject(webhook) ? Object.keys(webhook) : []) {
      if (!webhooks.includes(name)) {
        const steps = ['templates', position, 'webhook', name];
        mustBe(steps, 'the name of one of the webhooks of "services"', name);
      }
    }
  }
  for (const [position, { conditions }] of triggers.entries()) {
    for (const [place, { send }] of objectsIn(conditions).entries()) {
      for (const [index, name] of listIn(send).entries()) {
        if (!names.templates.includes(name)) {
          const steps = ['triggers', position, 'conditions', place, 'send', index];
          mustBe(steps, 'the name of one of "templates"');
        }
      }
    }
  }
  for (const [position, { recipients, triggers: named }] of objectsIn(settings.subscriptions).entries()) {
    for (const [index, recipient] of listIn(recipients).entries()) {
      if (!names.services.includes(String(recipient).split(':')[0]!)) {
        mustBe(
          ['subscriptions', position, 'recipients', index],
          '"SERVICE:RECIPIENT" (or "SERVICE") with the name of one of "services"',
        );
      }
    }
    for (const [index, trigger] of listIn(named).entries()) {
      if (!names.triggers.includes(trigger)) {
        mustBe(['subscriptions', position, 'triggers', index], 'the name of one of "triggers"');
      }
    }
  }
}

/** Everything that is wrong with notifications; paths are those of the settings. */
export function notificationProblems(settings: NotificationSettings): readonly Problem[] {
  return propsProblems(notificationSettings, settings);
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
  withKnownKeys('notificationEntries', notificationSettings, settings);
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

const notificationsProps = across(
  object<NotificationsProps>({ ...settingsEntries, namespace: optional(following(dnsLabel)) }),
  checkReferences,
);

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
    refuseProps(`Notifications "${id}"`, notificationsProps, props);
    super(scope, id);
    const { namespace: _, ...settings } = props;
    const secretName = 'argocd-notifications-secret';
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

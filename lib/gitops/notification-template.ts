import type { OptionsOf } from '../problems';
import { dnsLabel, oneOf, mapOf } from '../problems';
import type { FieldChecks } from './field-checks';
import type { JsonValue } from './json-value';
import type { NotificationJson } from './notification-text';
import { NotificationField, NotificationText, jsonTemplate, plainTemplate } from './notification-text';

/** What a notification says in words. */
export type NotificationPhrase = string | NotificationText | NotificationField;

/**
 * What a notification says. Literal texts are written as they are: `{{` in one is no expression.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/templates/
 */
export interface NotificationTemplate {
  /** Name. */
  readonly name: string;
  /** The message, for every service that has no words of its own. @default - none */
  readonly message?: NotificationPhrase;
  /** What a mail has beside the message. @default - nothing */
  readonly email?: {
    /** The mail's subject. */
    readonly subject: NotificationPhrase;
  };
  /** What Slack shows beside the message. @default - nothing */
  readonly slack?: {
    /** Attachments. @default - none */
    readonly attachments?: readonly NotificationJson[];
    /** Blocks. @default - none */
    readonly blocks?: readonly NotificationJson[];
    /** Messages with the same text here are one thread. @default - none */
    readonly groupingKey?: NotificationPhrase;
  };
  /** Requests by the name of their webhook. A webhook without one gets the message, by GET. @default - none */
  readonly webhook?: Readonly<Record<string, WebhookRequest>>;
  /** Fields of other services, as Argo CD's pages have them; texts are Go templates here. @default - none */
  readonly other?: { readonly [service: string]: JsonValue };
}

/** A request of a webhook. */
export interface WebhookRequest {
  /** Method. @default 'POST' - Argo CD's own default, GET, sends the body nowhere */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Path after the webhook's URL. @default - none */
  readonly path?: NotificationPhrase;
  /** The body, as data: it is written as JSON, whatever the fields hold. */
  readonly body: NotificationJson;
}

const webhookRequestKeys: OptionsOf<WebhookRequest> = { method: 'plain', path: 'plain', body: 'plain' };

export const notificationTemplateKeys: OptionsOf<NotificationTemplate> = {
  name: 'plain',
  message: 'plain',
  email: { subject: 'plain' },
  slack: { attachments: 'list', blocks: 'list', groupingKey: 'plain' },
  webhook: mapOf(webhookRequestKeys),
  other: 'plain',
};

/** What the ready template says of an Application. */
const facts = {
  application: new NotificationField('(dig "metadata" "name" "" .app)'),
  project: new NotificationField('(dig "spec" "project" "" .app)'),
  cluster: new NotificationField('(dig "spec" "destination" "name" "" .app)'),
  revision: new NotificationField('(dig "status" "sync" "revision" "" .app)'),
  sync: new NotificationField('(dig "status" "sync" "status" "" .app)'),
  health: new NotificationField('(dig "status" "health" "status" "" .app)'),
  phase: new NotificationField('(dig "status" "operationState" "phase" "" .app)'),
  message: new NotificationField('(dig "status" "operationState" "message" "" .app)'),
  url: new NotificationText(
    ['', '/applications/', ''],
    [
      new NotificationField('(index .context "argocdUrl" | toString)'),
      new NotificationField('(dig "metadata" "name" "" .app)'),
    ],
  ),
};

/**
 * A ready template: a message of one line, and the state of the Application as JSON for the webhooks that are named.
 *
 * @param name of the template
 * @param what is the matter, after the Application's name: `has degraded`
 * @param webhooks names of the webhooks that get the state as JSON
 */
export function applicationNotification(
  name: string,
  what: string,
  webhooks: readonly string[] = [],
): NotificationTemplate {
  const message = new NotificationText(
    ['', ` ${what} (`, '): ', ''],
    [facts.application, facts.cluster, facts.message],
  );
  return {
    name,
    message,
    email: { subject: new NotificationText(['', ` ${what}`], [facts.application]) },
    ...(webhooks.length > 0
      ? {
          webhook: Object.fromEntries(
            webhooks.map((webhook) => [webhook, { body: { event: name, text: message, ...facts } }]),
          ),
        }
      : {}),
  };
}

/** Checks a template. */
export function checkNotificationTemplate(
  checks: FieldChecks,
  path: string,
  template: NotificationTemplate,
  webhooks: readonly string[],
): void {
  checks.required(`${path}.name`, template.name, dnsLabel);
  for (const [name, request] of Object.entries(template.webhook ?? {})) {
    const at = `${path}.webhook.${name}`;
    if (!webhooks.includes(name)) {
      checks.problems.add(at, name, 'the name of one of the webhooks of "services"');
    }
    checks.optional(`${at}.method`, request.method, oneOf('GET', 'POST', 'PUT', 'PATCH'));
  }
  const { message, email, slack, webhook, other } = template;
  if ([message, email, slack, webhook, other].every((each) => each === undefined)) {
    checks.problems.add(path, undefined, 'an object with "message", "email", "slack", "webhook" or "other"');
  }
}

/** A template as it stands in the ConfigMap. */
export function templateManifest(template: NotificationTemplate): Record<string, unknown> {
  const { message, email, slack, webhook, other } = template;
  return {
    message: message === undefined ? undefined : plainTemplate(message),
    email: email && { subject: plainTemplate(email.subject) },
    slack: slack && {
      attachments: slack.attachments && jsonTemplate(slack.attachments),
      blocks: slack.blocks && jsonTemplate(slack.blocks),
      groupingKey: slack.groupingKey === undefined ? undefined : plainTemplate(slack.groupingKey),
    },
    webhook:
      webhook &&
      Object.fromEntries(
        Object.entries(webhook).map(([name, { method = 'POST', path, body }]) => [
          name,
          { method, path: path === undefined ? undefined : plainTemplate(path), body: jsonTemplate(body) },
        ]),
      ),
    ...other,
  };
}

import { list, object, optional, record } from '../../../core/validation/collections';
import { dnsLabel, oneOfWords } from '../../../core/validation/formats';
import type { Schema } from '../../../core/validation/schema';
import { anything, following } from '../../../core/validation/values';
import { completed, withKeys } from '../../field-schemas';
import type { JsonValue } from '../argo-object';

/**
 * A value that is known when a notification is sent. `notificationField` makes one.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/templates/
 */
export class NotificationField {
  /** @param expression a Go template's expression, in parentheses where it has several words */
  public constructor(public readonly expression: string) {}
}

/** A text with fields in it. `notificationText` makes one. */
export class NotificationText {
  /**
   * @param texts the literal texts, one more than there are fields
   * @param fields what is between them
   */
  public constructor(
    public readonly texts: readonly string[],
    public readonly fields: readonly NotificationField[],
  ) {}
}

/** Any data for a JSON body, with fields and texts as its leaves. */
export type NotificationJson =
  | string
  | number
  | boolean
  | null
  | NotificationField
  | NotificationText
  | readonly NotificationJson[]
  | { readonly [key: string]: NotificationJson };

/** The maps that hold any depth; a field of another one is one key deep. */
const deep: readonly string[] = ['app', 'appProject'];

/**
 * A field of the Application or of its project by its path, and of the `context` or the `secrets`; or `recipient` or
 * `serviceType`. What is not there is an empty text, not an error: an Application that was never synchronised has no
 * `status.operationState`.
 *
 * @param path names joined by dots, or a list of names where one has dots in it
 *
 * @example
 * notificationField('app.status.operationState.message');
 * notificationField(['app', 'metadata', 'annotations', 'example.com/owner']);
 */
export function notificationField(path: string | readonly string[]): NotificationField {
  const [root = '', ...keys] = typeof path === 'string' ? path.split('.') : path;
  if (keys.length === 0) {
    return new NotificationField(`.${root}`);
  }
  return deep.includes(root)
    ? new NotificationField(`(dig ${keys.map(goText).join(' ')} "" .${root})`)
    : new NotificationField(`(index .${root} ${keys.map(goText).join(' ')} | toString)`);
}

/**
 * A text with fields in it, for messages and as a value in JSON.
 *
 * @example
 * notificationText`Sync of ${notificationField('app.metadata.name')} failed`;
 */
export function notificationText(
  texts: TemplateStringsArray | readonly string[],
  ...fields: readonly NotificationField[]
): NotificationText {
  return new NotificationText([...texts], fields);
}

/** A text as a Go template that writes it as it is. */
export function plainTemplate(text: string | NotificationText | NotificationField): string {
  if (text instanceof NotificationField) {
    return `{{ ${text.expression} }}`;
  }
  if (typeof text === 'string') {
    return literal(text);
  }
  return text.texts
    .map((each, position) => {
      const field = text.fields[position];
      return field ? `${literal(each)}{{ ${field.expression} }}` : literal(each);
    })
    .join('');
}

/**
 * Data as a Go template that writes JSON. Argo CD's templates escape nothing themselves, so an error message with quotes or a
 * line break would break the body, or write fields of its own into it. Here every field goes through Sprig's `toJson`.
 * @see https://github.com/argoproj/notifications-engine/blob/cf274d2e5cf0df418062fcd1b458ccf3468ef070/pkg/templates/service.go
 * @see https://masterminds.github.io/sprig/defaults.html
 */
export function jsonTemplate(value: NotificationJson): string {
  if (value instanceof NotificationField) {
    return `{{ ${value.expression} | toJson }}`;
  }
  if (value instanceof NotificationText) {
    const format = value.texts.map((text) => text.replaceAll('%', '%%')).join('%v');
    return `{{ printf ${[goText(format), ...value.fields.map(({ expression }) => expression)].join(' ')} | toJson }}`;
  }
  if (Array.isArray(value)) {
    return `[${(value as readonly NotificationJson[]).map(jsonTemplate).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value as Readonly<Record<string, NotificationJson>>);
    return `{${fields.map(([key, below]) => `${jsonTemplate(key)}:${jsonTemplate(below)}`).join(',')}}`;
  }
  return literal(JSON.stringify(typeof value === 'string' ? wellFormed(value) : value));
}

/** A text that a template writes as it is, though it may hold what begins an expression. */
function literal(text: string): string {
  return text.replace(/\{{2,}|\{$/g, (braces) => `{{ "${braces}" }}`);
}

/** A text in Go's syntax: that of JSON, but for halves of characters, which Go has not. */
function goText(text: string): string {
  return JSON.stringify(wellFormed(text));
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** What a notification says in words. */
export type NotificationValue = string | NotificationText | NotificationField;

/**
 * What a notification says. Literal texts are written as they are: `{{` in one is no expression.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/templates/
 */
export interface NotificationTemplate {
  /** Name. */
  readonly name: string;
  /** The message, for every service that has no words of its own. @default - none */
  readonly message?: NotificationValue;
  /** What a mail has beside the message. @default - nothing */
  readonly email?: {
    /** The mail's subject. */
    readonly subject: NotificationValue;
  };
  /** What Slack shows beside the message. @default - nothing */
  readonly slack?: {
    /** Attachments. @default - none */
    readonly attachments?: readonly NotificationJson[];
    /** Blocks. @default - none */
    readonly blocks?: readonly NotificationJson[];
    /** Messages with the same text here are one thread. @default - none */
    readonly groupingKey?: NotificationValue;
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
  readonly path?: NotificationValue;
  /** The body, as data: it is written as JSON, whatever the fields hold. */
  readonly body: NotificationJson;
}

/** What a notification says in words. */
const words = following({
  allowed: 'a text, or what notificationText and notificationField make',
  accepts: (value) =>
    typeof value === 'string' || value instanceof NotificationText || value instanceof NotificationField,
});

const webhookRequest = object<WebhookRequest>({
  method: optional(completed(oneOfWords('GET', 'POST', 'PUT', 'PATCH'))),
  path: optional(words),
  body: anything,
});

export const notificationTemplate: Schema<NotificationTemplate> = withKeys(
  'at least one',
  ['message', 'email', 'slack', 'webhook', 'other'],
  object<NotificationTemplate>({
    name: completed(dnsLabel),
    message: optional(words),
    email: optional(object({ subject: words })),
    slack: optional(
      object({
        attachments: optional(list(anything)),
        blocks: optional(list(anything)),
        groupingKey: optional(words),
      }),
    ),
    webhook: optional(record(webhookRequest)),
    other: optional(record(anything)),
  }),
);

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

/** A template as it is in the ConfigMap. */
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

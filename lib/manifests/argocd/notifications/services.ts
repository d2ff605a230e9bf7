import { across, either, list, object, optional, record } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import { dnsLabel, nonEmptyText, port, textRule, wholeNumber } from '../../../core/validation/formats';
import { isPlainObject, laterValue } from '../../../core/validation/problems';
import type { PathSteps, Schema } from '../../../core/validation/schema';
import { namesSecret } from '../../../core/validation/secrets';
import { anything, oneOf, secret, text } from '../../../core/validation/values';
import { completed } from '../../field-schemas';
import type { JsonValue } from '../argo-object';

/**
 * Where notifications go. Texts may hold `$KEY`, which is the value of that key in the notifications' Secret; what is secret
 * must be given so.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/services/overview/
 */
export type NotificationService = NotificationWebhook | SlackService | EmailService | OtherService;

/** An HTTP request. It is tried again after a network error and an answer of 500 or above, and after nothing else. */
export interface NotificationWebhook {
  /** Tells the kinds apart. */
  readonly kind: 'webhook';
  /** Name, by which templates and subscriptions know it. */
  readonly name: string;
  /** URL; `$KEY` where it is a secret, as those of incoming webhooks are. A template may add a path. */
  readonly url: string;
  /** Headers. @default [{ name: 'Content-Type', value: 'application/json' }] - bodies are JSON */
  readonly headers?: readonly {
    /** Name of the header. */
    readonly name: string;
    /** The header's value; `$KEY` where it is a secret. */
    readonly value: string;
  }[];
  /** User name and password. @default - none */
  readonly basicAuth?: {
    /** User name; `$KEY` where it is a secret. */
    readonly username: string;
    /** Password: `$KEY`, a key of the notifications' Secret. */
    readonly password: string;
  };
  /** How often a request is tried again. @default 3 - Argo CD's default */
  readonly retryMax?: number;
}

/** Slack, as an app. */
export interface SlackService {
  /** Tells the kinds apart. */
  readonly kind: 'slack';
  /** Name. @default 'slack' */
  readonly name?: string;
  /** The app's token: `$KEY`. */
  readonly token: string;
  /** Name that the messages come from. @default - the app's */
  readonly username?: string;
  /** Picture beside the messages: `:name:` or a URL. @default - the app's */
  readonly icon?: string;
}

/** Mail, by SMTP. */
export interface EmailService {
  /** Tells the kinds apart. */
  readonly kind: 'email';
  /** Name. @default 'email' */
  readonly name?: string;
  /** Host of the server. */
  readonly host: string;
  /** Its port. */
  readonly port: number;
  /** Who the mail is from. */
  readonly from: string;
  /** User name. @default - none */
  readonly username?: string;
  /** Password: `$KEY`. @default - none */
  readonly password?: string;
}

/** Any other service that Argo CD has. */
export interface OtherService {
  /** Tells the kinds apart. */
  readonly kind: 'other';
  /** Argo CD's word for the service, `alertmanager`. */
  readonly type: string;
  /** Name. @default - its type */
  readonly name?: string;
  /** Options as Argo CD's page about the service has them. */
  readonly options: { readonly [option: string]: JsonValue };
}

/** The name by which a service is known. */
export function serviceName(service: NotificationService): string {
  return service.name ?? (service.kind === 'other' ? service.type : service.kind);
}

/** The key of a service in the ConfigMap. */
export function serviceKey(service: NotificationService): string {
  const type = service.kind === 'other' ? service.type : service.kind;
  const name = serviceName(service);
  return name === type ? `service.${type}` : `service.${type}.${name}`;
}

/** The options of a service as they are in the ConfigMap. */
export function serviceOptions(service: NotificationService): Record<string, unknown> {
  if (service.kind === 'other') {
    return service.options;
  }
  const { kind, name: _, ...options } = service;
  return kind === 'webhook'
    ? { headers: [{ name: 'Content-Type', value: 'application/json' }], ...options }
    : { ...options };
}

/** Whether a service refers to the notifications' Secret. */
export function refersToSecret(service: NotificationService): boolean {
  return reference.test(JSON.stringify(serviceOptions(service)));
}

/** https://github.com/argoproj/notifications-engine/blob/cf274d2e5cf0df418062fcd1b458ccf3468ef070/pkg/api/config.go */
const reference = /\$[\w-]+/;

const secretReference = textRule(
  /^\$[\w-]+$/,
  'the key of a value in the notifications\' Secret, such as "$slack-token"',
);

/** An address over TLS, or within the cluster; those of incoming webhooks are secrets themselves. */
const address = textRule(
  /^(\$[\w-]+(\/\S*)?|https:\/\/(?!hooks\.slack\.com\/)[^\s/@]+(\/\S*)?|http:\/\/[^\s/@:]+\.svc(\.cluster\.local\.?)?(:\d+)?(\/\S*)?)$/,
  'a URL that starts with "https://" (with "http://" for a host that ends in ".svc"), without user information, or "$KEY" ' +
    'where the URL is a secret, as those of incoming webhooks are',
);

const filled = completed(nonEmptyText);

const password = secret(completed(secretReference));

const header = across(
  object({ name: filled, value: secret(text('a text')) }),
  ({ name, value }, { mustBeSecretly }) => {
    if (
      typeof name === 'string' &&
      typeof value === 'string' &&
      namesSecret(name) &&
      !reference.test(value)
    ) {
      mustBeSecretly(['value'], 'a text with "$KEY" in it: the header is a secret');
    }
  },
);

const options = across(record(anything), (given, objections) => refuseSecrets([], given, objections));

/** The name of a service is that of its kind where none is given. */
const name = completed(dnsLabel);

const kinds: { readonly [K in NotificationService['kind']]: Schema } = {
  webhook: object<NotificationWebhook>({
    kind: oneOf('webhook'),
    name,
    url: secret(completed(address)),
    headers: optional(list(header)),
    basicAuth: optional(object({ username: filled, password })),
    retryMax: optional(completed(wholeNumber(0, 100))),
  }),
  slack: object<SlackService>({
    kind: oneOf('slack'),
    name: optional(name),
    token: password,
    username: optional(text('a text')),
    icon: optional(text('a text')),
  }),
  email: object<EmailService>({
    kind: oneOf('email'),
    name: optional(name),
    host: filled,
    port: completed(port),
    from: filled,
    username: optional(text('a text')),
    password: optional(password),
  }),
  other: object<OtherService>({ kind: oneOf('other'), type: name, name: optional(name), options }),
};

/** Where notifications go, by kind. */
export const notificationService: Schema<NotificationService> = either<NotificationService>(
  'an object with kind',
  ...Object.entries(kinds).map(([kind, schema]) => ({
    when: (value: unknown) => isPlainObject(value) && value.kind === kind,
    schema: schema as Schema<never>,
  })),
  {
    when: () => true,
    // What kind it would be is not known, nor what of it is secret.
    schema: across<{ readonly kind?: unknown }>(
      record(anything, undefined, 'an object with kind') as Schema as Schema<never>,
      ({ kind }, { mustBe, mustBeSecretly }) =>
        (laterValue(kind) === undefined ? mustBeSecretly : mustBe)(
          ['kind'],
          oneOf(...Object.keys(kinds)).allowed,
        ),
    ) as Schema as Schema<never>,
  },
);

/** @param isSecret whether all texts in it are: what is below `apiKeys` has names of its own */
function refuseSecrets(steps: PathSteps, value: unknown, objections: Objections, isSecret = false): void {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  for (const [key, below] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    const at = [...steps, Array.isArray(value) ? Number(key) : key];
    const named = isSecret || namesSecret(key);
    if (typeof below === 'string' && named && !reference.test(below)) {
      objections.mustBeSecretly(at, 'a text with "$KEY" in it: the option is a secret');
    }
    refuseSecrets(at, below, objections, isSecret || (named && /(?:key|token|password|secret)s$/i.test(key)));
  }
}

import type { FieldChecks } from '../../../core/validation/fields';
import { dnsLabel, port, nonEmptyText, textRule, wholeNumber } from '../../../core/validation/formats';
import { listOf } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { namesSecret } from '../../../core/validation/secrets';
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

export const notificationServiceKeys: OptionsOf<NotificationService> = {
  kind: 'plain',
  name: 'plain',
  url: 'plain',
  headers: listOf({ name: 'plain', value: 'plain' }),
  basicAuth: { username: 'plain', password: 'plain' },
  retryMax: 'plain',
  token: 'plain',
  username: 'plain',
  icon: 'plain',
  host: 'plain',
  port: 'plain',
  from: 'plain',
  password: 'plain',
  type: 'plain',
  options: 'plain',
};

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

const secret = textRule(
  /^\$[\w-]+$/,
  'the key of a value in the notifications\' Secret, such as "$slack-token"',
);

/** An address over TLS, or within the cluster; those of incoming webhooks are secrets themselves. */
const address = textRule(
  /^(\$[\w-]+(\/\S*)?|https:\/\/(?!hooks\.slack\.com\/)[^\s/@]+(\/\S*)?|http:\/\/[^\s/@:]+\.svc(\.cluster\.local\.?)?(:\d+)?(\/\S*)?)$/,
  'a URL that starts with "https://" (with "http://" for a host that ends in ".svc"), without user information, or "$KEY" ' +
    'where the URL is a secret, as those of incoming webhooks are',
);

/** Checks a service. */
export function checkNotificationService(
  checks: FieldChecks,
  path: string,
  service: NotificationService,
): void {
  checks.required(`${path}.name`, serviceName(service), dnsLabel);
  switch (service.kind) {
    case 'webhook':
      checks.requiredSecretly(`${path}.url`, service.url, address);
      service.headers?.forEach(({ name, value }, position) => {
        const at = `${path}.headers[${position}]`;
        checks.required(`${at}.name`, name, nonEmptyText);
        if (namesSecret(name) && !reference.test(value)) {
          checks.problems.addSecret(`${at}.value`, 'a text with "$KEY" in it: the header is a secret');
        }
      });
      if (service.basicAuth) {
        checks.required(`${path}.basicAuth.username`, service.basicAuth.username, nonEmptyText);
        checks.requiredSecretly(`${path}.basicAuth.password`, service.basicAuth.password, secret);
      }
      checks.optional(`${path}.retryMax`, service.retryMax, wholeNumber(0, 100));
      break;
    case 'slack':
      checks.requiredSecretly(`${path}.token`, service.token, secret);
      break;
    case 'email':
      checks.required(`${path}.host`, service.host, nonEmptyText);
      checks.required(`${path}.port`, service.port, port);
      checks.required(`${path}.from`, service.from, nonEmptyText);
      checks.optionalSecretly(`${path}.password`, service.password, secret);
      break;
    case 'other':
      checks.required(`${path}.type`, service.type, dnsLabel);
      checkSecretOptions(checks, `${path}.options`, service.options);
      break;
    default:
      checks.problems.addSecret(`${path}.kind`, 'one of "webhook", "slack", "email", "other"');
  }
}

/** @param isSecret whether all texts in it are: what is below `apiKeys` has names of its own */
function checkSecretOptions(checks: FieldChecks, path: string, value: JsonValue, isSecret = false): void {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  for (const [name, below] of Object.entries(value as Readonly<Record<string, JsonValue>>)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
    const named = isSecret || namesSecret(name);
    if (typeof below === 'string' && named && !reference.test(below)) {
      checks.problems.addSecret(at, 'a text with "$KEY" in it: the option is a secret');
    }
    checkSecretOptions(
      checks,
      at,
      below,
      isSecret || (named && /(?:key|token|password|secret)s$/i.test(name)),
    );
  }
}

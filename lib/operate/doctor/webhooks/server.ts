import { Field } from '../../../lint';
import type { CaBundleLocation } from '../../../lint';
import type { FindingSeverity } from '../check';

/** A server that API servers call, with everything that calls it. */
export interface ServedWebhook {
  /** `Service shop/gate, port 443`, or `https://hooks.example.com/gate`. */
  readonly name: string;
  readonly at:
    | {
        readonly by: 'service';
        readonly namespace: string;
        readonly name: string;
        /** Of the Service. */
        readonly port: number;
      }
    | {
        readonly by: 'url';
        readonly host: string;
        readonly port: number;
        /** Whether it is on the machine of the API server itself. */
        readonly isLocal: boolean;
      };
  /** The name that its certificate has to carry. */
  readonly serverName: string;
  /** Places with a CA bundle for it. */
  readonly callers: readonly [CaBundleLocation, ...CaBundleLocation[]];
}

/** The servers behind all places with a CA bundle, by Service and port, or by host and port of the URL. */
export function webhookServers(anchors: readonly CaBundleLocation[]): readonly ServedWebhook[] {
  const found = new Map<string, Omit<ServedWebhook, 'callers'> & { callers: CaBundleLocation[] }>();
  for (const anchor of anchors) {
    const server = serverOf(anchor);
    if (server) {
      const known = found.get(server.name);
      if (known) {
        known.callers.push(anchor);
      } else {
        found.set(server.name, { ...server, callers: [anchor] });
      }
    }
  }
  return [...found.values()] as unknown as readonly ServedWebhook[];
}

function serverOf({ service, field }: CaBundleLocation): Omit<ServedWebhook, 'callers'> | undefined {
  if (service) {
    const { namespace, name, port } = service;
    return {
      name: `Service ${namespace}/${name}, port ${port}`,
      at: { by: 'service', namespace, name, port },
      serverName: `${name}.${namespace}.svc`,
    };
  }
  const text = field.get('url').text ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') {
    return undefined;
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    // Its path and query may hold a secret, and one server has one certificate for all of them.
    name: url.origin,
    at: {
      by: 'url',
      host,
      port: Number(url.port || 443),
      isLocal: host === 'localhost' || host === '::1' || host.startsWith('127.'),
    },
    serverName: host,
  };
}

/** What calls the server, in words: `ValidatingWebhookConfiguration gate, webhook pods.example.com`. */
export function callerInWords({ object, webhook, by }: CaBundleLocation): string {
  const entry = webhook ? `, webhook ${webhook.name}` : by === 'conversion' ? ', conversion' : '';
  return `${object.kind} ${object.name}${entry}`;
}

/** What it means that a server can't be called. */
export interface Consequence {
  /** An `error` where requests are refused, a `warning` where they pass unseen. */
  readonly severity: FindingSeverity;
  /** A line for each thing that calls it. */
  readonly lines: readonly string[];
}

/** Lines that are shown; the others are counted. */
const most = 6;

/** What follows for requests where calls of a server fail. */
export function consequenceOf(callers: readonly CaBundleLocation[]): Consequence {
  const all = callers.map(lineOf);
  const lines = all.slice(0, most).map(({ line }) => line);
  return {
    severity: all.some(({ refuses }) => refuses) ? 'error' : 'warning',
    lines: all.length > most ? [...lines, `and ${all.length - most} more that call it`] : lines,
  };
}

function lineOf(anchor: CaBundleLocation): { readonly line: string; readonly refuses: boolean } {
  const { object, by, webhook } = anchor;
  const spec = Field.of(object).get('spec');
  if (by === 'conversion') {
    const kind = spec.get('names', 'kind').text ?? object.name;
    return {
      line: `${object.kind} ${object.name}: ${kind} objects can't be read or written in any version but the one they are stored in, and a list of them fails`,
      refuses: true,
    };
  }
  if (by === 'apiService') {
    return {
      line: `${object.kind} ${object.name}: requests to it are answered with 503, and namespaces can't be deleted to the end`,
      refuses: true,
    };
  }
  const matched = matchedBy(anchor);
  const refuses = webhook?.failurePolicy !== 'Ignore';
  const effect = refuses
    ? `failurePolicy Fail: ${matched} is refused`
    : `failurePolicy Ignore: ${matched} passes without it`;
  return { line: `${object.kind} ${object.name}, webhook ${webhook?.name ?? ''}: ${effect}`, refuses };
}

function matchedBy({ webhook }: CaBundleLocation): string {
  const rules = webhook?.rules ?? [];
  const operations = distinct(rules.flatMap((rule) => rule.operations)).map((each) =>
    each === '*' ? 'every request' : each,
  );
  const resources = distinct(rules.flatMap((rule) => rule.resources)).map((each) =>
    each === '*' || each === '*/*' ? 'every kind' : each,
  );
  const narrowed =
    webhook && (isNarrow(webhook.namespaceSelector) || isNarrow(webhook.objectSelector))
      ? ' that its selectors select'
      : '';
  const shown = resources.length > 5 ? [...resources.slice(0, 5), '…'] : resources;
  return `${operations.join(', ') || 'nothing'} of ${shown.join(', ') || 'nothing'}${narrowed}`;
}

function isNarrow(
  selector:
    | {
        readonly matchLabels?: object | undefined;
        readonly matchExpressions?: readonly unknown[] | undefined;
      }
    | undefined,
): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length > 0 || (selector?.matchExpressions?.length ?? 0) > 0;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

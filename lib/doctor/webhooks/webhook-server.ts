import type { TrustAnchor } from '../../rules';

/** A server that API servers call, with everything that calls it. */
export interface WebhookServer {
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
  readonly callers: readonly [TrustAnchor, ...TrustAnchor[]];
}

/** The servers behind all places with a CA bundle, by Service and port, or by host and port of the URL. */
export function webhookServers(anchors: readonly TrustAnchor[]): readonly WebhookServer[] {
  const found = new Map<string, Omit<WebhookServer, 'callers'> & { callers: TrustAnchor[] }>();
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
  return [...found.values()] as unknown as readonly WebhookServer[];
}

function serverOf({ service, field }: TrustAnchor): Omit<WebhookServer, 'callers'> | undefined {
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
export function callerInWords({ object, webhook, by }: TrustAnchor): string {
  const entry = webhook ? `, webhook ${webhook.name}` : by === 'conversion' ? ', conversion' : '';
  return `${object.kind} ${object.name}${entry}`;
}

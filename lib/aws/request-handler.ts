import type { ElasticLoadBalancingV2ClientConfig } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { byProxy, environmentProxy, forwarded, proxyAgent } from '../proxies';

/** How long AWS is waited for, in milliseconds. */
export interface RequestTimeouts {
  /** How long a connection may take. */
  readonly connectionTimeout: number;
  /** How long an answer may take. */
  readonly requestTimeout: number;
}

type Handle = NodeHttpHandler['handle'];
type Request = Parameters<Handle>[0];

/** What a client of the SDK takes to send its requests. */
export type RequestHandler = NonNullable<ElasticLoadBalancingV2ClientConfig['requestHandler']>;

/** As many connections as the SDK makes by itself. */
const pool = { keepAlive: true, maxSockets: 50 };

/**
 * Sends the requests of a client of the SDK by the proxy that the environment names for each, or directly. Errors name the
 * proxy. For one client: closing the client closes its connections.
 */
export async function requestHandler(
  { connectionTimeout, requestTimeout }: RequestTimeouts,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RequestHandler> {
  const { NodeHttpHandler } = await import('@smithy/node-http-handler');
  // Without it, the SDK only warns.
  const common = { requestTimeout, throwOnRequestTimeout: true };
  const direct = new NodeHttpHandler({ ...common, connectionTimeout });
  const handlers = new Map<string, NodeHttpHandler>();
  const through = (proxy: string): NodeHttpHandler => {
    const connect = { ...pool, connectTimeoutMs: connectionTimeout };
    const known =
      handlers.get(proxy) ??
      new NodeHttpHandler({
        ...common,
        // The time to connect is the agent's, which knows of the proxy.
        httpAgent: proxyAgent(proxy, 'http:', connect),
        httpsAgent: proxyAgent(proxy, 'https:', connect) as never,
      });
    handlers.set(proxy, known);
    return known;
  };
  return {
    metadata: direct.metadata,
    handle: async (request: Request, options: Parameters<Handle>[1]) => {
      const url = urlOf(request);
      const proxy = environmentProxy(url, env);
      if (proxy === undefined) {
        return direct.handle(request, options);
      }
      try {
        const { path = request.path, headers } = forwarded(proxy, url);
        // A retry has the request as it was.
        const sent = Object.assign({}, request, { path, headers: { ...request.headers, ...headers } });
        return await through(proxy).handle(sent, options);
      } catch (error) {
        throw byProxy(error as Error, proxy);
      }
    },
    destroy: () => [direct, ...handlers.values()].forEach((each) => each.destroy()),
    updateHttpClientConfig: (key, value) =>
      [direct, ...handlers.values()].forEach((each) => each.updateHttpClientConfig(key, value)),
    httpHandlerConfigs: () => direct.httpHandlerConfigs(),
  } as RequestHandler;
}

/** Without the query, which the SDK adds itself. */
function urlOf({ protocol, hostname, port, path }: Request): URL {
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}${port === undefined ? '' : `:${port}`}${path}`);
}

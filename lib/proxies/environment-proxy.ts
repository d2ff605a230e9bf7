import { isExcepted } from './no-proxy';
import { isOwn } from './own-addresses';

/**
 * The proxy that this machine's environment names for a server: `HTTPS_PROXY` or `HTTP_PROXY` by the server's scheme,
 * unless `NO_PROXY` excepts it. A name in capitals comes before one in small letters, and an empty one counts for none.
 * A proxy without a scheme is asked by HTTP, as Go does.
 *
 * Never for this machine, link-local addresses and where AWS hands out credentials: a proxy would reach its own.
 *
 * @param server an http or https URL
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function environmentProxy(
  server: string | URL,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const proxy = protocol === 'https:' ? env.HTTPS_PROXY || env.https_proxy : env.HTTP_PROXY || env.http_proxy;
  const host = bareHost(hostname);
  if (!proxy || isOwn(host, env)) {
    return undefined;
  }
  const noProxy = env.NO_PROXY || env.no_proxy || '';
  if (isExcepted(noProxy, host, port || (protocol === 'https:' ? '443' : '80'))) {
    return undefined;
  }
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** Without brackets and the dot of a full name. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
}

/**
 * The proxy that this machine's environment names for a server: `HTTPS_PROXY`, unless `NO_PROXY` lists the host, a
 * domain above it, or `*`. Never for this machine itself. A proxy without a scheme is asked by HTTP, as Go does.
 *
 * @param server an https URL
 * @see https://pkg.go.dev/net/http#ProxyFromEnvironment
 */
export function environmentProxy(server: string, env: NodeJS.ProcessEnv): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const proxy = env.HTTPS_PROXY ?? env.https_proxy;
  const host = hostname.replace(/^\[|\]$/g, '');
  const local = host === 'localhost' || host === '::1' || host.startsWith('127.');
  if (!proxy || protocol !== 'https:' || local) {
    return undefined;
  }
  const excepted = (env.NO_PROXY ?? env.no_proxy ?? '').split(',').map((each) => each.trim());
  const isExcepted = excepted.some((entry) => covers(entry, host, port || '443'));
  if (isExcepted) {
    return undefined;
  }
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** `example.com` and `.example.com` both cover what is below; only the first covers the name itself. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '' || entry === '*') {
    return entry === '*';
  }
  const [, name = entry, onlyPort] = /^([^:]*):(\d+)$/.exec(entry) ?? [];
  const below = name.startsWith('.') ? name : `.${name}`;
  return (onlyPort === undefined || onlyPort === port) && (host === name || host.endsWith(below));
}

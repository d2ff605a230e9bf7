import type { Agent, AgentOptions } from 'node:http';

/** What ends a connection to a proxy that takes it and says nothing; the agents know nothing of a request's own time. */
export interface Patience {
  /** Of a SOCKS proxy, in milliseconds: its agent hears no signal. */
  readonly timeout: number;
  /** Of any other proxy. */
  readonly signal: AbortSignal;
}

/** The way through a proxy. */
export async function proxyAgent(
  proxy: string,
  { timeout, signal }: Patience,
  options: AgentOptions = {},
): Promise<Agent> {
  if (proxy.startsWith('socks')) {
    const { SocksProxyAgent } = await import('socks-proxy-agent');
    return new SocksProxyAgent(proxy, { ...options, timeout });
  }
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  return new HttpsProxyAgent(proxy, { ...options, signal });
}

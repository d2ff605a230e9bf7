import { BlockList, isIP } from 'node:net';
import { optional, record } from '../validation/collections';
import type { Schema } from '../validation/schema';
import { secret, text } from '../validation/values';

/** Variables of an environment, as `process.env` has them. They may be secret. */
export const proxyEnvironment: Schema<Readonly<Record<string, string | undefined>>> = record<
  string | undefined
>(secret(optional(text('a text'))));

/**
 * Loopback and link-local addresses. Among them is where EC2, ECS and EKS Pod Identity hand out credentials:
 * 169.254.169.254, 169.254.170.2, 169.254.170.23, fd00:ec2::254 and fd00:ec2::23.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
const own = new BlockList();

own.addSubnet('127.0.0.0', 8, 'ipv4');

own.addAddress('::1', 'ipv6');

own.addSubnet('169.254.0.0', 16, 'ipv4');

own.addSubnet('fe80::', 10, 'ipv6');

own.addSubnet('fd00:ec2::', 32, 'ipv6');

/** Variables with the URL of a service that hands out credentials. */
const credentialServices = ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_EC2_METADATA_SERVICE_ENDPOINT'];

/**
 * Whether a host means something else to a proxy, which has addresses of its own of that kind, or gets credentials that
 * are for this machine alone.
 *
 * @param host in small letters, without brackets
 */
function isOwn(host: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const family = isIP(host);
  if (family !== 0) {
    return own.check(host, family === 6 ? 'ipv6' : 'ipv4') || isCredentialService(host, env);
  }
  return host === 'localhost' || host.endsWith('.localhost') || isCredentialService(host, env);
}

function isCredentialService(host: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return credentialServices.some((name) => {
    const url = env[name] ?? '';
    return URL.canParse(url) && new URL(url).hostname.replace(/^\[|\]$/g, '') === host;
  });
}

/**
 * Whether `NO_PROXY` has a host: names and addresses between commas or spaces.
 *
 * | entry | excepts |
 * |---|---|
 * | `*` | everything |
 * | `example.com` | the name and all names below it |
 * | `.example.com`, `*.example.com` | the names below it |
 * | `10.1.2.3`, `fd00::1` | the address |
 * | `10.0.0.0/8`, `fd00::/8` | the addresses of the network |
 * | any of the first two and an address, with `:8443` (`[fd00::1]:8443`) | this port of it |
 *
 * Names are not looked up: only a host that is given as an address is in a network.
 *
 * @param host in small letters, without brackets
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
function isExcepted(noProxy: string, host: string, port: string): boolean {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && covers(entry, host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') {
    return true;
  }
  const { name, onlyPort } = parts(entry);
  if (onlyPort !== undefined && onlyPort !== port) {
    return false;
  }
  if (isIP(host) !== 0) {
    return coversAddress(name, host);
  }
  const below = name.replace(/^\*(?=\.)/, '').replace(/\.$/, '');
  return below.startsWith('.') ? host.endsWith(below) : host === below || host.endsWith(`.${below}`);
}

/** An IPv6 address has colons of its own; only in brackets it has a port. */
function parts(entry: string): { readonly name: string; readonly onlyPort?: string } {
  const [, name, onlyPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  return name === undefined ? { name: withoutBrackets(entry) } : { name: withoutBrackets(name), onlyPort };
}

function withoutBrackets(text: string): string {
  return text.replace(/^\[|\]$/g, '');
}

function coversAddress(name: string, host: string): boolean {
  const [network = '', length] = name.split('/');
  const family = isIP(network);
  if (family === 0) {
    return false;
  }
  const bits = length === undefined ? (family === 6 ? 128 : 32) : Number(length);
  if (!/^\d{1,3}$/.test(length ?? '0') || bits > (family === 6 ? 128 : 32)) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(network, bits, family === 6 ? 'ipv6' : 'ipv4');
  return list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

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

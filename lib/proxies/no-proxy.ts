import { BlockList, isIP } from 'node:net';

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
export function isExcepted(noProxy: string, host: string, port: string): boolean {
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

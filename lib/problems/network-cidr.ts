import { isIPv4, isIPv6 } from 'node:net';
import type { Rule } from './rules';

/**
 * A range of addresses as AWS's provider wants it: in its shortest form, and without bits behind the prefix.
 * `10.0.0.5/24` is refused, because it is either `10.0.0.5/32` or `10.0.0.0/24`.
 */
export const networkCidr: Rule = {
  allowed:
    'a network such as 203.0.113.0/24 or 2001:db8::/32, in its shortest form and without bits behind the prefix',
  accepts: (value) => typeof value === 'string' && isNetwork(value),
};

function isNetwork(text: string): boolean {
  const [, address, digits] = /^([0-9a-f.:]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  if (address === undefined || digits === undefined) {
    return false;
  }
  const length = Number(digits);
  if (isIPv4(address)) {
    const bits = address.split('.').reduce((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
    return length <= 32 && isClear(bits, 32 - length);
  }
  // The URL parser writes an IPv6 address in its shortest form.
  const shortest = isIPv6(address) && new URL(`http://[${address}]/`).hostname === `[${address}]`;
  return shortest && length <= 128 && isClear(ipv6Bits(address), 128 - length);
}

function isClear(bits: bigint, low: number): boolean {
  return (bits & ((1n << BigInt(low)) - 1n)) === 0n;
}

function ipv6Bits(address: string): bigint {
  const [before = [], after = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}

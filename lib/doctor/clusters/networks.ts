import { BlockList, isIP } from 'node:net';

/** Networks by family: an IPv6 network that holds the mapped addresses of IPv4 does not hold those. */
export type Networks = Readonly<Record<'ipv4' | 'ipv6', BlockList>>;

/** Networks such as `10.0.0.0/8`; what is none is left out. */
export function networksOf(texts: readonly string[]): Networks {
  const networks: Networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of texts) {
    const [address = '', bits = ''] = text.split('/');
    const family = familyOf(address);
    const length = Number(bits);
    if (family && /^\d+$/.test(bits) && length <= (family === 'ipv4' ? 32 : 128)) {
      networks[family].addSubnet(address, length, family);
    }
  }
  return networks;
}

/** Whether one of the networks holds an address. */
export function holdsAddress(networks: Networks, address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && networks[family].check(address, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(address);
  return family === 0 ? undefined : family === 4 ? 'ipv4' : 'ipv6';
}

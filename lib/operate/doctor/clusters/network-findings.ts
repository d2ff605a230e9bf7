import { BlockList, isIP } from 'node:net';
import type { HandshakeFailure } from '../../../core/tls';
import type { DoctorFinding } from '../check';
import type { EksDescription } from './eks';
import { fromHere } from './observed-cluster';
import type { ObservedCluster } from './observed-cluster';
import { shownServer, secretTitle } from './registration';

/** Networks by family: an IPv6 network that holds the mapped addresses of IPv4 does not hold those. */
export type Networks = Readonly<Record<'ipv4' | 'ipv6', BlockList>>;

/** Networks such as `10.0.0.0/8`; what is none is left out. */
function networksOf(texts: readonly string[]): Networks {
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
function holdsAddress(networks: Networks, address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && networks[family].check(address, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(address);
  return family === 0 ? undefined : family === 4 ? 'ipv4' : 'ipv6';
}

/** What is wrong with the network on the way to a cluster. */
export function reachFindings(seen: ObservedCluster, hubAddresses: readonly string[]): DoctorFinding[] {
  const { handshake, eks, registration } = seen;
  if (!handshake || handshake.outcome === 'served') {
    return [];
  }
  const cluster = eks?.is === 'described' ? eks.cluster : undefined;
  // A name goes with its cluster, and then another finding says so.
  if (eks?.is === 'absent' && handshake.outcome === 'unknownHost') {
    return [];
  }
  const isPrivate = isPrivateEndpoint(handshake, cluster);
  const toldSo = seen.told.length > 0;
  const closed = cluster && closedGroups(cluster, hubAddresses);
  const found = words(handshake, isPrivate);
  return [
    {
      ...found,
      // A private endpoint that only this machine can't reach breaks nothing.
      severity: isPrivate && !toldSo && !closed ? 'info' : 'error',
      likelihood: toldSo ? 'certain' : isPrivate ? 'possible' : 'likely',
      subject: secretTitle(registration),
      evidence: [
        `${shownServer(registration)}: ${handshake.detail} (${fromHere})`,
        ...(handshake.addresses.length > 0 ? [`the name resolves to ${handshake.addresses.join(', ')}`] : []),
        ...(cluster ? endpointLines(cluster) : []),
        ...(closed ?? []),
        ...seen.told,
      ],
    },
  ];
}

function words(
  { outcome }: HandshakeFailure,
  isPrivate: boolean,
): Pick<DoctorFinding, 'cause' | 'message' | 'next'> {
  switch (outcome) {
    case 'unknownHost':
      return {
        cause: 'unknown-host',
        message: 'the name of the API server is not known',
        next: 'see whether the cluster still is there; a private endpoint is known in its own and connected networks only',
      };
    case 'refused':
      return {
        cause: 'port-closed',
        message: 'nothing listens at the address of the API server',
        next: "compare the Secret's server with the cluster's endpoint, port included",
      };
    case 'silent':
      return {
        cause: 'unreachable',
        message: 'no connection to the API server comes about',
        next: isPrivate
          ? "let the hub's nodes in: a route between the networks, and a rule for port 443 in the cluster's security group; then try from a pod of the hub"
          : "let the hub's addresses in (publicAccessCidrs), and try from a pod of the hub",
      };
    case 'notTls':
    case 'cut':
    case 'tls':
      return {
        cause: 'no-tls',
        message: 'what answers at the address of the API server does not speak TLS as one',
        next: 'see what is on the way: a proxy, a load balancer, or another program on that port',
      };
  }
}

function isPrivateEndpoint({ addresses }: HandshakeFailure, cluster: EksDescription | undefined): boolean {
  return cluster ? !cluster.publicAccess : addresses.some(isPrivateAddress);
}

/** Networks that are not routed in the internet: RFC 1918, RFC 6598, RFC 4193. */
const privateNetworks = networksOf([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
]);

/** Whether an address is one of a private network. */
function isPrivateAddress(address: string): boolean {
  return holdsAddress(privateNetworks, address);
}

function endpointLines({ publicAccess, privateAccess, publicCidrs }: EksDescription): string[] {
  const open = publicAccess ? `public for ${publicCidrs.join(', ') || 'all addresses'}` : 'not public';
  return [
    `AWS reports that the endpoint is ${open}, and ${privateAccess ? 'private as well' : 'not private'}`,
  ];
}

/**
 * Says that no rule lets the hub's nodes in on port 443 of a private endpoint, or which groups they would have to be in.
 *
 * @param hubAddresses internal addresses of the nodes of Argo CD's cluster
 * @returns undefined where a rule does, or nothing is known
 */
export function closedGroups(
  { privateAccess, publicAccess, openTo, securityGroups }: EksDescription,
  hubAddresses: readonly string[],
): readonly string[] | undefined {
  if (!privateAccess || publicAccess || openTo === undefined || hubAddresses.length === 0) {
    return undefined;
  }
  const networks = networksOf(openTo.flatMap((each) => ('cidr' in each ? [each.cidr] : [])));
  const outside = hubAddresses.filter((each) => !holdsAddress(networks, each));
  if (outside.length === 0) {
    return undefined;
  }
  const groups = openTo.flatMap((each) => ('group' in each ? [each.group] : []));
  const count = `${outside.length} of ${hubAddresses.length} nodes of the hub, ${outside[0]} for one`;
  return [
    `the security groups ${securityGroups.join(', ')} let no network in on port 443 that holds the addresses of ${count}` +
      (groups.length > 0 ? `; they do let in the members of ${[...new Set(groups)].join(', ')}` : ''),
  ];
}

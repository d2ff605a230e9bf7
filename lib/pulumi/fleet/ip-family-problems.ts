import type * as eks from '@pulumi/eks';
import { oneOfWords } from '../../core/validation/formats';
import type { Problem, Problems } from '../../core/validation/problems';
import { isNitro } from './ip-family';
import type { IpFamily } from './ip-family';
import type { NodesArgs } from './nodes-args';
import type { AdoptedCluster } from './slot-args';
import type { Entry } from './slot-ref';

/** What a slot says of addresses, and what depends on them. */
interface AddressedSlot {
  readonly ipFamily?: IpFamily;
  readonly adopt?: AdoptedCluster;
  readonly clusterArgs?: Partial<eks.ClusterArgs>;
  readonly entries?: Readonly<Record<string, Entry>>;
}

/** The addresses of a slot's pods: as the slot says, or its raw arguments, or of a cluster that was made elsewhere. */
export function ipFamilyOf({ ipFamily, adopt, clusterArgs }: AddressedSlot): IpFamily {
  if (adopt) {
    return adopt.ipFamily ?? 'ipv4';
  }
  return ipFamily ?? (clusterArgs?.ipFamily === 'ipv6' ? 'ipv6' : 'ipv4');
}

/**
 * What a slot takes a cluster for that it is not.
 *
 * @param live the cluster's addresses, where EKS says them
 */
export function adoptedProblems(adopt: AdoptedCluster, live: string | undefined): readonly Problem[] {
  const wanted = ipFamilyOf({ adopt });
  return live === undefined || live === wanted
    ? []
    : [{ path: 'adopt.ipFamily', value: wanted, allowed: `"${live}", which the cluster has` }];
}

/**
 * Adds what does not go with the addresses of a slot.
 *
 * @param nodeGroups by their names in the program
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cni-ipv6.html
 */
export function checkIpFamily(
  problems: Problems,
  args: AddressedSlot,
  nodeGroups: Readonly<Record<string, NodesArgs>>,
): void {
  const { ipFamily, adopt, clusterArgs = {} } = args;
  if (!adopt && clusterArgs.ipFamily !== undefined) {
    problems.check('clusterArgs.ipFamily', clusterArgs.ipFamily, oneOfWords('ipv4', 'ipv6'));
  }
  if (adopt && ipFamily !== undefined) {
    problems.conflicts('ipFamily', 'adopt: adopt.ipFamily says it');
  }
  if (!adopt && ipFamily !== undefined && (clusterArgs.ipFamily ?? ipFamily) !== ipFamily) {
    problems.add('clusterArgs.ipFamily', clusterArgs.ipFamily, `left out: ipFamily is "${ipFamily}"`);
  }
  if (!adopt && ipFamilyOf(args) === 'ipv6') {
    checkIpv6(problems, args, nodeGroups);
  }
}

function checkIpv6(
  problems: Problems,
  { clusterArgs = {}, entries = {} }: AddressedSlot,
  nodeGroups: Readonly<Record<string, NodesArgs>>,
): void {
  for (const [name, { targetType }] of Object.entries(entries)) {
    // Without nodes it is refused anyway.
    if (targetType === 'instance' && nodeGroups.nodes) {
      problems.add(`entries.${name}.targetType`, targetType, 'ip where pods have IPv6 addresses');
    }
  }
  const { kubernetesServiceIpAddressRange: range, vpcCniOptions = {} } = clusterArgs;
  if (range !== undefined) {
    problems.add(
      'clusterArgs.kubernetesServiceIpAddressRange',
      range,
      'left out with IPv6: EKS itself chooses the range of Services, of fc00::/7',
    );
  }
  for (const option of ['cniCustomNetworkCfg', 'customNetworkConfig'] as const) {
    if (vpcCniOptions[option] === true) {
      problems.add(
        `clusterArgs.vpcCniOptions.${option}`,
        true,
        'left out with IPv6, which has no custom networking',
      );
    }
  }
  for (const [name, { instanceTypes, amiType }] of Object.entries(nodeGroups)) {
    const path = name === 'nodes' ? name : `moreNodes.${name}`;
    const old = (Array.isArray(instanceTypes) ? instanceTypes : []).filter((type) => !isNitro(String(type)));
    if (old.length > 0) {
      problems.add(
        `${path}.instanceTypes`,
        old,
        'types built on Nitro, without which pods get no IPv6 addresses',
      );
    }
    if (String(amiType).startsWith('WINDOWS')) {
      problems.add(`${path}.amiType`, amiType, 'one of Linux: EKS has no IPv6 for Windows');
    }
  }
}

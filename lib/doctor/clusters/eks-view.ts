import type { SecurityGroupRule } from '@aws-sdk/client-ec2';
import type { AwsClients } from '../../aws';
import { AwsError, arnParts, askAws, everyPage } from '../../aws';
import type { EksCluster } from '../../clusterset';
import type { EksLogin } from './cluster-config';

/** What AWS says of a cluster. */
export type EksView =
  | { readonly is: 'described'; readonly cluster: EksDescription; readonly entry: AccessEntryView }
  | { readonly is: 'absent'; readonly name: string; readonly region: string }
  | { readonly is: 'unasked'; readonly why: string };

/** A cluster as EKS describes it, as far as it matters for a way into it. */
export interface EksDescription extends Omit<EksCluster, 'tags'> {
  readonly publicAccess: boolean;
  readonly privateAccess: boolean;
  readonly publicCidrs: readonly string[];
  /** Groups on the network interfaces of the private endpoint. */
  readonly securityGroups: readonly string[];
  /** `API`, `API_AND_CONFIG_MAP`, `CONFIG_MAP`; empty where EKS does not say. */
  readonly authenticationMode: string;
  /** Who may open port 443 of the private endpoint. @default - not asked, or not to be read */
  readonly openTo?: readonly RuleSource[];
}

/** Where a rule of a security group lets in from: a network, or another group or list. */
export type RuleSource = { readonly cidr: string } | { readonly group: string };

/** The access entry of the role that Argo CD takes on. */
export type AccessEntryView =
  | {
      readonly is: 'there';
      readonly type: string;
      readonly groups: readonly string[];
      readonly policies: readonly string[];
    }
  | { readonly is: 'absent' }
  /** There is no role to look for, or the right to look is missing. */
  | { readonly is: 'unread'; readonly why: string };

/** What is asked of AWS. */
export type EksClients = Pick<AwsClients, 'eks' | 'ec2'>;

/**
 * Asks AWS about a cluster. What may not be asked is told in the answer.
 *
 * @param roleArn role that Argo CD takes on. @default - its pods' own identity, which is not known
 */
export async function viewOfEks(
  clients: EksClients,
  { clusterName: name, roleArn }: Pick<EksLogin, 'clusterName' | 'roleArn'>,
  region: string,
  signal?: AbortSignal,
): Promise<EksView> {
  const sdk = signal ? { abortSignal: signal } : {};
  const call = { subject: `EKS cluster ${name} in ${region}`, region };
  try {
    const { cluster } = await askAws({ action: 'eks:DescribeCluster', ...call }, async () =>
      (await clients.eks()).describeCluster({ name }, sdk),
    );
    const network = cluster?.resourcesVpcConfig;
    const groups = [network?.clusterSecurityGroupId, ...(network?.securityGroupIds ?? [])];
    const securityGroups = groups.filter((each) => each !== undefined);
    const described: EksDescription = {
      name,
      arn: cluster?.arn ?? '',
      account: arnParts(cluster?.arn ?? '')?.account ?? '',
      region,
      status: cluster?.status ?? 'unknown',
      ...(cluster?.endpoint ? { endpoint: cluster.endpoint } : {}),
      ...(cluster?.certificateAuthority?.data
        ? { certificateAuthority: cluster.certificateAuthority.data }
        : {}),
      ...(cluster?.version ? { version: cluster.version } : {}),
      publicAccess: network?.endpointPublicAccess ?? true,
      privateAccess: network?.endpointPrivateAccess ?? false,
      publicCidrs: network?.publicAccessCidrs ?? [],
      securityGroups,
      authenticationMode: cluster?.accessConfig?.authenticationMode ?? '',
    };
    const [entry, openTo] = await Promise.all([
      accessEntry(clients, described, roleArn, sdk),
      described.privateAccess ? openSources(clients, described, sdk) : undefined,
    ]);
    return { is: 'described', cluster: { ...described, ...(openTo ? { openTo } : {}) }, entry };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof AwsError)) {
      throw error;
    }
    return error.failure.kind === 'notFound'
      ? { is: 'absent', name, region }
      : { is: 'unasked', why: reasonOf(error) };
  }
}

type Sdk = { readonly abortSignal?: AbortSignal };

async function accessEntry(
  clients: EksClients,
  { name, region, authenticationMode }: EksDescription,
  principalArn: string | undefined,
  sdk: Sdk,
): Promise<AccessEntryView> {
  if (principalArn === undefined) {
    return { is: 'unread', why: 'the Secret names no role: Argo CD logs in as its own pods' };
  }
  if (authenticationMode === 'CONFIG_MAP') {
    return { is: 'unread', why: 'the cluster knows no access entries, only its ConfigMap aws-auth' };
  }
  const subject = `access entry of ${principalArn} in EKS cluster ${name}`;
  try {
    const { accessEntry: entry } = await askAws(
      { action: 'eks:DescribeAccessEntry', subject, region },
      async () => (await clients.eks()).describeAccessEntry({ clusterName: name, principalArn }, sdk),
    );
    const { associatedAccessPolicies = [] } = await askAws(
      { action: 'eks:ListAssociatedAccessPolicies', subject, region },
      async () =>
        (await clients.eks()).listAssociatedAccessPolicies({ clusterName: name, principalArn }, sdk),
    );
    return {
      is: 'there',
      type: entry?.type ?? '',
      groups: entry?.kubernetesGroups ?? [],
      policies: associatedAccessPolicies.flatMap(({ policyArn }) => policyArn?.split('/').at(-1) ?? []),
    };
  } catch (error) {
    sdk.abortSignal?.throwIfAborted();
    if (!(error instanceof AwsError)) {
      throw error;
    }
    return error.failure.kind === 'notFound' ? { is: 'absent' } : { is: 'unread', why: reasonOf(error) };
  }
}

/** Without what it is about: many clusters may share a reason. */
function reasonOf({ call, message }: AwsError): string {
  return message.slice(`${call.subject}: `.length);
}

/** Sources that the groups of the private endpoint let in on port 443. */
async function openSources(
  clients: EksClients,
  { name, region, securityGroups }: EksDescription,
  sdk: Sdk,
): Promise<readonly RuleSource[] | undefined> {
  if (securityGroups.length === 0) {
    return undefined;
  }
  try {
    const call = {
      action: 'ec2:DescribeSecurityGroupRules',
      subject: `security groups of EKS cluster ${name}`,
      region,
    };
    return await everyPage(call, async (NextToken) => {
      const page = await askAws(call, async () =>
        (await clients.ec2()).describeSecurityGroupRules(
          {
            Filters: [{ Name: 'group-id', Values: [...securityGroups] }],
            ...(NextToken === undefined ? {} : { NextToken }),
          },
          sdk,
        ),
      );
      return { items: sourcesOf(page.SecurityGroupRules ?? []), next: page.NextToken };
    });
  } catch (error) {
    sdk.abortSignal?.throwIfAborted();
    if (!(error instanceof AwsError)) {
      throw error;
    }
    return undefined;
  }
}

function sourcesOf(rules: readonly SecurityGroupRule[]): RuleSource[] {
  return rules
    .filter(
      ({ IsEgress, IpProtocol, FromPort = 0, ToPort = 65_535 }) =>
        IsEgress !== true &&
        (IpProtocol === '-1' || (IpProtocol === 'tcp' && FromPort <= 443 && ToPort >= 443)),
    )
    .flatMap(({ CidrIpv4, CidrIpv6, PrefixListId, ReferencedGroupInfo }) => {
      const [cidr, group] = [CidrIpv4 ?? CidrIpv6, ReferencedGroupInfo?.GroupId ?? PrefixListId];
      return [...(cidr === undefined ? [] : [{ cidr }]), ...(group === undefined ? [] : [{ group }])];
    });
}

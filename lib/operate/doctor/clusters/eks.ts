import type { SecurityGroupRule } from '@aws-sdk/client-ec2';
import { orAborted } from '../../../core/async';
import { parseArn, awsRegion } from '../../../core/aws/arns';
import { roleCredentials } from '../../../core/aws/clients';
import type { AwsClients } from '../../../core/aws/clients';
import { AwsError, callAws } from '../../../core/aws/errors';
import { everyPage, pageOf } from '../../../core/aws/pages';
import { awsPartitions, partitionOf } from '../../../core/aws/partitions';
import { readCertificates } from '../../../core/certificates/x509';
import { environmentProxy } from '../../../core/proxy/environment';
import type { EksCluster } from '../../../manifests/cluster-sync';
import type { RegisteredClusterConfig, EksLogin } from './registration';

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
 * Asks AWS about a cluster. What may not be read is named in the answer.
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
    const { cluster } = await callAws({ action: 'eks:DescribeCluster', ...call }, async () =>
      (await clients.eks()).describeCluster({ name }, sdk),
    );
    const network = cluster?.resourcesVpcConfig;
    const groups = [network?.clusterSecurityGroupId, ...(network?.securityGroupIds ?? [])];
    const securityGroups = groups.filter((each) => each !== undefined);
    const described: EksDescription = {
      name,
      arn: cluster?.arn ?? '',
      account: parseArn(cluster?.arn ?? '')?.account ?? '',
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
    const { accessEntry: entry } = await callAws(
      { action: 'eks:DescribeAccessEntry', subject, region },
      async () => (await clients.eks()).describeAccessEntry({ clusterName: name, principalArn }, sdk),
    );
    const { associatedAccessPolicies = [] } = await callAws(
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
    const rules = await everyPage(call, (NextToken) =>
      callAws(call, async () =>
        pageOf(
          'SecurityGroupRules',
          (await clients.ec2()).describeSecurityGroupRules(
            { Filters: [{ Name: 'group-id', Values: [...securityGroups] }], NextToken },
            sdk,
          ),
        ),
      ),
    );
    return sourcesOf(rules);
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

/** Makes the token that an EKS cluster knows an AWS identity by; rejects with the signal's reason where that is aborted. */
export type MakeEksToken = (
  login: EksLogin & { readonly roleArn: string },
  region: string,
  signal?: AbortSignal,
) => Promise<string>;

/** Credentials of AWS, as a signature needs them. */
export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Makes the token as Argo CD does, with the role, which the credentials of this machine take on. */
export const makeEksToken: MakeEksToken = async (login, region, signal) => {
  const credentials = await roleCredentials({
    roleArn: login.roleArn,
    sessionName: 'cluster-canary-doctor',
    region,
    maxAttempts: 2,
    requestTimeout: 5_000,
  });
  // The SDK's providers of credentials hear no signal; what they still ask ends by its time-outs.
  signal?.throwIfAborted();
  const found = await orAborted(credentials(), signal);
  return eksToken(login.clusterName, region, found, new Date());
};

/**
 * A signed request for `GetCallerIdentity` that only its receiver sends: EKS learns from AWS's answer who has signed it.
 * The cluster's name is signed, too. It counts for 15 minutes, by AWS's clock.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/cmd/argocd-k8s-auth/commands/aws.go
 */
export async function eksToken(
  clusterName: string,
  region: string,
  credentials: SigningCredentials,
  now: Date,
): Promise<string> {
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@aws-crypto/sha256-js'),
  ]);
  const hostname = `sts.${region}.${partitionOf(region).dnsSuffix}`;
  const signer = new SignatureV4({ service: 'sts', region, credentials, sha256: Sha256 });
  const { query = {} } = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, 'x-k8s-aws-id': clusterName },
    },
    { expiresIn: 60, signingDate: now },
  );
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  const url = `https://${hostname}/?${pairs.join('&')}`;
  return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
}

/**
 * The region in the address of an EKS cluster.
 *
 * @returns undefined where it is no such address
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
 */
export function regionOfEndpoint(server: string): string | undefined {
  const host = URL.canParse(server) ? new URL(server).hostname : '';
  const domains = awsPartitions.flatMap(({ dnsSuffix, dualStackDnsSuffix }) => [
    `eks.${dnsSuffix}`,
    dualStackDnsSuffix,
  ]);
  // In China, EKS leaves out the "api" of other services.
  const ofEks = [...domains, 'amazonwebservices.com.cn'].some((domain) => host.endsWith(`.${domain}`));
  return ofEks ? host.split('.').find((label) => awsRegion.accepts(label)) : undefined;
}

/** Where a token for EKS may be sent. */
export interface TokenPlace {
  readonly server: string;
  /** PEM in base64. */
  readonly caData: string;
}

/**
 * Where a token that this machine's AWS credentials make may be sent: to the endpoint that AWS gives for the cluster, proven
 * by the authority that AWS gives for it. Whoever writes the Secret would else get a token of any role that this machine can
 * take on, at a server or through a proxy of their own.
 *
 * @param server of the Secret
 * @param eks what AWS says of the cluster that the Secret names
 * @returns why it may be sent nowhere
 */
export function tokenPlace(
  server: string,
  config: RegisteredClusterConfig,
  eks: EksView | undefined,
  env: NodeJS.ProcessEnv,
): TokenPlace | { readonly why: string } {
  const rule = 'a token is sent only to an endpoint that AWS gives for the cluster';
  if (eks?.is !== 'described') {
    const seen =
      eks?.is === 'absent'
        ? `AWS knows no EKS cluster ${eks.name} in ${eks.region} with the credentials of this machine`
        : `AWS does not confirm it: ${eks?.why ?? 'it was not called'}`;
    return { why: `${rule}, and ${seen}` };
  }
  const { endpoint, certificateAuthority: caData, name } = eks.cluster;
  if (endpoint === undefined || caData === undefined) {
    return { why: `${rule}, and AWS gives no endpoint or no certificate authority for EKS cluster ${name}` };
  }
  if (!isSame(server, endpoint)) {
    return { why: `${rule}, and the Secret names another server than that of EKS cluster ${name}` };
  }
  if (!holdsOnly(config.caData, caData)) {
    return { why: `${rule}, and caData is not the certificate authority of EKS cluster ${name}` };
  }
  if (config.serverName !== undefined && config.serverName !== new URL(endpoint).hostname) {
    return { why: `${rule}, and serverName is another name than that of the endpoint` };
  }
  if (config.proxyUrl !== undefined && config.proxyUrl !== environmentProxy(endpoint, env)) {
    return { why: 'a token is sent through no proxy that the Secret alone names (proxyUrl)' };
  }
  // As AWS gives them: two readers of one PEM text may find different certificates in it.
  return { server: endpoint, caData };
}

/** The whole address: a path, a query or a login in it would be somebody's own. */
function isSame(server: string, endpoint: string): boolean {
  return (
    URL.canParse(server) &&
    URL.canParse(endpoint) &&
    new URL(endpoint).protocol === 'https:' &&
    new URL(server).href === new URL(endpoint).href
  );
}

function holdsOnly(caData: string | undefined, ofAws: string): boolean {
  const [held, own] = [fingerprints(caData ?? ''), fingerprints(ofAws)];
  return held.length > 0 && held.every((each) => own.includes(each));
}

function fingerprints(base64: string): string[] {
  return readCertificates(Buffer.from(base64, 'base64').toString('latin1')).map(
    ({ fingerprint256 }) => fingerprint256,
  );
}

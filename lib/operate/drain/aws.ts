import type { EC2 } from '@aws-sdk/client-ec2';
import type { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { AwsError, callAws } from '../../core/aws/errors';
import { everyPage } from '../../core/aws/pages';
import type { Page } from '../../core/aws/pages';

/** AWS as a drain asks it: failures are `AwsError` of the action, with the cluster as subject. */
export interface DrainClients {
  /** AWS region that is read. @default - that of the environment */
  readonly region?: string;
  /** Clients of the library, for whoever needs another one. */
  readonly clients: AwsClients;
  /** Calls EC2; the action is for errors: `ec2:DescribeVolumes`. */
  ec2<Answer>(action: string, call: (client: EC2) => Promise<Answer>): Promise<Answer>;
  /** Calls Elastic Load Balancing, in the same way. */
  balancing<Answer>(
    action: string,
    call: (client: ElasticLoadBalancingV2) => Promise<Answer>,
  ): Promise<Answer>;
  /** Closes connections. */
  close(): void;
}

/**
 * AWS with the credentials of the environment.
 *
 * @param clusterName for messages
 */
export function drainAws(clusterName: string, region?: string): DrainClients {
  const clients = awsClients(region === undefined ? {} : { region });
  const subject = `EKS cluster ${clusterName}`;
  return {
    ...(region === undefined ? {} : { region }),
    clients,
    ec2: (action, call) =>
      callAws({ action: `ec2:${action}`, subject, region }, async () => call(await clients.ec2())),
    balancing: (action, call) =>
      callAws({ action: `elasticloadbalancing:${action}`, subject, region }, async () =>
        call(await clients.elasticLoadBalancing()),
      ),
    close: () => clients.close(),
  };
}

/**
 * The whole of a list of EC2.
 *
 * @throws AwsError
 */
export function everyEc2Page<Item>(
  aws: DrainClients,
  action: string,
  page: (client: EC2, token: string | undefined) => Promise<Page<Item, string>>,
): Promise<readonly Item[]> {
  const call = { action: `ec2:${action}`, subject: 'what a cluster leaves behind', region: aws.region };
  return everyPage(call, (token) => aws.ec2(action, (client) => page(client, token)));
}

/** A cluster as EKS describes it. */
export interface DescribedCluster {
  /** Name of the cluster. */
  readonly name: string;
  /** ARN of the cluster. */
  readonly arn: string;
  /** `ACTIVE`, `DELETING`, … */
  readonly status: string;
  /** URL of the API server. @default - none yet, or none any more */
  readonly endpoint?: string;
  /** PEM in base64. */
  readonly certificateAuthority?: string;
  /** Its tags, by key. */
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * The cluster of a name.
 *
 * @returns undefined where there is none, or none any more
 * @throws AwsError
 */
export async function describedCluster(
  { clients, region }: DrainClients,
  name: string,
): Promise<DescribedCluster | undefined> {
  const eks = await clients.eks();
  try {
    const call = { action: 'eks:DescribeCluster', subject: `EKS cluster ${name}`, region };
    const { cluster } = await callAws(call, () => eks.describeCluster({ name }));
    return (
      cluster && {
        name,
        arn: cluster.arn ?? '',
        status: cluster.status ?? '',
        endpoint: cluster.endpoint,
        certificateAuthority: cluster.certificateAuthority?.data,
        tags: cluster.tags ?? {},
      }
    );
  } catch (error) {
    if (error instanceof AwsError && error.failure.kind === 'notFound') {
      return undefined;
    }
    throw error;
  }
}

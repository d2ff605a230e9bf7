import type { EC2 } from '@aws-sdk/client-ec2';
import type { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsClients } from '../aws';
import { askAws, awsClients, everyPage } from '../aws';

/** AWS as a drain asks it: failures are `AwsError` of the action, with the cluster as subject. */
export interface DrainAws {
  /** AWS region that is asked. @default - that of the environment */
  readonly region?: string;
  /** Clients of the library, for whoever needs another one. */
  readonly clients: AwsClients;
  /** Calls EC2; the action is for errors: `ec2:DescribeVolumes`. */
  ec2<Answer>(action: string, call: (client: EC2) => Promise<Answer>): Promise<Answer>;
  /** Calls Elastic Load Balancing, likewise. */
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
export function drainAws(clusterName: string, region?: string): DrainAws {
  const clients = awsClients(region === undefined ? {} : { region });
  const subject = `EKS cluster ${clusterName}`;
  return {
    ...(region === undefined ? {} : { region }),
    clients,
    ec2: (action, call) =>
      askAws({ action: `ec2:${action}`, subject, region }, async () => call(await clients.ec2())),
    balancing: (action, call) =>
      askAws({ action: `elasticloadbalancing:${action}`, subject, region }, async () =>
        call(await clients.elasticLoadBalancing()),
      ),
    close: () => clients.close(),
  };
}

/** All pages of a list of AWS, as {@link everyPage} reads them. */
export function allPages<Item>(
  page: (token: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next?: string }>,
): Promise<readonly Item[]> {
  return everyPage({ action: 'the list', subject: 'what a cluster leaves behind' }, page);
}

import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { Route53Client } from '@aws-sdk/client-route-53';

/** Clients of the services that moto stands for; endpoint and credentials come from the environment. */
export class Clients {
  public readonly ec2: EC2Client;
  public readonly eks: EKSClient;
  public readonly elb: ElasticLoadBalancingV2Client;
  public readonly iam: IAMClient;
  public readonly kms: KMSClient;
  public readonly route53: Route53Client;

  public constructor(public readonly region: string) {
    this.ec2 = new EC2Client({ region });
    this.eks = new EKSClient({ region });
    this.elb = new ElasticLoadBalancingV2Client({ region });
    this.iam = new IAMClient({ region });
    this.kms = new KMSClient({ region });
    this.route53 = new Route53Client({ region });
  }
}

/** moto's account. */
export const account = '123456789012';

/** AWS tags as most services take them. */
export function tagList(
  tags: Readonly<Record<string, string>> | undefined,
): { Key: string; Value: string }[] | undefined {
  const list = Object.entries(tags ?? {}).map(([Key, Value]) => ({ Key, Value }));
  return list.length > 0 ? list : undefined;
}

import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { CreatedAlbArgs } from './alb-arguments';

const everywhere = ['0.0.0.0/0', '::/0'];

/** The security group of a load balancer that is created: clients in on its ports, everything out. */
export function albSecurityGroup(
  name: string,
  args: CreatedAlbArgs,
  ports: readonly number[],
  parent: pulumi.Resource,
): aws.ec2.SecurityGroup {
  const group = new aws.ec2.SecurityGroup(
    name,
    { description: `Load balancer ${name}`, vpcId: args.vpcId, ...args.securityGroupArgs },
    { parent },
  );
  for (const port of ports) {
    for (const cidr of args.cidrs ?? everywhere) {
      new aws.vpc.SecurityGroupIngressRule(
        `${name}-${port}-${plainName(cidr)}`,
        {
          securityGroupId: group.id,
          ...range(cidr),
          ipProtocol: 'tcp',
          fromPort: port,
          toPort: port,
          description: `Clients, port ${port}`,
        },
        { parent },
      );
    }
  }
  // The load balancer opens connections to its targets and to identity providers only; who is let in is the
  // targets' business. AWS's provider takes away the rule that a new security group has for this.
  for (const cidr of everywhere) {
    new aws.vpc.SecurityGroupEgressRule(
      `${name}-out-${plainName(cidr)}`,
      {
        securityGroupId: group.id,
        ...range(cidr),
        ipProtocol: '-1',
        description: 'Targets and identity providers',
      },
      { parent },
    );
  }
  return group;
}

function range(cidr: string): { cidrIpv4: string } | { cidrIpv6: string } {
  return cidr.includes(':') ? { cidrIpv6: cidr } : { cidrIpv4: cidr };
}

/** `::` ends the type in a Pulumi URN. */
function plainName(cidr: string): string {
  return cidr.replaceAll(':', '-');
}

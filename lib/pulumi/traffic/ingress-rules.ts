import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { InvalidInput } from '../../core/validation/problems';
import { trafficPort } from '../fleet';
import type { Entry, FleetRef, SlotRef } from '../fleet';
import { claimsOn, edgeRef, remembered } from './edge';
import type { EdgeSource } from './edge';

/**
 * Ports on which the load balancer speaks to an entry's targets: traffic, then health checks if they go
 * elsewhere.
 *
 * For ip targets that is the port of the pods, not the Service's: the AWS Load Balancer Controller registers
 * each pod with the port of its endpoint. For instance targets it is the node port.
 *
 * @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/targetgroupbinding/targetgroupbinding/
 */
export function targetPorts(entry: Entry): readonly number[] {
  const traffic = trafficPort(entry);
  return [...new Set([traffic, entry.healthCheck?.port ?? traffic])];
}

/** Who is let in where. */
export interface LetInArgs {
  readonly fleet: FleetRef;
  /** Names of the entries whose targets get traffic. */
  readonly entries: readonly string[];
  readonly edge: EdgeSource;
  /** Raw arguments of each rule, over everything else. */
  readonly ingressRuleArgs?: Partial<aws.vpc.SecurityGroupIngressRuleArgs>;
}

/** The security group rules that let a load balancer in: the new ones, and all that its traffic depends on. */
export interface IngressAccess {
  readonly created: readonly aws.vpc.SecurityGroupIngressRule[];
  readonly needed: readonly pulumi.Resource[];
}

/** Nobody is let in: who writes the rules is somebody else. */
export const nobodyLetIn: IngressAccess = { created: [], needed: [] };

/**
 * Lets the load balancer in on the ports of each slot's targets. What the program has opened already is not
 * opened again: AWS refuses a second security group rule that is the same.
 */
export function allowIngress(name: string, args: LetInArgs, parent: pulumi.Resource): IngressAccess {
  const { ingress } = claimsOn(args.edge);
  const created: aws.vpc.SecurityGroupIngressRule[] = [];
  const needed: pulumi.Resource[] = [];
  const ports = new Set(args.entries.flatMap((entry) => targetPorts(args.fleet.entries[entry]!)));
  for (const [slot, ref] of Object.entries(args.fleet.slots)) {
    const opened = remembered(
      ingress,
      groupIdentity(ref),
      () => new Map<number, readonly pulumi.Resource[]>(),
    );
    for (const port of ports) {
      const rules = remembered(opened, port, () => {
        const made = ingressRules(`${name}-${slot}-${port}`, slot, ref, port, args, parent);
        created.push(...made);
        return made;
      });
      needed.push(...rules);
    }
  }
  return { created, needed };
}

/** What tells one slot's security group from another's. */
function groupIdentity(slot: pulumi.Input<SlotRef>): unknown {
  const plain = slot as Partial<SlotRef>;
  return pulumi.Output.isInstance(slot) || typeof plain.nodeSecurityGroupId !== 'string'
    ? slot
    : plain.nodeSecurityGroupId;
}

function ingressRules(
  name: string,
  slot: string,
  ref: pulumi.Input<SlotRef>,
  port: number,
  { fleet, edge, ingressRuleArgs }: LetInArgs,
  parent: pulumi.Resource,
): aws.vpc.SecurityGroupIngressRule[] {
  return sourceGroups(edgeRef(edge).securityGroupIds).map(
    (source, index) =>
      new aws.vpc.SecurityGroupIngressRule(
        index === 0 ? name : `${name}-${index + 1}`,
        {
          securityGroupId: pulumi.output(ref).apply(({ nodeSecurityGroupId }) => nodeSecurityGroupId),
          referencedSecurityGroupId: source,
          ipProtocol: 'tcp',
          fromPort: port,
          toPort: port,
          description: `Load balancer to ${fleet.name} ${slot}, port ${port}`,
          ...ingressRuleArgs,
        },
        { parent },
      ),
  );
}

/** The load balancer's security groups, as far as a program can count them. */
function sourceGroups(groups: pulumi.Input<pulumi.Input<string>[]>): readonly pulumi.Input<string>[] {
  return Array.isArray(groups) ? groups : [pulumi.output(groups).apply(firstGroup)];
}

/**
 * The security group that stands for a load balancer.
 *
 * @throws InvalidInput if it has none
 */
export function firstGroup(groups: readonly string[]): string {
  const [first] = groups;
  if (first === undefined) {
    const allowed = "at least one of the load balancer's security groups";
    throw new InvalidInput('edge', [{ path: 'securityGroupIds', value: groups, allowed }]);
  }
  return first;
}

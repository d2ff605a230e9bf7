import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { fleetRef } from '../fleet';
import { InvalidInput } from '../problems';
import type { FleetTrafficArgs } from './fleet-traffic-arguments';
import { fleetTrafficProblems } from './fleet-traffic-problems';
import { letIn } from './let-in';
import { claimsOn } from './listener-claims';
import { targetGroupArns } from './target-group-arns';
import { targetPorts } from './target-ports';
import { WeightedRule } from './weighted-rule';
import type { Weights } from './weights';
import { fullWeights } from './weights';

/**
 * Joins a fleet and a load balancer: a listener rule for each route, all with the same weights, so that a slot
 * gets one share of everything. It lets the load balancer in on the ports of the targets.
 *
 * @example
 * new traffic.FleetTraffic('apps', {
 *   fleet: apps,
 *   edge,
 *   routes: { web: { entry: 'web', hosts: ['www.example.com'], priority: 10 } },
 *   weights: { blue: 90, green: 10 },
 * });
 */
export class FleetTraffic extends pulumi.ComponentResource {
  /** Weight of every slot, in whole percent. */
  public readonly weights: Weights;
  /** The rules by route. */
  public readonly rules: Readonly<Record<string, WeightedRule>>;
  /**
   * The security group rules that let the load balancer in; those of ports that another component of this program
   * has opened already are there.
   */
  public readonly ingressRules: readonly aws.vpc.SecurityGroupIngressRule[];

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(name: string, args: FleetTrafficArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const fleet = fleetRef(args.fleet);
    const problems = fleetTrafficProblems(fleet, args, claimsOn(args.edge).priorities);
    if (problems.length > 0) {
      throw new InvalidInput(`FleetTraffic "${name}"`, problems);
    }
    super('cluster-canary:traffic:FleetTraffic', name, {}, opts);
    const slots = Object.keys(fleet.slots);
    const tags = { 'cluster-canary/fleet': fleet.name, ...args.tags };
    this.weights = fullWeights(slots, args.weights);

    const ports = Object.values(args.routes).flatMap(({ entry }) => targetPorts(fleet.entries[entry]!));
    const ingress =
      (args.openTargetPorts ?? true)
        ? letIn(
            name,
            {
              fleet: fleet.name,
              edge: args.edge,
              slots: fleet.slots,
              ports: [...new Set(ports)],
              tags,
              ingressRuleArgs: args.ingressRuleArgs,
            },
            this,
          )
        : { created: [], needed: [] };
    this.ingressRules = ingress.created;

    this.rules = Object.fromEntries(
      Object.entries(args.routes).map(([route, { entry, ...settings }]) => [
        route,
        new WeightedRule(
          `${name}-${route}`,
          {
            ...settings,
            edge: args.edge,
            targetGroupArns: targetGroupArns(fleet, entry),
            weights: this.weights,
            tags,
          },
          // A rule takes traffic at once: targets that are still closed would fail their first health checks.
          { parent: this, dependsOn: [...ingress.needed] },
        ),
      ]),
    );
    this.registerOutputs({ weights: this.weights });
  }
}

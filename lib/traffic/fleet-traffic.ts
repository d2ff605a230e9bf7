import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { withAwsSettings } from '../bridge';
import { fleetRef } from '../fleet';
import type { PlanSettings } from '../plans';
import { InvalidInput, refuseOptions } from '../problems';
import type { FleetTrafficArgs } from './fleet-traffic-arguments';
import { fleetTrafficArgsKeys } from './fleet-traffic-arguments';
import { fleetTrafficProblems } from './fleet-traffic-problems';
import { letIn, nobodyLetIn } from './let-in';
import { claimsOn } from './listener-claims';
import { clusterNames, targetGroupsOf } from './target-group-arns';
import { knownTrafficLabels } from './traffic-labels';
import { WeightedRule } from './weighted-rule';
import type { Weights } from '../shift';
import { fullWeights } from '../shift';
import { listenerRules } from './shift/elb-kinds';
import { RuleGroup } from './shift/rule-group';

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
 *   shift: { step: 10, every: '2m', bake: '10m' },
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

  private readonly group: RuleGroup;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(name: string, args: FleetTrafficArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseOptions(`FleetTraffic "${name}"`, args, fleetTrafficArgsKeys);
    const fleet = fleetRef(args.fleet);
    const problems = fleetTrafficProblems(fleet, args, claimsOn(args.edge).priorities);
    if (problems.length > 0) {
      throw new InvalidInput(`FleetTraffic "${name}"`, problems);
    }
    const tags = { 'cluster-canary/fleet': fleet.name, ...args.tags };
    super('cluster-canary:traffic:FleetTraffic', name, {}, withAwsSettings(opts, { tags }));
    this.weights = fullWeights(Object.keys(fleet.slots), args.weights);

    const { edge, ingressRuleArgs } = args;
    const entries = Object.values(args.routes).map(({ entry }) => entry);
    const ingress =
      (args.openTargetPorts ?? true)
        ? letIn(name, { fleet, entries, edge, ingressRuleArgs }, this)
        : nobodyLetIn;
    this.ingressRules = ingress.created;

    this.group = new RuleGroup({
      kind: listenerRules,
      what: `FleetTraffic "${name}"`,
      component: this,
      weights: this.weights,
      shift: args.shift,
      clusterNames: clusterNames(fleet),
      ...(args.labels && { labels: knownTrafficLabels(fleet.name, args.labels) }),
    });
    const targets = targetGroupsOf(fleet, args.routes);
    this.rules = Object.fromEntries(
      Object.entries(args.routes).map(([route, { entry: _entry, ...settings }]) => [
        route,
        new WeightedRule(
          `${name}-${route}`,
          {
            ...settings,
            edge,
            targetGroupArns: targets[route]!,
            weights: this.weights,
            shift: args.shift,
          },
          // A rule takes traffic at once: targets that are still closed would fail their first health checks.
          { parent: this, dependsOn: [...ingress.needed] },
          this.group,
        ),
      ]),
    );
    const rules = Object.values(this.rules).map(({ rule }) => rule.arn);
    this.registerOutputs({ weights: this.group.verified(rules) });
  }

  /**
   * The shift to these weights as a plan file has it: plain data for `cluster-canary shift` and for the Argo Workflow. Known
   * once the rules are there.
   */
  public get plan(): pulumi.Output<PlanSettings> {
    const rules = Object.entries(this.rules).map(([route, { rule }]) => [route, rule.arn] as const);
    return this.group.plan(Object.fromEntries(rules));
  }
}

import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { withAwsSettings } from '../bridge';
import { fleetRef } from '../fleet';
import type { PlanSettings } from '../plans';
import { InvalidInput, refuseOptions } from '../problems';
import type { Weights } from '../shift';
import { fullWeights } from '../shift';
import type { FleetListenersArgs } from './fleet-listeners-arguments';
import { fleetListenersArgsKeys } from './fleet-listeners-arguments';
import { fleetListenersProblems } from './fleet-listeners-problems';
import { letIn, nobodyLetIn } from './let-in';
import { listeners } from './shift/elb-kinds';
import { RuleGroup } from './shift/rule-group';
import { clusterNames, targetGroupsOf } from './target-group-arns';
import { knownTrafficLabels } from './traffic-labels';
import { WeightedListener } from './weighted-listener';

/**
 * Joins a fleet and a load balancer by listeners whose default actions have the weights: what a Network Load Balancer has, and
 * an Application Load Balancer for requests that no rule takes.
 *
 * @example
 * new traffic.FleetListeners('apps', {
 *   fleet: apps,
 *   loadBalancerArn: balancer.arn,
 *   listeners: { mqtt: { entry: 'mqtt', port: 8883, protocol: 'TCP' } },
 *   weights: { blue: 90, green: 10 },
 * });
 */
export class FleetListeners extends pulumi.ComponentResource {
  /** Weight of every slot, in whole percent. */
  public readonly weights: Weights;
  /** The listeners by their names. */
  public readonly listeners: Readonly<Record<string, WeightedListener>>;
  /** The security group rules that let the load balancer in. */
  public readonly ingressRules: readonly aws.vpc.SecurityGroupIngressRule[];

  private readonly group: RuleGroup;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(name: string, args: FleetListenersArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseOptions(`FleetListeners "${name}"`, args, fleetListenersArgsKeys);
    const fleet = fleetRef(args.fleet);
    const problems = fleetListenersProblems(fleet, args);
    if (problems.length > 0) {
      throw new InvalidInput(`FleetListeners "${name}"`, problems);
    }
    const tags = { 'cluster-canary/fleet': fleet.name, ...args.tags };
    super('cluster-canary:traffic:FleetListeners', name, {}, withAwsSettings(opts, { tags }));
    this.weights = fullWeights(Object.keys(fleet.slots), args.weights);
    const given = Object.entries(args.listeners);
    const { loadBalancerArn, securityGroupIds, ingressRuleArgs } = args;
    const entries = given.map(([, { entry }]) => entry);
    const ingress =
      securityGroupIds === undefined
        ? nobodyLetIn
        : letIn(
            name,
            {
              ...{ fleet, entries, ingressRuleArgs },
              edge: { listenerArn: loadBalancerArn, securityGroupIds },
            },
            this,
          );
    this.ingressRules = ingress.created;
    this.group = new RuleGroup({
      kind: listeners,
      what: `FleetListeners "${name}"`,
      component: this,
      weights: this.weights,
      shift: args.shift,
      clusterNames: clusterNames(fleet),
      ...(args.labels && { labels: knownTrafficLabels(fleet.name, args.labels) }),
    });
    const targets = targetGroupsOf(fleet, args.listeners);
    this.listeners = Object.fromEntries(
      given.map(([listener, { entry: _entry, ...settings }]) => [
        listener,
        new WeightedListener(
          `${name}-${listener}`,
          {
            ...settings,
            loadBalancerArn,
            targetGroupArns: targets[listener]!,
            weights: this.weights,
            shift: args.shift,
          },
          // A listener takes traffic at once: targets that are still closed would fail their first health checks.
          { parent: this, dependsOn: [...ingress.needed] },
          this.group,
        ),
      ]),
    );
    this.registerOutputs({ weights: this.group.verified(Object.values(this.ids())) });
  }

  /**
   * The shift to these weights as a plan file has it: plain data for `cluster-canary shift` and for the Argo Workflow. Known
   * once the listeners are there.
   */
  public get plan(): pulumi.Output<PlanSettings> {
    return this.group.plan(this.ids());
  }

  private ids(): Record<string, pulumi.Output<string>> {
    return Object.fromEntries(
      Object.entries(this.listeners).map(([name, { listener }]) => [name, listener.arn]),
    );
  }
}

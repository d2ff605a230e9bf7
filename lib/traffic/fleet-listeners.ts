import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { FleetSource } from '../fleet';
import { fleetRef } from '../fleet';
import type { PlanSettings } from '../plans';
import { InvalidInput } from '../problems';
import type { Weights } from '../shift';
import { fullWeights } from '../shift';
import { fleetListenersProblems } from './fleet-listeners-problems';
import { letIn } from './let-in';
import type { ListenerSettings } from './listener-settings';
import type { TrafficShiftArgs } from './shift/arguments';
import { listeners } from './shift/elb-kinds';
import { RuleGroup } from './shift/rule-group';
import { clusterNames, targetGroupArns, together } from './target-group-arns';
import { targetPorts } from './target-ports';
import type { TrafficLabelsArgs } from './traffic-labels';
import { knownTrafficLabels } from './traffic-labels';
import { WeightedListener } from './weighted-listener';

/** A listener that takes what goes to one entry of a fleet. */
export interface FleetListenerSettings extends ListenerSettings {
  /** Name of the entry: the same Service in every slot. */
  readonly entry: string;
}

/** What `FleetListeners` takes. */
export interface FleetListenersArgs {
  /**
   * The fleet, or its plain values from another stack. Its target groups have to fit the listeners:
   * `targetGroupArgs: { protocol: 'TCP' }` for a Network Load Balancer.
   */
  readonly fleet: FleetSource;
  /** ARN of the load balancer, network or application. */
  readonly loadBalancerArn: pulumi.Input<string>;
  /** Listeners by a name of one's own. */
  readonly listeners: Readonly<Record<string, FleetListenerSettings>>;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: Weights;
  /**
   * How a change of the weights gets to the load balancer: all listeners move together, under checks. `false` writes it at
   * once.
   *
   * @default - a shift with the default of every setting: nobody meant to move all traffic in one step
   */
  readonly shift?: TrafficShiftArgs | false;
  /**
   * Hubs whose cluster Secrets get the labels `cluster-canary/traffic` and `cluster-canary/active`, kept by the shift.
   * A hub that can't be reached is a warning and stops nothing.
   * @default - none
   */
  readonly labels?: TrafficLabelsArgs;
  /**
   * The load balancer's security groups, which each slot's nodes let in on the ports of the entries.
   *
   * @default - none: the rules are yours. A Network Load Balancer may have no security group, and its targets may see the
   * clients' own addresses.
   */
  readonly securityGroupIds?: pulumi.Input<pulumi.Input<string>[]>;
  /** AWS tags, beside the fleet's name. @default - none */
  readonly tags?: Readonly<Record<string, string>>;
  /** Raw arguments of each security group rule, over everything else. @default - none */
  readonly ingressRuleArgs?: Partial<aws.vpc.SecurityGroupIngressRuleArgs>;
}

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
    const fleet = fleetRef(args.fleet);
    const problems = fleetListenersProblems(fleet, args);
    if (problems.length > 0) {
      throw new InvalidInput(`FleetListeners "${name}"`, problems);
    }
    super('cluster-canary:traffic:FleetListeners', name, {}, opts);
    const tags = { 'cluster-canary/fleet': fleet.name, ...args.tags };
    this.weights = fullWeights(Object.keys(fleet.slots), args.weights);
    const given = Object.entries(args.listeners);
    const ports = given.flatMap(([, { entry }]) => targetPorts(fleet.entries[entry]!));
    const { loadBalancerArn, securityGroupIds } = args;
    const ingress =
      securityGroupIds === undefined
        ? { created: [], needed: [] }
        : letIn(
            name,
            {
              fleet: fleet.name,
              edge: { listenerArn: loadBalancerArn, securityGroupIds },
              slots: fleet.slots,
              ports: [...new Set(ports)],
              tags,
              ingressRuleArgs: args.ingressRuleArgs,
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
    const targets = together(
      Object.fromEntries(given.map(([listener, { entry }]) => [listener, targetGroupArns(fleet, entry)])),
    );
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
            tags,
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

import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { loadBalancerArn, securityGroupId } from '../../core/aws/identifiers';
import { dnsLabel } from '../../core/validation/formats';
import { mapOf, refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { InvalidInput, Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { weightProblems } from '../../shift/engine';
import type { Weights } from '../../shift/engine';
import type { PlanSettings } from '../../shift/plan-file';
import { withAwsSettings } from '../aws-settings';
import { fleetRef, mostSlots } from '../fleet';
import type { FleetRef, FleetSource } from '../fleet';
import { checkTags } from '../input-schemas';
import { checkInput, checkInputs } from '../inputs';
import { knownTrafficLabels, trafficLabelsArgsKeys, trafficLabelsProblems } from './argocd';
import type { TrafficLabelsArgs } from './argocd';
import { entryProblems, needsGroupStickiness, slotProblems } from './fleet-traffic';
import { letIn, nobodyLetIn } from './ingress-rules';
import { listeners } from './shift/kinds';
import { trafficShiftArgsKeys, trafficShiftProblems } from './shift/shift-args';
import type { TrafficShiftArgs } from './shift/shift-args';
import { RuleGroup } from './shift/split-group';
import { clusterNames, targetGroupsOf } from './target-groups';
import {
  WeightedListener,
  layerOf,
  listenerSettingsKeys,
  listenerSettingsProblems,
} from './weighted-listener';
import type { ListenerSettings } from './weighted-listener';
import { weightsOf } from './slot-weights';
import type { SlotWeights } from './slot-weights';

/** A listener that takes what goes to one entry of a fleet. */
export interface FleetListenerSettings<EntryName extends string = string> extends ListenerSettings {
  /** Name of the entry: the same Service in every slot. */
  readonly entry: EntryName;
}

const fleetListenerSettingsKeys: OptionsOf<FleetListenerSettings> = {
  ...listenerSettingsKeys,
  entry: 'plain',
};

/** What `FleetListeners` takes. */
export interface FleetListenersArgs<Slot extends string = string, EntryName extends string = string> {
  /**
   * The fleet, or its plain values from another stack. Its target groups have to fit the listeners:
   * `targetGroupArgs: { protocol: 'TCP' }` for a Network Load Balancer.
   */
  readonly fleet: FleetSource<Slot, EntryName>;
  /** ARN of the load balancer, network or application. */
  readonly loadBalancerArn: pulumi.Input<string>;
  /** Listeners by a name of one's own. */
  readonly listeners: Readonly<Record<string, FleetListenerSettings<NoInfer<EntryName>>>>;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: SlotWeights<NoInfer<Slot>>;
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

const fleetListenersArgsKeys: OptionsOf<FleetListenersArgs> = {
  fleet: 'open',
  loadBalancerArn: 'open',
  listeners: mapOf(fleetListenerSettingsKeys),
  weights: 'plain',
  shift: trafficShiftArgsKeys,
  labels: trafficLabelsArgsKeys,
  securityGroupIds: 'open',
  tags: 'plain',
  ingressRuleArgs: 'open',
};

const noGroupStickiness =
  "one of a Network Load Balancer: the fleet's target groups keep a client with one target by a cookie " +
  '(targetGroupArgs.stickiness), which AWS refuses behind a listener without stickiness. Use FleetTraffic with stickinessSeconds';

/** What is wrong with the plain values of `FleetListeners`. */
function fleetListenersProblems(fleet: FleetRef, args: FleetListenersArgs): readonly Problem[] {
  const problems = new Problems('listeners');
  const slots = Object.keys(fleet.slots);
  if (slots.length < 1 || slots.length > mostSlots) {
    problems.add(
      'fleet.slots',
      slots,
      `1 to ${mostSlots} slots: a listener forwards to at most ${mostSlots} target groups`,
    );
  }
  problems.addAll(weightProblems(slots, args.weights as Weights | undefined));
  problems.addAll(trafficLabelsProblems(args.labels));
  checkTags(problems, 'tags', args.tags);
  checkInput(problems, 'loadBalancerArn', args.loadBalancerArn, loadBalancerArn);
  checkInputs(problems, 'securityGroupIds', args.securityGroupIds, securityGroupId);
  const listeners = Object.entries(args.listeners ?? {});
  if (listeners.length === 0) {
    problems.add('listeners', args.listeners, 'at least one listener');
  }
  const taken = new Map<string, string>();
  for (const [name, listener] of listeners) {
    const path = `listeners.${name}`;
    problems.check(path, name, dnsLabel);
    entryProblems(problems, `${path}.entry`, fleet, listener);
    problems.addAll(listenerSettingsProblems(listener, args.loadBalancerArn), path);
    const isHttp = layerOf([listener]) === 'http';
    if (isHttp && needsGroupStickiness(fleet) && listener.listenerArgs?.defaultActions === undefined) {
      problems.add(`${path}.protocol`, listener.protocol, noGroupStickiness);
    }
    const other = taken.get(String(listener.port));
    if (other !== undefined) {
      problems.add(`${path}.port`, listener.port, `free on the load balancer: ${other} has it`);
    }
    taken.set(String(listener.port), other ?? path);
  }
  const settings = listeners.map(([, listener]) => listener);
  const ownActions = settings.some(({ listenerArgs }) => listenerArgs?.defaultActions !== undefined);
  problems.addAll(trafficShiftProblems(args.shift, slots, ownActions, layerOf(settings)));
  slotProblems(problems, fleet, new Set(settings.map(({ entry }) => entry)));
  return problems.all;
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
export class FleetListeners<const Slot extends string = string, const EntryName extends string = string>
  extends pulumi.ComponentResource
{
  /** Weight of every slot, in whole percent. */
  public readonly weights: Readonly<Record<Slot, number>>;
  /** The listeners by their names. */
  public readonly listeners: Readonly<Record<string, WeightedListener>>;
  /** The security group rules that let the load balancer in. */
  public readonly ingressRules: readonly aws.vpc.SecurityGroupIngressRule[];

  private readonly group: RuleGroup;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(
    name: string,
    args: FleetListenersArgs<Slot, EntryName>,
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    refuseOptions(`FleetListeners "${name}"`, args, fleetListenersArgsKeys);
    const fleet = fleetRef(args.fleet);
    const problems = fleetListenersProblems(fleet, args);
    if (problems.length > 0) {
      throw new InvalidInput(`FleetListeners "${name}"`, problems);
    }
    const tags = { 'cluster-canary/fleet': fleet.name, ...args.tags };
    super('cluster-canary:traffic:FleetListeners', name, {}, withAwsSettings(opts, { tags }));
    this.weights = weightsOf<Slot>(Object.keys(fleet.slots), args.weights);
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

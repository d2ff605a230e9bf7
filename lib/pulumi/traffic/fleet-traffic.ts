import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { applicationListenerArn, securityGroupId } from '../../core/aws/identifiers';
import { dnsLabel, port } from '../../core/validation/formats';
import { mapOf, refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { InvalidInput, Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { weightProblems } from '../../shift/engine';
import type { Weights } from '../../shift/engine';
import type { PlanSettings } from '../../shift/plan-file';
import { withAwsSettings } from '../aws-settings';
import { fleetRef, mostSlots, trafficPort } from '../fleet';
import type { FleetRef, FleetSource } from '../fleet';
import { checkTags } from '../input-schemas';
import { checkInput, checkInputs } from '../inputs';
import { knownTrafficLabels, trafficLabelsArgsKeys, trafficLabelsProblems } from './argocd';
import type { TrafficLabelsArgs } from './argocd';
import { claimsOn, edgeRef } from './edge';
import type { EdgeSource } from './edge';
import { letIn, nobodyLetIn } from './ingress-rules';
import { listenerRules } from './shift/kinds';
import { trafficShiftArgsKeys, trafficShiftProblems } from './shift/shift-args';
import type { TrafficShiftArgs } from './shift/shift-args';
import { RuleGroup } from './shift/split-group';
import { clusterNames, targetGroupsOf } from './target-groups';
import { WeightedRule, ruleSettingsKeys, ruleSettingsProblems } from './weighted-rule';
import type { RuleSettings } from './weighted-rule';
import { weightsOf } from './slot-weights';
import type { SlotWeights } from './slot-weights';

/** Requests that go to one entry of a fleet. */
export interface RouteArgs<EntryName extends string = string> extends RuleSettings {
  /** Name of the entry: the same Service in every slot. */
  readonly entry: EntryName;
}

const routeArgsKeys: OptionsOf<RouteArgs> = { ...ruleSettingsKeys, entry: 'plain' };

/** What `FleetTraffic` takes. */
export interface FleetTrafficArgs<Slot extends string = string, EntryName extends string = string> {
  /** The fleet, or its plain values from another stack. */
  readonly fleet: FleetSource<Slot, EntryName>;
  /** The load balancer, or the plain values of one that was made elsewhere. */
  readonly edge: EdgeSource;
  /** Which requests go to which entry, by a name of one's own. */
  readonly routes: Readonly<Record<string, RouteArgs<NoInfer<EntryName>>>>;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: SlotWeights<NoInfer<Slot>>;
  /**
   * How a change of the weights gets to the load balancer: the rules of all routes move together, under checks. `false`
   * writes it at once.
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
   * Whether the security group of each slot's nodes gets rules that let the load balancer in on the ports of the
   * routes' entries. Turn it off where you write those rules yourself.
   * @default true
   */
  readonly openTargetPorts?: boolean;
  /** AWS tags, beside the fleet's name. @default - none */
  readonly tags?: Readonly<Record<string, string>>;
  /** Raw arguments of each security group rule, over everything else. @default - none */
  readonly ingressRuleArgs?: Partial<aws.vpc.SecurityGroupIngressRuleArgs>;
}

const fleetTrafficArgsKeys: OptionsOf<FleetTrafficArgs> = {
  fleet: 'open',
  edge: 'open',
  routes: mapOf(routeArgsKeys),
  weights: 'plain',
  shift: trafficShiftArgsKeys,
  labels: trafficLabelsArgsKeys,
  openTargetPorts: 'plain',
  tags: 'plain',
  ingressRuleArgs: 'open',
};

/**
 * What is wrong with the plain values of a `FleetTraffic`.
 *
 * @param taken who has which priority of the listener already
 */
function fleetTrafficProblems(
  fleet: FleetRef,
  args: FleetTrafficArgs,
  taken: ReadonlyMap<number, string>,
): readonly Problem[] {
  const problems = new Problems('traffic');
  const slots = Object.keys(fleet.slots);
  if (slots.length < 1 || slots.length > mostSlots) {
    problems.add(
      'fleet.slots',
      slots,
      `1 to ${mostSlots} slots: a load balancer rule forwards to at most ${mostSlots} target groups`,
    );
  }
  problems.addAll(weightProblems(slots, args.weights as Weights | undefined));
  edgeProblems(problems, args);
  const routes = Object.entries(args.routes ?? {});
  if (routes.length === 0) {
    problems.add('routes', args.routes, 'at least one route');
  }
  const priorities = new Map(taken);
  for (const [name, route] of routes) {
    problems.check(`routes.${name}`, name, dnsLabel);
    entryProblems(problems, `routes.${name}.entry`, fleet, route);
    problems.addAll(ruleSettingsProblems(route, priorities), `routes.${name}`);
    const { stickinessSeconds, ruleArgs } = route;
    if (needsGroupStickiness(fleet) && stickinessSeconds === undefined && ruleArgs?.actions === undefined) {
      problems.add(`routes.${name}.stickinessSeconds`, undefined, groupStickiness);
    }
    if (!priorities.has(route.priority)) {
      priorities.set(route.priority, `routes.${name}`);
    }
  }
  const ownActions = routes.some(([, { ruleArgs }]) => ruleArgs?.actions !== undefined);
  problems.addAll(trafficShiftProblems(args.shift, slots, ownActions));
  problems.addAll(trafficLabelsProblems(args.labels));
  checkTags(problems, 'tags', args.tags);
  slotProblems(problems, fleet, new Set(routes.map(([, { entry }]) => entry)));
  return problems.all;
}

function edgeProblems(problems: Problems, { edge, openTargetPorts = true }: FleetTrafficArgs): void {
  const { listenerArn, securityGroupIds } = edgeRef(edge);
  checkInput(problems, 'edge.listenerArn', listenerArn, applicationListenerArn);
  checkInputs(problems, 'edge.securityGroupIds', securityGroupIds, securityGroupId);
  if (openTargetPorts && (securityGroupIds === undefined || isEmptyList(securityGroupIds))) {
    problems.add(
      'edge.securityGroupIds',
      securityGroupIds,
      "at least one of the load balancer's security groups, which the targets let in; or openTargetPorts: false",
    );
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * Whether AWS takes an action on the fleet's target groups only with stickiness of the group: "You must enable group stickiness
 * before enabling target stickiness". One that is alone needs none.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/2734
 */
export function needsGroupStickiness({ cookieStickiness, slots }: FleetRef): boolean {
  return cookieStickiness === true && Object.keys(slots).length > 1;
}

const groupStickiness =
  "1 to 604800 seconds: the fleet's target groups keep a client with one target by a cookie (targetGroupArgs.stickiness), which " +
  'AWS refuses behind a rule that does not keep the client with one target group';

/** Adds a problem for an entry that the fleet does not have. */
export function entryProblems(
  problems: Problems,
  path: string,
  fleet: FleetRef,
  route: Pick<RouteArgs, 'entry'>,
): void {
  const names = Object.keys(fleet.entries);
  if (!names.includes(route.entry)) {
    const known = names.length > 0 ? `of which there are ${names.join(', ')}` : 'of which there is none';
    problems.add(path, route.entry, `an entry of the fleet, ${known}`);
  } else {
    problems.check(`fleet.entries.${route.entry}`, trafficPort(fleet.entries[route.entry]!), port);
  }
}

/** Slots that are given as plain values have a target group for each entry that is used. */
export function slotProblems(problems: Problems, fleet: FleetRef, entries: ReadonlySet<string>): void {
  for (const [slot, ref] of Object.entries(fleet.slots)) {
    if (pulumi.Output.isInstance(ref) || ref instanceof Promise) {
      continue;
    }
    const { targetGroupArns } = ref;
    for (const entry of entries) {
      if (entry in fleet.entries && targetGroupArns[entry] === undefined) {
        const path = `fleet.slots.${slot}.targetGroupArns.${entry}`;
        problems.add(path, undefined, 'the ARN of a target group');
      }
    }
  }
}

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
export class FleetTraffic<const Slot extends string = string, const EntryName extends string = string>
  extends pulumi.ComponentResource
{
  /** Weight of every slot, in whole percent. */
  public readonly weights: Readonly<Record<Slot, number>>;
  /** The rules by route. */
  public readonly rules: Readonly<Record<string, WeightedRule>>;
  /**
   * The security group rules that let the load balancer in; those of ports that another component of this program
   * has opened already are there.
   */
  public readonly ingressRules: readonly aws.vpc.SecurityGroupIngressRule[];

  private readonly group: RuleGroup;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(
    name: string,
    args: FleetTrafficArgs<Slot, EntryName>,
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    refuseOptions(`FleetTraffic "${name}"`, args, fleetTrafficArgsKeys);
    const fleet = fleetRef(args.fleet);
    const problems = fleetTrafficProblems(fleet, args, claimsOn(args.edge).priorities);
    if (problems.length > 0) {
      throw new InvalidInput(`FleetTraffic "${name}"`, problems);
    }
    const tags = { 'cluster-canary/fleet': fleet.name, ...args.tags };
    super('cluster-canary:traffic:FleetTraffic', name, {}, withAwsSettings(opts, { tags }));
    this.weights = weightsOf<Slot>(Object.keys(fleet.slots), args.weights);

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

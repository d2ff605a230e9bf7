import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { securityGroupId } from '../../core/aws/identifiers';
import { rawArgs, refuseArguments } from '../../core/validation/arguments';
import { record, object, optional } from '../../core/validation/collections';
import { dnsLabel, port } from '../../core/validation/formats';
import { Problems, isPlainObject } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { flag, following, text, that } from '../../core/validation/values';
import { fleetRef, fleetSource, soundFleet, trafficPort } from '../fleet';
import type { FleetRef, FleetSource } from '../fleet';
import { awsTags } from '../input-schemas';
import { checkInputs } from '../inputs';
import { trafficLabelsSchema } from './argocd';
import type { TrafficLabelsArgs } from './argocd';
import { claimsOn, edgeRef, edgeSource, listenerProblems, soundEdge } from './edge';
import type { EdgeSource } from './edge';
import { allowIngress, nobodyLetIn } from './ingress-rules';
import { outlinedPreviews } from './planned-previews';
import { previewsProblems } from './previews-problems';
import { withConditions } from './rule-conditions';
import { listenerRuleSplits } from './shift/kinds';
import { SlotPreviews } from './slot-previews';
import { slotPreviewsSchema } from './slot-previews-args';
import type { SlotPreviewsArgs } from './slot-previews-args';
import { targetGroupsOf } from './target-groups';
import { FleetSplit, countProblems, knownFleet, splitProblems, trafficSplitEntries } from './traffic-split';
import type { TrafficSplitArgs } from './traffic-split';
import { WeightedRule, priorityProblems, ruleSettingsEntries } from './weighted-rule';
import type { RuleSettings } from './weighted-rule';

/** Requests that go to one entry of a fleet. */
export interface RouteArgs<EntryName extends string = string> extends RuleSettings {
  /** Name of the entry: the same Service in every slot. */
  readonly entry: EntryName;
}

/** What `FleetTraffic` takes. */
export interface FleetTrafficArgs<
  Slot extends string = string,
  EntryName extends string = string,
> extends TrafficSplitArgs<Slot> {
  /** The fleet, or its plain values from another stack. */
  readonly fleet: FleetSource<Slot, EntryName>;
  /** The load balancer, or the plain values of one that was made elsewhere. */
  readonly edge: EdgeSource;
  /** Which requests go to which entry, by a name of one's own. */
  readonly routes: Readonly<Record<string, RouteArgs<NoInfer<EntryName>>>>;
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
  /**
   * What leads to each slot past the weights, for trying it out: a header, a cookie or a host. Its requests are no live traffic.
   * @default - none
   */
  readonly previews?: SlotPreviewsArgs<NoInfer<Slot>>;
  /** AWS tags, beside the fleet's name. @default - none */
  readonly tags?: Readonly<Record<string, string>>;
  /** Raw arguments of each security group rule, over everything else. @default - none */
  readonly ingressRuleArgs?: Partial<aws.vpc.SecurityGroupIngressRuleArgs>;
}

const fleetTrafficArgs = object<FleetTrafficArgs>({
  ...trafficSplitEntries,
  fleet: fleetSource,
  edge: edgeSource,
  routes: that(
    record(
      withConditions(
        object<RouteArgs>({ entry: text('the name of an entry of the fleet'), ...ruleSettingsEntries }),
      ),
      following(dnsLabel),
    ),
    'at least one route',
    (routes) => Object.keys(routes).length > 0,
  ),
  labels: optional(trafficLabelsSchema),
  openTargetPorts: optional(flag),
  previews: optional(slotPreviewsSchema),
  tags: optional(awsTags),
  ingressRuleArgs: optional(rawArgs),
});

/** What the schema does not say of the arguments of a `FleetTraffic`. */
function fleetTrafficProblems(args: Partial<FleetTrafficArgs>): readonly Problem[] {
  const { fleet: source, routes = {}, openTargetPorts = true, previews } = args;
  const edge = soundEdge(args.edge);
  const problems = new Problems('traffic');
  if (edge !== undefined) {
    edgeProblems(problems, edge, openTargetPorts);
  }
  const fleet = soundFleet(source);
  if (fleet === undefined) {
    return problems.all;
  }
  const slots = Object.keys(fleet.slots);
  problems.addAll(
    countProblems('fleet.slots', slots, 'slots: a load balancer rule forwards to no more target groups'),
  );
  const priorities = new Map(edge && claimsOn(edge).priorities);
  for (const [name, route] of Object.entries(routes)) {
    const path = `routes.${name}`;
    entryProblems(problems, `${path}.entry`, fleet, route);
    problems.addAll(priorityProblems(`${path}.priority`, route, priorities));
    const { stickinessSeconds, ruleArgs } = route;
    if (needsGroupStickiness(fleet) && stickinessSeconds === undefined && ruleArgs?.actions === undefined) {
      problems.require(`${path}.stickinessSeconds`, groupStickiness);
    }
    if (!priorities.has(route.priority)) {
      priorities.set(route.priority, path);
    }
  }
  const given = Object.values(routes);
  if (previews) {
    problems.addAll(previewsProblems(previews, { slots, routes, priorities }));
  }
  const hasOwnWeights = given.some(({ ruleArgs }) => ruleArgs?.actions !== undefined);
  const asked = previews && outlinedPreviews(previews, slots, routes);
  problems.addAll(splitProblems(args, { slots, hasOwnWeights, ...(asked && { previews: asked }) }));
  trafficSlotProblems(problems, fleet, new Set(given.map(({ entry }) => entry)));
  return problems.all;
}

function edgeProblems(problems: Problems, edge: EdgeSource, openTargetPorts: boolean): void {
  const { securityGroupIds } = edgeRef(edge);
  problems.addAll(listenerProblems(edge));
  checkInputs(problems, 'edge.securityGroupIds', securityGroupIds, securityGroupId);
  if (openTargetPorts && ((securityGroupIds as unknown) === undefined || isEmptyList(securityGroupIds))) {
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
  const entries = fleet.entries ?? {};
  const names = Object.keys(entries);
  if (!names.includes(route.entry)) {
    const known = names.length > 0 ? `of which there are ${names.join(', ')}` : 'of which there is none';
    problems.add(path, route.entry, `an entry of the fleet, ${known}`);
  } else {
    problems.check(`fleet.entries.${route.entry}`, trafficPort(entries[route.entry]!), port);
  }
}

/** Slots that are given as plain values have a target group for each entry that is used. */
export function trafficSlotProblems(problems: Problems, fleet: FleetRef, entries: ReadonlySet<string>): void {
  const known = [...entries].filter((entry) => Object.hasOwn(fleet.entries ?? {}, entry));
  for (const [slot, ref] of Object.entries(fleet.slots)) {
    if (pulumi.Output.isInstance(ref) || ref instanceof Promise) {
      continue;
    }
    const groups: unknown = ref.targetGroupArns;
    if (pulumi.Output.isInstance(groups)) {
      continue;
    }
    for (const entry of known) {
      if (!isPlainObject(groups) || groups[entry] === undefined) {
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
export class FleetTraffic<
  const Slot extends string = string,
  const EntryName extends string = string,
> extends FleetSplit<Slot> {
  /** The rules by route. */
  public readonly rules: Readonly<Record<string, WeightedRule>>;
  /**
   * The security group rules that let the load balancer in; those of ports that another component of this program
   * has opened already are there.
   */
  public readonly ingressRules: readonly aws.vpc.SecurityGroupIngressRule[];
  /** The rules of the previews. */
  public readonly previewRules: readonly aws.lb.ListenerRule[];
  /**
   * The `curl` command that asks a slot past the weights, by route and slot. A value that is a secret stands there as
   * `$PREVIEW_VALUE`: of a cookie that is `NAME=VALUE`.
   */
  public readonly previews: Readonly<Record<string, Readonly<Record<string, pulumi.Output<string>>>>>;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(
    name: string,
    args: FleetTrafficArgs<Slot, EntryName>,
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    refuseArguments(`FleetTraffic "${name}"`, fleetTrafficArgs, args, (sound) =>
      fleetTrafficProblems({ ...sound, fleet: args.fleet, edge: args.edge }),
    );
    const fleet = fleetRef(args.fleet);
    const { weights, shift, labels } = args;
    const slots = Object.keys(fleet.slots);
    const previews = args.previews && new SlotPreviews(args.previews, slots, args.routes);
    super(
      'FleetTraffic',
      name,
      {
        ...{ kind: listenerRuleSplits, slots, weights, shift },
        ...knownFleet(
          args.fleet,
          labels,
          Object.values(args.routes).map(({ entry }) => entry),
        ),
        ...(previews && {
          previews: Object.fromEntries(
            Object.keys(args.routes).map((route) => [`${name}-${route}`, previews.ofRoute(route)]),
          ),
        }),
        tags: { 'cluster-canary/fleet': fleet.name, ...args.tags },
      },
      opts,
    );
    const { edge, ingressRuleArgs } = args;
    const entries = Object.values(args.routes).map(({ entry }) => entry);
    const ingress =
      (args.openTargetPorts ?? true)
        ? allowIngress(name, { fleet, entries, edge, ingressRuleArgs }, this)
        : nobodyLetIn;
    this.ingressRules = ingress.created;

    const targets = targetGroupsOf(fleet, args.routes);
    // A rule takes traffic at once: targets that are still closed would fail their first health checks.
    const behind = { parent: this, dependsOn: [...ingress.needed] };
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
            shift,
          },
          behind,
          this.group,
        ),
      ]),
    );
    this.previewRules = previews?.rules(name, () => edge, targets, behind) ?? [];
    this.previews = previews?.lines() ?? {};
    this.registerOutputs({ weights: this.verified(), ...(previews && { previews: this.previews }) });
  }

  protected ids(): Readonly<Record<string, pulumi.Output<string>>> {
    return Object.fromEntries(Object.entries(this.rules).map(([route, { rule }]) => [route, rule.arn]));
  }
}

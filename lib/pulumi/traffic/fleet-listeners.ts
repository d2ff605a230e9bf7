import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { loadBalancerArn, securityGroupId } from '../../core/aws/identifiers';
import { rawArgs, refuseArguments } from '../../core/validation/arguments';
import { record, object, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { following, text, that } from '../../core/validation/values';
import { fleetRef, fleetSource, soundFleet } from '../fleet';
import type { FleetSource } from '../fleet';
import { awsTags, input, inputList } from '../input-schemas';
import { trafficLabelsSchema } from './argocd';
import type { TrafficLabelsArgs } from './argocd';
import type { EdgeRef } from './edge';
import { entryProblems, needsGroupStickiness, trafficSlotProblems } from './fleet-traffic';
import { allowIngress, nobodyLetIn } from './ingress-rules';
import { listeners } from './shift/kinds';
import { outlinedPreviews, previewedRoutes } from './planned-previews';
import { previewsProblems } from './previews-problems';
import { SlotPreviews } from './slot-previews';
import { slotPreviewsSchema } from './slot-previews-args';
import type { SlotPreviewsArgs } from './slot-previews-args';
import { targetGroupsOf } from './target-groups';
import { FleetSplit, countProblems, knownFleet, splitProblems, trafficSplitEntries } from './traffic-split';
import type { TrafficSplitArgs } from './traffic-split';
import {
  WeightedListener,
  layerOf,
  listenerSettingsEntries,
  listenerSettingsProblems,
} from './weighted-listener';
import type { ListenerSettings } from './weighted-listener';
import type { RuleSettings } from './weighted-rule';

/** A listener that takes what goes to one entry of a fleet. */
export interface FleetListenerSettings<EntryName extends string = string> extends ListenerSettings {
  /** Name of the entry: the same Service in every slot. */
  readonly entry: EntryName;
}

/** What `FleetListeners` takes. */
export interface FleetListenersArgs<
  Slot extends string = string,
  EntryName extends string = string,
> extends TrafficSplitArgs<Slot> {
  /**
   * The fleet, or its plain values from another stack. Its target groups have to fit the listeners:
   * `targetGroupArgs: { protocol: 'TCP' }` for a Network Load Balancer.
   */
  readonly fleet: FleetSource<Slot, EntryName>;
  /** ARN of the load balancer, network or application. */
  readonly loadBalancerArn: pulumi.Input<string>;
  /** Listeners by a name of one's own. */
  readonly listeners: Readonly<Record<string, FleetListenerSettings<NoInfer<EntryName>>>>;
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
  /**
   * What leads to each slot past the weights, on listeners of HTTP and HTTPS: a header, a cookie or a host. `routes` and `urls`
   * name listeners. The rules are the last of a listener, from priority 50000 on downwards.
   * @default - none
   */
  readonly previews?: SlotPreviewsArgs<NoInfer<Slot>>;
  /** AWS tags, beside the fleet's name. @default - none */
  readonly tags?: Readonly<Record<string, string>>;
  /** Raw arguments of each security group rule, over everything else. @default - none */
  readonly ingressRuleArgs?: Partial<aws.vpc.SecurityGroupIngressRuleArgs>;
}

const fleetListenersArgs = object<FleetListenersArgs>({
  ...trafficSplitEntries,
  fleet: fleetSource,
  loadBalancerArn: input(loadBalancerArn),
  listeners: that(
    record(
      object<FleetListenerSettings>({
        entry: text('the name of an entry of the fleet'),
        ...listenerSettingsEntries,
      }),
      following(dnsLabel),
    ),
    'at least one listener',
    (listeners) => Object.keys(listeners).length > 0,
  ),
  labels: optional(trafficLabelsSchema),
  securityGroupIds: optional(inputList(securityGroupId)),
  previews: optional(slotPreviewsSchema),
  tags: optional(awsTags),
  ingressRuleArgs: optional(rawArgs),
});

const noGroupStickiness =
  "one of a Network Load Balancer: the fleet's target groups keep a client with one target by a cookie " +
  '(targetGroupArgs.stickiness), which AWS refuses behind a listener without stickiness. Use FleetTraffic with stickinessSeconds';

/** What the schema does not say of the arguments of `FleetListeners`. */
function fleetListenersProblems(args: Partial<FleetListenersArgs>): readonly Problem[] {
  const { fleet: source, listeners: given = {}, loadBalancerArn: balancer } = args;
  const problems = new Problems('listeners');
  const fleet = soundFleet(source);
  if (fleet === undefined) {
    return problems.all;
  }
  const slots = Object.keys(fleet.slots);
  problems.addAll(countProblems('fleet.slots', slots, 'slots: a listener forwards to no more target groups'));
  const taken = new Map<number, string>();
  for (const [name, listener] of Object.entries(given)) {
    const path = `listeners.${name}`;
    entryProblems(problems, `${path}.entry`, fleet, listener);
    problems.addAll(listenerSettingsProblems(listener, balancer), path);
    const isHttp = layerOf([listener]) === 'http';
    if (isHttp && needsGroupStickiness(fleet) && listener.listenerArgs?.defaultActions === undefined) {
      problems.add(`${path}.protocol`, listener.protocol, noGroupStickiness);
    }
    const other = taken.get(listener.port);
    if (other !== undefined) {
      problems.add(`${path}.port`, listener.port, `free on the load balancer: ${other} has it`);
    }
    taken.set(listener.port, other ?? path);
  }
  problems.addAll(listenerPreviewProblems(args.previews, slots, given));
  const settings = Object.values(given);
  const hasOwnWeights = settings.some(({ listenerArgs }) => listenerArgs?.defaultActions !== undefined);
  const asked = args.previews && outlinedPreviews(args.previews, slots, asRoutes(given));
  problems.addAll(
    splitProblems(args, {
      ...{ slots, hasOwnWeights, layer: layerOf(settings) },
      ...(asked && { previews: asked }),
    }),
  );
  trafficSlotProblems(problems, fleet, new Set(settings.map(({ entry }) => entry)));
  return problems.all;
}

/** What a listener does by default comes after all of its rules, the last of which has this priority less one. */
const behindRules = 50_001;

/** Listeners as previews know routes. */
function asRoutes(given: Readonly<Record<string, FleetListenerSettings>>): Record<string, RuleSettings> {
  return Object.fromEntries(Object.keys(given).map((name) => [name, { priority: behindRules }]));
}

/** A host leads to a slot on the port of the listener. */
function withPorts(
  previews: SlotPreviewsArgs,
  given: Readonly<Record<string, FleetListenerSettings>>,
): SlotPreviewsArgs {
  const urls = previewedRoutes(previews, asRoutes(given)).map(([name]) => {
    const { protocol, port } = given[name]!;
    return [name, `${protocol.toLowerCase()}://example.com:${port}`] as const;
  });
  return previews.hosts ? { ...previews, urls: { ...Object.fromEntries(urls), ...previews.urls } } : previews;
}

function listenerPreviewProblems(
  previews: SlotPreviewsArgs | undefined,
  slots: readonly string[],
  given: Readonly<Record<string, FleetListenerSettings>>,
): readonly Problem[] {
  if (previews === undefined) {
    return [];
  }
  const problems = new Problems('previews');
  const routes = asRoutes(given);
  const named = previewedRoutes(previews, routes).map(([name]) => [name, given[name]!] as const);
  if (named.some(([, listener]) => layerOf([listener]) !== 'http')) {
    const allowed =
      'left out, or previews.routes of the listeners of HTTP and HTTPS: others see no header, cookie or host';
    problems.addSecret('previews', allowed);
    return problems.all;
  }
  for (const [name] of named.filter(([, { listenerArgs }]) => listenerArgs?.defaultActions !== undefined)) {
    problems.conflicts(
      `listeners.${name}.listenerArgs.defaultActions`,
      'previews, whose rules do not have it',
    );
  }
  problems.addAll(previewsProblems(withPorts(previews, given), { slots, routes }));
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
export class FleetListeners<
  const Slot extends string = string,
  const EntryName extends string = string,
> extends FleetSplit<Slot> {
  /** The listeners by their names. */
  public readonly listeners: Readonly<Record<string, WeightedListener>>;
  /** The security group rules that let the load balancer in. */
  public readonly ingressRules: readonly aws.vpc.SecurityGroupIngressRule[];
  /** The rules of the previews. */
  public readonly previewRules: readonly aws.lb.ListenerRule[];
  /**
   * The `curl` command that asks a slot past the weights, by listener and slot. A value that is a secret stands there as
   * `$PREVIEW_VALUE`: of a cookie that is `NAME=VALUE`.
   */
  public readonly previews: Readonly<Record<string, Readonly<Record<string, pulumi.Output<string>>>>>;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(
    name: string,
    args: FleetListenersArgs<Slot, EntryName>,
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    refuseArguments(`FleetListeners "${name}"`, fleetListenersArgs, args, (sound) =>
      fleetListenersProblems({ ...sound, fleet: args.fleet }),
    );
    const fleet = fleetRef(args.fleet);
    const { weights, shift, labels } = args;
    const slots = Object.keys(fleet.slots);
    const previews =
      args.previews &&
      new SlotPreviews(withPorts(args.previews, args.listeners), slots, asRoutes(args.listeners));
    super(
      'FleetListeners',
      name,
      {
        ...{ kind: listeners, slots, weights, shift },
        ...knownFleet(
          args.fleet,
          labels,
          Object.values(args.listeners).map(({ entry }) => entry),
        ),
        ...(previews && {
          previews: Object.fromEntries(
            Object.keys(args.listeners).map((listener) => [
              `${name}-${listener}`,
              previews.ofRoute(listener),
            ]),
          ),
        }),
        tags: { 'cluster-canary/fleet': fleet.name, ...args.tags },
      },
      opts,
    );
    const given = Object.entries(args.listeners);
    const { loadBalancerArn: balancer, securityGroupIds, ingressRuleArgs } = args;
    const entries = given.map(([, { entry }]) => entry);
    const ingress =
      securityGroupIds === undefined
        ? nobodyLetIn
        : allowIngress(
            name,
            {
              ...{ fleet, entries, ingressRuleArgs },
              edge: { listenerArn: balancer, securityGroupIds },
            },
            this,
          );
    this.ingressRules = ingress.created;
    const targets = targetGroupsOf(fleet, args.listeners);
    this.listeners = Object.fromEntries(
      given.map(([listener, { entry: _entry, ...settings }]) => [
        listener,
        new WeightedListener(
          `${name}-${listener}`,
          {
            ...settings,
            loadBalancerArn: balancer,
            targetGroupArns: targets[listener]!,
            weights: this.weights,
            shift,
          },
          // A listener takes traffic at once: targets that are still closed would fail their first health checks.
          { parent: this, dependsOn: [...ingress.needed] },
          this.group,
        ),
      ]),
    );
    const edges = (listener: string): EdgeRef => ({
      listenerArn: this.listeners[listener]!.listener.arn,
      securityGroupIds: securityGroupIds ?? [],
    });
    this.previewRules =
      previews?.rules(name, edges, targets, { parent: this, dependsOn: [...ingress.needed] }) ?? [];
    this.previews = previews?.lines() ?? {};
    this.registerOutputs({ weights: this.verified(), ...(previews && { previews: this.previews }) });
  }

  protected ids(): Readonly<Record<string, pulumi.Output<string>>> {
    return Object.fromEntries(
      Object.entries(this.listeners).map(([name, { listener }]) => [name, listener.arn]),
    );
  }
}

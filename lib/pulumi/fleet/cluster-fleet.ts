import * as pulumi from '@pulumi/pulumi';
import { dnsLabel } from '../../core/validation/formats';
import { refuseArguments } from '../../core/validation/arguments';
import { across, record, object, optional } from '../../core/validation/collections';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { flag, following } from '../../core/validation/values';
import { checkAddons } from '../addons';
import { ClusterSlot } from './cluster-slot';
import { hasCookieStickiness } from './entries';
import type { FleetWideArgs, SlotArgs } from './slot-args';
import { slotRegion } from './slot-cluster';
import { slotProblems } from './slot-problems';
import type { Entry, FleetRef, SlotRef } from './slot-ref';
import { fleetWideEntries, slotSchema } from './slot-schema';
import { warnOfUpgrades } from './upgrade-insights';
import type { UpgradedSlot } from './upgrade-insights';

/** Most slots of a fleet: a load balancer rule forwards to at most five target groups. */
export const mostSlots = 5;

/** What `ClusterFleet` takes. */
export interface ClusterFleetArgs<
  Slot extends string = string,
  EntryName extends string = string,
  AddonName extends string = string,
> extends FleetWideArgs<EntryName, AddonName> {
  /** The fleet's slots by name, 1 to 5. One is where everybody starts. */
  readonly slots: Readonly<Record<Slot, SlotArgs<AddonName>>>;
  /**
   * Whether `pulumi preview` asks EKS about a slot that is older than another one, and warns of what it says: upgrade insights,
   * versions, add-ons. It is asked with the program's own credentials, for at most 20 s, and fails nothing. An `up` asks nothing.
   *
   * @default true - what EKS knows is better read before a cluster of the new version is made
   */
  readonly upgradeInsights?: boolean;
}

const clusterFleetArgs: Schema<ClusterFleetArgs> = object<ClusterFleetArgs>({
  ...fleetWideEntries,
  upgradeInsights: optional(flag),
  slots: across(record(slotSchema, following(dnsLabel)), (slots, { mustBeSecretly }) => {
    const count = Object.keys(slots).length;
    if (count < 1 || count > mostSlots) {
      mustBeSecretly(
        [],
        `1 to ${mostSlots} slots: a load balancer rule forwards to at most ${mostSlots} target groups`,
      );
    }
  }),
});

/**
 * Clusters that do the same job and take turns. Each slot has a cluster and a target group per entry; how much
 * traffic each gets is not said here but by `traffic.FleetTraffic`.
 *
 * Its type knows the names of slots and entries, so that a misspelled one does not compile where they are used. Where names are
 * known only when the program runs, and stand beside others, it is a `ClusterFleet<string, string>`.
 *
 * @example
 * const apps = new fleet.ClusterFleet('apps', {
 *   network: { vpcId, privateSubnetIds },
 *   endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
 *   slots: {
 *     blue: { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 2, max: 6 } },
 *     green: { version: '1.36', nodes: { instanceTypes: ['m7i.large'], min: 2, max: 6 } },
 *   },
 *   entries: { web: { namespace: 'podinfo', service: 'frontend', port: 9898 } },
 *   addons: [addons.certManager(), addons.awsLoadBalancerController()],
 * });
 */
export class ClusterFleet<
  const Slot extends string = string,
  const EntryName extends string = string,
  const AddonName extends string = string,
>
  extends pulumi.ComponentResource
{
  /** The slots by name. */
  public readonly slots: Readonly<Record<Slot, ClusterSlot<AddonName>>>;
  /** The fleet as plain values, for hubs and traffic of this stack or another. */
  public readonly ref: FleetRef<Slot, EntryName>;

  /**
   * @param name name of the fleet; with a slot's name it is the cluster's, and a target group's with an entry's
   * @throws InvalidInput before anything is registered, with every problem of the plain values
   */
  public constructor(
    name: string,
    args: ClusterFleetArgs<Slot, EntryName, AddonName>,
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    refuseArguments(`ClusterFleet "${name}"`, clusterFleetArgs, args, (sound) => fleetProblems(name, sound));
    super('cluster-canary:fleet:ClusterFleet', name, {}, opts);
    const { slots, upgradeInsights = true, ...fleetWide } = args;
    const given = Object.entries<SlotArgs>(slots);
    this.slots = byKey<Slot, ClusterSlot>(
      given.map(([slot, slotArgs]) => [
        slot,
        new ClusterSlot(
          `${name}-${slot}`,
          { fleet: name, slot, ...mergeSlot(fleetWide, slotArgs) },
          { parent: this },
        ),
      ]),
    );
    this.ref = {
      name,
      slots: byKey<Slot, pulumi.Output<SlotRef>>(
        Object.entries<ClusterSlot>(this.slots).map(([slot, { ref }]) => [slot, ref]),
      ),
      entries: args.entries ?? byKey<EntryName, Entry>([]),
      labels: Object.fromEntries(
        given.map(([slot, slotArgs]) => [slot, { ...args.labels, ...slotArgs.labels }]),
      ),
      ...(hasCookieStickiness(args.targetGroupArgs) && { cookieStickiness: true }),
    };
    const warned = upgradeInsights
      ? warnOfUpgrades(
          given.map(([slot, each]) => upgradedSlot(name, slot, each)),
          slotRegion(this),
          this,
        )
      : undefined;
    this.registerOutputs(warned ?? {});
  }
}

function upgradedSlot(fleet: string, slot: string, { version, adopt, clusterName }: SlotArgs): UpgradedSlot {
  return { version, clusterName: adopt?.clusterName ?? clusterName ?? `${fleet}-${slot}` };
}

/** An object with these keys, which are all that there are of the type. */
function byKey<Key extends string, Value>(
  entries: readonly (readonly [string, Value])[],
): Record<Key, Value> {
  return Object.fromEntries(entries) as Record<Key, Value>;
}

/** A slot's own arguments over the fleet's. */
function mergeSlot<Fleet extends Partial<FleetWideArgs>>(fleetWide: Fleet, slot: SlotArgs): Fleet & SlotArgs {
  return {
    ...fleetWide,
    ...slot,
    endpoint: slot.endpoint ?? fleetWide.endpoint,
    labels: { ...fleetWide.labels, ...slot.labels },
    clusterArgs: { ...fleetWide.clusterArgs, ...slot.clusterArgs },
  };
}

/** What the schema of a fleet does not say: its name, and each slot with what is around it. */
function fleetProblems(
  name: string,
  { slots = {}, upgradeInsights: _preview, ...fleetWide }: Partial<ClusterFleetArgs>,
): readonly Problem[] {
  const problems = new Problems('fleet');
  problems.check('name', name, dnsLabel);
  for (const [slot, given] of Object.entries(slots)) {
    const merged = mergeSlot(fleetWide, given);
    const own = `${name}-${slot}`;
    problems.addAll(slotProblems(own, own, merged), `slots.${slot}`);
    problems.addAll(checkAddons(merged.addons ?? []), `slots.${slot}`);
  }
  overlappingNames(problems, name, slots, Object.keys(fleetWide.entries ?? {}));
  return problems.all;
}

/** Two clusters, or two target groups, that would get one name. */
function overlappingNames(
  problems: Problems,
  name: string,
  slots: Readonly<Record<string, SlotArgs>>,
  entries: readonly string[],
): void {
  const taken = new Map<string, string>();
  const take = (made: string, path: string) => {
    const other = taken.get(made);
    if (other !== undefined) {
      problems.add(path, made, `another name: ${other} leads to the same one`);
    }
    taken.set(made, path);
  };
  for (const [slot, { adopt, clusterName }] of Object.entries(slots)) {
    take(adopt?.clusterName ?? clusterName ?? `${name}-${slot}`, `slots.${slot}`);
  }
  taken.clear();
  for (const slot of Object.keys(slots)) {
    for (const entry of entries) {
      take(`${name}-${slot}-${entry}`, `slots.${slot} with entries.${entry}`);
    }
  }
}

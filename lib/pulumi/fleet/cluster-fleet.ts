import * as pulumi from '@pulumi/pulumi';
import { dnsLabel } from '../../core/validation/formats';
import { mapOf, refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import { checkAddons } from '../addons';
import { ClusterSlot } from './cluster-slot';
import { hasCookieStickiness } from './entries';
import { fleetWideArgsKeys, slotArgsKeys } from './slot-args';
import type { FleetWideArgs, SlotArgs } from './slot-args';
import { fleetWideProblems, ownSlotProblems, slotProblems } from './slot-problems';
import type { FleetRef } from './slot-ref';

/** Most slots of a fleet: a load balancer rule forwards to at most five target groups. */
export const mostSlots = 5;

/** What `ClusterFleet` takes. */
export interface ClusterFleetArgs extends FleetWideArgs {
  /** The fleet's slots by name, 1 to 5. One is where everybody starts. */
  readonly slots: Readonly<Record<string, SlotArgs>>;
}

const clusterFleetArgsKeys: OptionsOf<ClusterFleetArgs> = {
  ...fleetWideArgsKeys,
  slots: mapOf(slotArgsKeys),
};

/**
 * Clusters that do the same job and take turns. Each slot has a cluster and a target group per entry; how much
 * traffic each gets is not said here but by `traffic.FleetTraffic`.
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
export class ClusterFleet extends pulumi.ComponentResource {
  /** The slots by name. */
  public readonly slots: Readonly<Record<string, ClusterSlot>>;
  /** The fleet as plain values, for hubs and traffic of this stack or another. */
  public readonly ref: FleetRef;

  /**
   * @param name name of the fleet; with a slot's name it is the cluster's, and a target group's with an entry's
   * @throws InvalidInput before anything is registered, with every problem of the plain values
   */
  public constructor(name: string, args: ClusterFleetArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseOptions(`ClusterFleet "${name}"`, args, clusterFleetArgsKeys);
    check(name, args);
    super('cluster-canary:fleet:ClusterFleet', name, {}, opts);
    const { slots, ...fleetWide } = args;
    this.slots = Object.fromEntries(
      Object.entries(slots).map(([slot, slotArgs]) => [
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
      slots: Object.fromEntries(Object.entries(this.slots).map(([slot, { ref }]) => [slot, ref])),
      entries: args.entries ?? {},
      labels: Object.fromEntries(
        Object.entries(slots).map(([slot, slotArgs]) => [slot, { ...args.labels, ...slotArgs.labels }]),
      ),
      ...(hasCookieStickiness(args.targetGroupArgs) && { cookieStickiness: true }),
    };
    this.registerOutputs({});
  }
}

/** A slot's own arguments over the fleet's. */
function mergeSlot(fleetWide: FleetWideArgs, slot: SlotArgs): FleetWideArgs & SlotArgs {
  return {
    ...fleetWide,
    ...slot,
    endpoint: slot.endpoint ?? fleetWide.endpoint,
    labels: { ...fleetWide.labels, ...slot.labels },
    clusterArgs: { ...fleetWide.clusterArgs, ...slot.clusterArgs },
  };
}

function check(name: string, args: ClusterFleetArgs): void {
  const problems = new Problems(`ClusterFleet "${name}"`);
  const { slots, ...fleetWide } = args;
  problems.check('name', name, dnsLabel);
  const names = Object.keys(slots ?? {});
  if (names.length < 1 || names.length > mostSlots) {
    problems.add(
      'slots',
      names,
      `1 to ${mostSlots} slots: a load balancer rule forwards to at most ${mostSlots} target groups`,
    );
  }
  problems.addAll(fleetWideProblems(fleetWide));
  for (const slot of names) {
    problems.check(`slots.${slot}`, slot, dnsLabel);
    problems.addAll(ownSlotProblems(slots[slot]!), `slots.${slot}`);
    const merged = mergeSlot(fleetWide, slots[slot]!);
    const own = `${name}-${slot}`;
    problems.addAll(slotProblems(own, own, merged), `slots.${slot}`);
    problems.addAll(checkAddons(merged.addons ?? []), `slots.${slot}`);
  }
  overlappingNames(problems, name, names, args);
  problems.throwIfAny();
}

/** Two clusters, or two target groups, that would get one name. */
function overlappingNames(problems: Problems, name: string, slots: string[], args: ClusterFleetArgs): void {
  const taken = new Map<string, string>();
  const take = (made: string, path: string) => {
    const other = taken.get(made);
    if (other !== undefined) {
      problems.add(path, made, `another name: ${other} leads to the same one`);
    }
    taken.set(made, path);
  };
  for (const slot of slots) {
    take(
      args.slots[slot]!.adopt?.clusterName ?? args.slots[slot]!.clusterName ?? `${name}-${slot}`,
      `slots.${slot}`,
    );
  }
  taken.clear();
  for (const slot of slots) {
    for (const entry of Object.keys(args.entries ?? {})) {
      take(`${name}-${slot}-${entry}`, `slots.${slot} with entries.${entry}`);
    }
  }
}

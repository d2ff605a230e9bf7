import * as pulumi from '@pulumi/pulumi';
import { InvalidInput } from '../../core/validation/problems';
import { fleetRef, kubeconfigText } from '../fleet';
import type { FleetRef, FleetSource, SlotRef } from '../fleet';

/**
 * ARN of each slot's target group, for what goes to entries of a fleet.
 *
 * Each is known only when all are: rules and listeners are shifted together, so the first that is updated has to know the
 * target groups of all.
 *
 * @param receivers routes or listeners by name, each with the entry that it goes to
 */
export function targetGroupsOf(
  fleet: FleetRef,
  receivers: Readonly<Record<string, { readonly entry: string }>>,
): Record<string, Record<string, pulumi.Output<string>>> {
  return together(
    Object.fromEntries(
      Object.entries(receivers).map(([name, { entry }]) => [name, targetGroupArns(fleet, entry)]),
    ),
  );
}

/** ARN of an entry's target group in each slot. */
function targetGroupArns(fleet: FleetRef, entry: string): Record<string, pulumi.Output<string>> {
  return Object.fromEntries(
    Object.entries(fleet.slots).map(([slot, ref]) => [
      slot,
      pulumi.output(ref).apply((known) => targetGroupArn(known, fleet.name, slot, entry)),
    ]),
  );
}

function together(
  record: Readonly<Record<string, Readonly<Record<string, pulumi.Output<string>>>>>,
): Record<string, Record<string, pulumi.Output<string>>> {
  const given = Object.entries(record);
  const all = given.length < 2 ? undefined : pulumi.all(given.flatMap(([, arns]) => Object.values(arns)));
  return Object.fromEntries(
    given.map(([name, arns]) => [
      name,
      Object.fromEntries(
        Object.entries(arns).map(([slot, arn]) => [
          slot,
          all ? pulumi.all([arn, all]).apply(([one]) => one) : arn,
        ]),
      ),
    ]),
  );
}

/** Name of the EKS cluster of each slot. */
export function clusterNames(fleet: FleetRef): Record<string, pulumi.Output<string>> {
  return Object.fromEntries(
    Object.entries(fleet.slots).map(([slot, ref]) => [
      slot,
      pulumi.output(ref).apply(({ clusterName }) => clusterName),
    ]),
  );
}

/**
 * Kubeconfig of each slot's cluster: of a fleet of this program that of the slot, with its credentials; of plain values one with
 * those of the environment.
 */
export function kubeconfigs(source: FleetSource): Record<string, pulumi.Input<string>> {
  const own: Readonly<Record<string, { readonly kubeconfig?: pulumi.Input<string> }>> =
    'ref' in source && 'slots' in source ? (source.slots as never) : {};
  return Object.fromEntries(
    Object.entries(fleetRef(source).slots).map(([slot, ref]) => [
      slot,
      own[slot]?.kubeconfig ?? kubeconfigText(ref, undefined),
    ]),
  );
}

/**
 * ARN of an entry's target group in one slot.
 *
 * @throws InvalidInput if the slot has none: it may come from a stack that does not know the entry yet
 */
export function targetGroupArn(
  { targetGroupArns: arns }: Pick<SlotRef, 'targetGroupArns'>,
  fleet: string,
  slot: string,
  entry: string,
): string {
  const arn = arns[entry];
  if (arn === undefined) {
    const path = `slots.${slot}.targetGroupArns.${entry}`;
    const allowed = 'the ARN of a target group: deploy the entry in the stack of this slot first';
    throw new InvalidInput(`fleet "${fleet}"`, [{ path, value: arn, allowed }]);
  }
  return arn;
}

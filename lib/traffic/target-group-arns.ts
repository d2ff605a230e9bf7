import * as pulumi from '@pulumi/pulumi';
import type { FleetRef, SlotRef } from '../fleet';
import { InvalidInput } from '../problems';

/** ARN of an entry's target group in each slot. */
export function targetGroupArns(fleet: FleetRef, entry: string): Record<string, pulumi.Output<string>> {
  return Object.fromEntries(
    Object.entries(fleet.slots).map(([slot, ref]) => [
      slot,
      pulumi.output(ref).apply((known) => targetGroupArn(known, fleet.name, slot, entry)),
    ]),
  );
}

/**
 * The same target groups, each known only when all are: the rules of several routes are shifted together, so the first that
 * is updated has to know the target groups of all.
 */
export function together(
  byRoute: Readonly<Record<string, Readonly<Record<string, pulumi.Output<string>>>>>,
): Record<string, Record<string, pulumi.Output<string>>> {
  const routes = Object.entries(byRoute);
  const all = routes.length < 2 ? undefined : pulumi.all(routes.flatMap(([, arns]) => Object.values(arns)));
  return Object.fromEntries(
    routes.map(([route, arns]) => [
      route,
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

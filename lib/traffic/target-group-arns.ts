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

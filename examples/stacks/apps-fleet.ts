import * as pulumi from '@pulumi/pulumi';
import type { fleet } from 'cluster-canary';

/** What every stack says of the fleet in the same words. */
export const fleetName = 'apps';
export const slots = ['blue', 'green'] as const;
export const labels = { env: 'production' };
export const entries: Record<string, fleet.Entry> = {
  web: { namespace: 'podinfo', service: 'podinfo', port: 9898, healthCheck: { path: '/readyz' } },
};

/**
 * The fleet as its slots' stacks export it. The names of those stacks are `SLOTS/blue` and `SLOTS/green`, where
 * SLOTS is the configuration value `slotStacks`: `ORGANIZATION/slot`.
 */
export function fleetFromStacks(config: pulumi.Config): fleet.FleetRef {
  return {
    name: fleetName,
    entries,
    labels: Object.fromEntries(slots.map((slot) => [slot, labels])),
    slots: Object.fromEntries(
      slots.map((slot) => [slot, slotFromStack(`${config.require('slotStacks')}/${slot}`)]),
    ),
  };
}

/** A slot as its stack exports it. */
export function slotFromStack(stack: string): pulumi.Output<fleet.SlotRef> {
  return new pulumi.StackReference(stack).requireOutput('slot') as pulumi.Output<fleet.SlotRef>;
}

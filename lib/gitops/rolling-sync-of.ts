import type { OptionsOf } from '../problems';
import { Problems, dnsLabel, refuseOptions } from '../problems';
import type { RollingSync, RollingSyncStep } from './application-set-strategy';
import { slotLabel } from './fleet-labels';

/** How a fleet's slots become steps. */
export interface RollingSyncOptions {
  /** Label of the Applications that names their slot. @default 'cluster-canary/slot' - as `slotLabels()` gives it */
  readonly label?: string;
  /** How many Applications of a slot change at a time: a number or a share. @default '100%' - all of a slot's at once */
  readonly maxUpdate?: number | string;
  /** Whether the syncs delete what left the source. @default false */
  readonly prune?: boolean;
  /** Order in which Applications are deleted. @default 'Reverse' - the canary's go last, as they came first */
  readonly deletionOrder?: 'AllAtOnce' | 'Reverse';
}

const rollingSyncOptionsKeys: OptionsOf<RollingSyncOptions> = {
  label: 'plain',
  maxUpdate: 'plain',
  prune: 'plain',
  deletionOrder: 'plain',
};

/**
 * A strategy that takes a fleet's slots one after the other: the canary slot first, then the others in their order. A change
 * of an application reaches the slot with the least to lose before any other.
 *
 * Applications of clusters that are in no slot are in the last step, since one that no step selects is never synchronised.
 *
 * @param slots names of the slots, as the fleet has them
 * @param canaryFirst the slot, or slots, that go first
 * @throws InvalidInput where a slot is wrong or stands twice, or the canary is none of them
 *
 * @example
 * new gitops.ApplicationSet(chart, 'podinfo', {
 *   ...podinfo,
 *   template: { ...podinfo.template, metadata: { name: '{{.name}}-podinfo', labels: gitops.slotLabels() } },
 *   strategy: gitops.rollingSyncOf(['blue', 'green'], 'green'),
 * });
 */
export function rollingSyncOf(
  slots: readonly string[],
  canaryFirst: string | readonly string[],
  options: RollingSyncOptions = {},
): RollingSync {
  refuseOptions('rollingSyncOf', options, rollingSyncOptionsKeys);
  const first = typeof canaryFirst === 'string' ? [canaryFirst] : canaryFirst;
  check(slots, first);
  const { label = slotLabel, maxUpdate, prune, deletionOrder = 'Reverse' } = options;
  const step = (operator: 'In' | 'NotIn', values: readonly string[]): RollingSyncStep => ({
    matchExpressions: [{ key: label, operator, values }],
    ...(maxUpdate === undefined ? {} : { maxUpdate }),
  });
  const order = [...first, ...slots.filter((slot) => !first.includes(slot))];
  return {
    type: 'RollingSync',
    rollingSync: {
      steps: [...order.map((slot) => step('In', [slot])), step('NotIn', slots)],
      ...(prune === undefined ? {} : { prune }),
    },
    deletionOrder,
  };
}

function check(slots: readonly string[], first: readonly string[]): void {
  const problems = new Problems('rollingSyncOf');
  if (slots.length === 0) {
    problems.add('slots', slots, 'a list with at least one slot');
  }
  slots.forEach((slot, position) => {
    problems.check(`slots[${position}]`, slot, dnsLabel);
    if (slots.indexOf(slot) !== position) {
      problems.add(`slots[${position}]`, slot, 'a slot that the list does not hold already');
    }
  });
  if (first.length === 0) {
    problems.add('canaryFirst', first, 'at least one slot');
  }
  first.forEach((slot, position) => {
    if (!slots.includes(slot) || first.indexOf(slot) !== position) {
      problems.add('canaryFirst', slot, `one of ${slots.map((each) => `"${each}"`).join(', ')}, given once`);
    }
  });
  problems.throwIfAny();
}

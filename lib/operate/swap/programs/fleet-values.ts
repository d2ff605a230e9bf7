import { kubernetesVersion } from '../../../core/readiness/kubernetes-version';
import { across, either, object, optional, record } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';
import { pathText, problemsOf } from '../../../core/validation/schema';
import type { PlacedProblem, Schema } from '../../../core/validation/schema';
import { anything, dnsLabelText, whole } from '../../../core/validation/values';
import type { FleetConfiguration, SlotSetting } from '../configuration';

/** A slot's settings belong to the program, but for the version. */
const settings = across(
  record(anything, undefined, 'an object with a version'),
  ({ version }, { mustBe, required }) => {
    if (version === undefined) {
      required(['version'], kubernetesVersion.allowed);
    } else if (problemsOf(kubernetesVersion, version).length > 0) {
      mustBe(['version'], kubernetesVersion.allowed);
    }
  },
  () => ({ required: ['version'], properties: { version: kubernetesVersion.json } }),
) as Schema as Schema<SlotSetting>;

/** What a configuration says of a slot. */
export const slotSetting: Schema<SlotSetting> = either<SlotSetting>(
  `${kubernetesVersion.allowed}, or an object with such a version`,
  { when: (value) => typeof value === 'string', schema: kubernetesVersion },
  { when: isPlainObject, schema: settings },
);

/** Everything that a program says of a fleet. */
const fleetConfiguration: Schema<FleetConfiguration> = object<FleetConfiguration>({
  slots: record(slotSetting, dnsLabelText, 'an object with a version for each slot'),
  weights: optional(record(whole(0, 100), dnsLabelText, 'an object with a weight for each slot')),
  active: optional(dnsLabelText),
});

/**
 * Everything that is wrong with what a program says of a fleet: each value by itself, and the values together.
 *
 * @param wants which of `weights` and `active` has to be there. @default - one of them
 */
export function fleetProblems(given: unknown, wants?: 'weights' | 'active'): readonly PlacedProblem[] {
  const found = problemsOf(fleetConfiguration, given);
  if (!isPlainObject(given)) {
    return found;
  }
  const add = (steps: readonly string[], problem: Omit<PlacedProblem, 'steps' | 'path'>): PlacedProblem => ({
    ...problem,
    steps,
    path: pathText(steps),
  });
  const { slots, weights, active } = given;
  const names = isPlainObject(slots) ? Object.keys(slots) : undefined;
  const missing =
    wants !== undefined && given[wants] === undefined
      ? [add([wants], { kind: 'required', allowed: allowedFor[wants] })]
      : wants === undefined && (weights === undefined) === (active === undefined)
        ? [add([], { allowed: 'an object with slots, and either weights or active' })]
        : [];
  if (names === undefined || found.length > 0) {
    return [...found, ...missing];
  }
  const known = `one of the slots: ${names.join(', ')}`;
  const shares = isPlainObject(weights) ? weights : {};
  const strange = Object.entries(shares)
    .filter(([slot, weight]) => weight !== 0 && !names.includes(slot))
    .map(([slot, value]) => add(['weights', slot], { value, allowed: `0: it is not ${known}` }));
  const sum = Object.values(shares).reduce<number>((all, weight) => all + (weight as number), 0);
  return [
    ...missing,
    ...(names.length === 0 ? [add(['slots'], { allowed: 'an object with at least one slot' })] : []),
    ...strange,
    ...(weights !== undefined && sum !== 100
      ? [add(['weights'], { value: weights, allowed: 'whole percents that add up to 100' })]
      : []),
    ...(typeof active === 'string' && !names.includes(active)
      ? [add(['active'], { value: active, allowed: known })]
      : []),
  ];
}

const allowedFor = {
  weights: 'an object with a weight for each slot',
  active: 'the name of the slot whose Argo CD writes',
};

import type * as pulumi from '@pulumi/pulumi';
import { object, optional, record } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { later, secret, text } from '../../../core/validation/values';
import { capacityEntries, capacityProblems } from '../../../shift/capacity';
import type { CapacitySettings, ServiceName } from '../../../shift/capacity';
import type { ShiftSubject, Weights } from '../../../shift/engine';

/** How a shift moves the capacity of a program's clusters before their traffic. */
export interface TrafficCapacityArgs extends CapacitySettings {
  /**
   * Kubeconfigs by slot, as JSON or YAML, such as `kubeconfig` of a fleet's slots; no `plan` holds them. A slot that `contexts`
   * names, and all where `kubeconfig` is given, are looked for in files instead.
   *
   * @default - of a fleet of this program those of its slots; of plain values the cluster's endpoint, with tokens that the AWS
   * CLI makes with the credentials of the environment
   */
  readonly kubeconfigTexts?: Readonly<Record<string, pulumi.Input<string>>>;
}

/** Kubeconfigs are not looked into, and not shown. */
export const capacityArgsSchema: Schema<TrafficCapacityArgs> = object<TrafficCapacityArgs>({
  ...capacityEntries,
  kubeconfigTexts: optional(record(secret(later(text('the kubeconfig of the cluster of the slot'))))),
});

/** What the settings say together with what is shifted. */
export function capacityArgsProblems(capacity: unknown, subject: ShiftSubject): readonly Problem[] {
  if (!isPlainObject(capacity)) {
    return [];
  }
  const slots = Object.keys(subject.slots);
  const texts = isPlainObject(capacity.kubeconfigTexts) ? Object.keys(capacity.kubeconfigTexts) : [];
  const unknown = texts.filter((slot) => !slots.includes(slot));
  return [
    ...capacityProblems(capacity, subject),
    ...unknown.map((slot) => ({
      path: `kubeconfigTexts.${slot}`,
      value: slot,
      allowed: `left out; the slots are ${slots.join(', ')}`,
    })),
  ];
}

/** How the capacity of a program's slots is moved. */
export interface KnownCapacity {
  readonly settings: CapacitySettings;
  /** Kubeconfigs by the context that the settings, or the names of the clusters, give. */
  readonly kubeconfigs: Readonly<Record<string, string>>;
}

/** What of the settings a plan file has, too. The Services of a fleet's entries need not be looked for, which takes rights. */
export function plannedCapacity(
  { kubeconfigTexts: _texts, ...settings }: TrafficCapacityArgs,
  services: readonly ServiceName[] | undefined,
): CapacitySettings {
  return { ...(services && { services }), ...settings };
}

/**
 * The settings of a run.
 *
 * @param kubeconfigs by slot, as far as known
 * @param names of the slots' clusters, as far as known; the context of another one is the name of its slot
 */
export function knownCapacity(
  settings: CapacitySettings,
  kubeconfigs: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>>,
): KnownCapacity {
  const { contexts = {} } = settings;
  const given = Object.entries(kubeconfigs).filter(([slot]) => !Object.hasOwn(contexts, slot));
  const own = given.flatMap(([slot]) => (names[slot] === undefined ? [[slot, slot] as const] : []));
  return {
    settings: { ...settings, contexts: { ...Object.fromEntries(own), ...contexts } },
    kubeconfigs: Object.fromEntries(given.map(([slot, config]) => [names[slot] ?? slot, config])),
  };
}

/** What a preview, which asks no cluster, says of capacity; nothing where no slot gains weight. */
export function capacityNote({ settings }: KnownCapacity, live: Weights, wanted: Weights): readonly string[] {
  const { scale = ['hpa', 'keda'] } = settings;
  const gaining = Object.keys(wanted).filter((slot) => wanted[slot]! > (live[slot] ?? 0));
  const losing = Object.keys(live).filter((slot) => live[slot]! > (wanted[slot] ?? 0));
  const what = [scale].flat().join(', ');
  return gaining.length === 0
    ? []
    : [
        `capacity (${what}) of ${gaining.join(', ')} is raised before each step, and that of ${losing.join(', ')} ` +
          'held until the bake is over',
      ];
}

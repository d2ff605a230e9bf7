import type { KubernetesSettings } from '../../../core/kubernetes/access';
import type { AccessRule } from '../../../core/kubernetes/api';
import { optional } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { Unevaluated } from '../../../core/validation/schema';
import { secret } from '../../../core/validation/values';
import type { ShiftSubject } from '../../engine';
import { clustersOf } from '../check-kind';
import type { ClusterAccessRule } from '../check-kind';
import { noKubeconfigInPlans, readKubeconfigText } from './kubernetes-source';
import { line, mapOf } from './schemas';

/** Where the API server of each slot is. */
export interface SlotServersArgs extends Pick<KubernetesSettings, 'kubeconfig'> {
  /**
   * Contexts of the kubeconfig by slot.
   *
   * @default - the name of the slot's cluster, which is what the kubeconfigs of this library call it
   */
  readonly contexts?: Readonly<Record<string, string>>;
  /**
   * Kubeconfigs by slot, as YAML or JSON: of a program that knows them, and never in a plan file. Of each, its current context
   * is meant unless `contexts` says another.
   *
   * @default - none
   */
  readonly kubeconfigTexts?: Readonly<Record<string, string>>;
}

/** Their schemas. */
export const slotServerEntries = {
  kubeconfig: optional(line),
  kubeconfigTexts: optional(secret(mapOf(readKubeconfigText))),
  contexts: optional(mapOf(line)),
};

/** What a plan file may not have of them. */
export const slotServersOfPrograms = { kubeconfigTexts: noKubeconfigInPlans } as const;

/** Slots among them that there are not. */
export function slotServerProblems(
  { contexts, kubeconfigTexts }: Unevaluated<SlotServersArgs>,
  subject: ShiftSubject,
): readonly Problem[] {
  return unknownSlots({ contexts, kubeconfigTexts }, subject);
}

/** The same of any settings that are objects by slot. */
export function unknownSlots(
  settings: Readonly<Record<string, unknown>>,
  { slots }: ShiftSubject,
): readonly Problem[] {
  const names = Object.keys(slots);
  return Object.entries(settings).flatMap(([key, bySlot]) =>
    Object.keys(isPlainObject(bySlot) ? bySlot : {})
      .filter((slot) => !names.includes(slot))
      .map((slot) => ({
        path: `${key}.${slot}`,
        value: slot,
        allowed: `left out; the slots are ${names.join(', ')}`,
      })),
  );
}

/**
 * Which API server each slot's is. A slot whose context or kubeconfig is given needs no name of a cluster.
 *
 * @throws InvalidInput where nothing is known of one
 */
export function slotServers(
  { kubeconfig, contexts = {}, kubeconfigTexts = {} }: SlotServersArgs,
  subject: ShiftSubject,
): Readonly<Record<string, KubernetesSettings>> {
  const given = { ...contexts, ...kubeconfigTexts };
  const unnamed = Object.entries(subject.slots).filter(([slot]) => !Object.hasOwn(given, slot));
  const known = { ...clustersOf({ ...subject, slots: Object.fromEntries(unnamed) }), ...contexts };
  return Object.fromEntries(
    Object.keys(subject.slots).map((slot): [string, KubernetesSettings] => {
      const text = Object.hasOwn(kubeconfigTexts, slot) ? kubeconfigTexts[slot] : undefined;
      const context = known[slot];
      return [slot, text === undefined ? { kubeconfig, context } : { kubeconfigText: text, context }];
    }),
  );
}

/** A right on the API server of each slot. */
export function slotAccess(
  { kubeconfig, contexts = {} }: SlotServersArgs,
  { slots }: ShiftSubject,
  rule: AccessRule,
): ClusterAccessRule {
  return {
    cluster: 'slots',
    at: Object.entries(slots).map(([slot, { clusterName }]) => ({
      kubeconfig,
      context: (Object.hasOwn(contexts, slot) ? contexts[slot] : undefined) ?? clusterName,
    })),
    rule,
  };
}

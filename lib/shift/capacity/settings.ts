import { createHash } from 'node:crypto';
import { either, list, object, optional, record } from '../../core/validation/collections';
import { dnsSubdomain } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Entries, Schema, Unevaluated } from '../../core/validation/schema';
import { dnsLabelText, fits, oneOf, text } from '../../core/validation/values';
import type { ShiftSubject } from '../engine';
import type { MinimumKind } from './minimums';
import type { ServiceName } from './workloads';

/**
 * What a shift may raise: `minReplicas` of HorizontalPodAutoscalers, `minReplicaCount` of KEDA's ScaledObjects, or the
 * `replicas` of workloads that nothing scales.
 */
export type Scaling = 'hpa' | 'keda' | 'replicas';

/** How a shift moves the capacity of clusters before their traffic. */
export interface CapacitySettings {
  /**
   * What it may raise, one or several. Other workloads are only looked at: they need enough pods by themselves.
   *
   * @default ['hpa', 'keda'] - the least number of pods is an autoscaler's to say; `replicas` is Git's in most clusters
   */
  readonly scale?: Scaling | readonly Scaling[];
  /** How long the old slot keeps the pods that it had before the shift. @default 'untilBaked' */
  readonly hold?: 'untilBaked';
  /** Path of a kubeconfig. @default - `KUBECONFIG` or `~/.kube/config` */
  readonly kubeconfig?: string;
  /**
   * Contexts of the kubeconfig by slot.
   *
   * @default - the name of the slot's cluster, which is what the kubeconfigs of this library call it
   */
  readonly contexts?: Readonly<Record<string, string>>;
  /**
   * The Services that take the traffic, the same in every slot.
   *
   * @default - those of the TargetGroupBindings of the slot's target groups
   */
  readonly services?: readonly ServiceName[];
}

/** What there is to scale. */
const scalings = ['hpa', 'keda', 'replicas'] as const;

const scaling = oneOf(...scalings);

const line = text('text on one line', /^[^\S\r\n]*\S[^\r\n]*$/);

/** A schema for each setting. */
export const capacityEntries: Entries<CapacitySettings> = {
  scale: optional(
    either<Scaling | readonly Scaling[]>(
      `${scaling.allowed}, or a list of them`,
      { when: (value) => typeof value === 'string', schema: scaling },
      { when: Array.isArray, schema: list(scaling, 1) },
    ),
  ),
  hold: optional(oneOf('untilBaked')),
  kubeconfig: optional(line),
  contexts: optional(record(line, text('a text'), 'an object; each value text on one line')),
  services: optional(list(object<ServiceName>({ namespace: dnsLabelText, name: fits(dnsSubdomain) }), 1)),
};

/** What a plan file may say of capacity. */
export const capacitySettings: Schema<CapacitySettings> = object<CapacitySettings>(capacityEntries);

/** What is wrong with settings beside what is shifted: slots that there are not, target groups that no one knows. */
export function capacityProblems(
  { contexts, services }: Unevaluated<CapacitySettings>,
  { slots, layer }: ShiftSubject,
): readonly Problem[] {
  const names = Object.keys(slots);
  const unknown = Object.keys(isPlainObject(contexts) ? contexts : {}).filter(
    (slot) => !names.includes(slot),
  );
  return [
    ...unknown.map((slot) => ({
      path: `contexts.${slot}`,
      value: slot,
      allowed: `left out; the slots are ${names.join(', ')}`,
    })),
    ...(services === undefined && layer === 'names'
      ? [
          {
            path: 'services',
            value: services,
            allowed: 'given, as [{ namespace: "shop", name: "web" }]: this router has no target groups',
          },
        ]
      : []),
  ];
}

/** What may be written. */
export function writable({ scale = ['hpa', 'keda'] }: CapacitySettings): readonly MinimumKind[] {
  const kinds: Readonly<Record<Scaling, readonly MinimumKind[]>> = {
    hpa: ['hpa'],
    keda: ['scaledobject'],
    replicas: ['deployment', 'statefulset', 'rollout'],
  };
  return (typeof scale === 'string' ? [scale] : scale).flatMap((each) => kinds[each]);
}

/** What `scale` has to have for a kind of object. */
export function scalingOf(kind: MinimumKind): Scaling {
  return kind === 'hpa' ? 'hpa' : kind === 'scaledobject' ? 'keda' : 'replicas';
}

/** So many letters make it unlikely that two shifts of one cluster have the same. */
const shortest = 10;

/** How notes on objects name a shift, whose ids may be long. */
export function shiftName(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, shortest);
}

import { bundleKinds } from '../../core/certificates/ca-bundles';
import type { CalledService } from '../../core/certificates/ca-bundles';
import { caRotationPhases } from '../../core/certificates/ca-rotation';
import type { CaRotationPhase } from '../../core/certificates/ca-rotation';
import { list, object, optional } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain, imageByDigest } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { duration, fits, oneOf, whole } from '../../core/validation/values';

/** An object whose CA bundles are injected. */
export interface InjectedObject {
  /** Kind of the object. */
  readonly kind:
    | 'MutatingWebhookConfiguration'
    | 'ValidatingWebhookConfiguration'
    | 'CustomResourceDefinition'
    | 'APIService';
  /** Name of the object. */
  readonly name: string;
}

/**
 * The way of an authority from the generation before to this one. Each phase is a change of the manifests of its own: a
 * commit, or an `up`.
 */
export interface CaRotationProps {
  /**
   * - `publish`: both generations are there, and everything is injected with both; the old one signs
   * - `switch`: the new one signs, once every CA bundle has held both for the time of `settle`
   * - `retire`: only the new one is injected, once every pod serves what it signed
   *
   * After that the CA rotation is left out, and with it the old generation.
   */
  readonly phase: CaRotationPhase;
  /**
   * Image with the command `cluster-canary`, by its digest: `NAME@sha256:…`. Its Jobs ask the pods for their certificates,
   * which can't be done from outside of the cluster, and write CA bundles.
   */
  readonly image: string;
  /** The Services of all servers that the authority signs for, in any namespace. */
  readonly services: readonly CalledService[];
  /** Everything that the authority is injected into: webhook configurations, CRDs with conversion webhooks, APIServices. */
  readonly injectedInto: readonly InjectedObject[];
  /**
   * How long every CA bundle must have held both generations before the new one signs, as a Go duration. API servers can't
   * be asked what they have read.
   * @default '1h' - a change takes effect within a second where nothing is wrong
   */
  readonly settle?: string;
  /**
   * How long a Job waits for what it needs before it fails, as a Go duration.
   * @default '10m' - pods read a changed Secret within 100 s
   */
  readonly wait?: string;
}

/** A Job's name is also a label's value, of at most 63 characters, and 16 are ours. */
export const longestRotatedName = 47;

/** A CA rotation. */
export const caRotation: Schema<CaRotationProps> = object<CaRotationProps>({
  phase: oneOf(...caRotationPhases),
  image: fits(imageByDigest),
  services: list(
    object<CalledService>({
      name: fits(dnsLabel),
      namespace: fits(dnsLabel),
      port: optional(whole(1, 65535)),
    }),
    1,
    'at least one Service: without pods a phase cannot be checked',
  ),
  injectedInto: list(
    object<InjectedObject>({
      kind: oneOf(...(bundleKinds.map(({ kind }) => kind) as readonly InjectedObject['kind'][])),
      name: fits(dnsSubdomain),
    }),
    1,
    'at least one object: else nothing trusts the authority',
  ),
  settle: optional(duration),
  wait: optional(duration),
});

import { bundleKinds, calledServiceKeys } from '../../core/certificates/ca-bundles';
import type { CalledService } from '../../core/certificates/ca-bundles';
import { caRotationPhases } from '../../core/certificates/ca-rotation';
import type { CaRotationPhase } from '../../core/certificates/ca-rotation';
import {
  dnsLabel,
  dnsSubdomain,
  goDuration,
  imageByDigest,
  oneOf,
  port,
} from '../../core/validation/formats';
import { listOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';

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

const injectedObjectKeys: OptionsOf<InjectedObject> = { kind: 'plain', name: 'plain' };

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

export const caRotationPropsKeys: OptionsOf<CaRotationProps> = {
  phase: 'plain',
  image: 'plain',
  services: listOf(calledServiceKeys),
  injectedInto: listOf(injectedObjectKeys),
  settle: 'plain',
  wait: 'plain',
};

/** A Job's name is also a label's value, of at most 63 characters, and 16 are ours. */
export const longestRotatedName = 47;

/** Everything that is wrong with a CA rotation. */
export function rotationProblems(rotation: CaRotationProps): readonly Problem[] {
  const problems = new Problems('CA rotation');
  problems.check('phase', rotation.phase, oneOf(...caRotationPhases));
  problems.check('image', rotation.image, imageByDigest);
  if (rotation.services.length === 0) {
    problems.add(
      'services',
      rotation.services,
      'at least one Service: without pods a phase cannot be checked',
    );
  }
  rotation.services.forEach((service, index) => {
    problems.check(`services[${index}].name`, service.name, dnsLabel);
    problems.check(`services[${index}].namespace`, service.namespace, dnsLabel);
    if (service.port !== undefined) {
      problems.check(`services[${index}].port`, service.port, port);
    }
  });
  if (rotation.injectedInto.length === 0) {
    problems.add(
      'injectedInto',
      rotation.injectedInto,
      'at least one object: else nothing trusts the authority',
    );
  }
  rotation.injectedInto.forEach(({ kind, name }, index) => {
    problems.check(`injectedInto[${index}].kind`, kind, oneOf(...bundleKinds.map((each) => each.kind)));
    problems.check(`injectedInto[${index}].name`, name, dnsSubdomain);
  });
  for (const key of ['settle', 'wait'] as const) {
    if (rotation[key] !== undefined) {
      problems.check(key, rotation[key], goDuration);
    }
  }
  return problems.all;
}

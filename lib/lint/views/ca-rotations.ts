import { Field } from '../object';
import type { ManifestObject } from '../object';
import type { ObjectIndex } from '../object-index';
import { authorityOf, issuedCertificates } from './cert-manager';
import type { IssuedCertificate } from './cert-manager';
import { trustingObjects } from './trust';
import { workloads } from './workloads';

/** A CA rotation in manifests, as `CertificateAuthority` writes it: two generations of an authority, and the Jobs of a phase. */
export interface RotationView {
  readonly old: IssuedCertificate;
  readonly renewed: IssuedCertificate;
  /** By what they do: `bundle`, `gate publish`, `gate switch`, `retire`. */
  readonly jobs: readonly CaRotationJobView[];
  /** @default - no certificate of theirs is here, so it is one of publish and switch */
  readonly phase?: 'publish' | 'switch' | 'retire';
  /** What a phase changes: certificates that they sign, and objects that they are injected into. */
  readonly changed: readonly ManifestObject[];
}

/** A Job of a CA rotation. */
export interface CaRotationJobView {
  readonly object: ManifestObject;
  readonly does: string;
  readonly arguments: readonly string[];
}

/** View of the CA rotations: `objects.view(caRotations)`. */
export function caRotations(objects: ObjectIndex): readonly RotationView[] {
  const certificates = objects.view(issuedCertificates);
  return certificates.all.flatMap((renewed) => {
    const { name, namespace } = renewed.object;
    const [, authority, generation] = /^(.+)-g(\d{1,4})$/.exec(name) ?? [];
    const old = certificates.named(namespace, `${authority}-g${Number(generation) - 1}`);
    if (authority === undefined || !renewed.isCa || !old?.isCa || !isBegun(objects, renewed)) {
      return [];
    }
    const bundle = bundleOf(objects, renewed);
    const leaves = certificates.all.filter(
      (each) => !each.isCa && [old, renewed].includes(authorityOf(objects, each)!),
    );
    const isSwitched = leaves.some((each) => authorityOf(objects, each) === renewed);
    const phase = !bundle ? 'retire' : isSwitched ? 'switch' : leaves.length > 0 ? 'publish' : undefined;
    const changed = [...leaves.map(({ object }) => object), ...injectedWith(objects, [old, renewed])];
    return [{ old, renewed, jobs: jobsOf(objects, renewed), changed, ...(phase ? { phase } : {}) }];
  });
}

/** Two generations alone are none: each may sign for somebody else. */
function isBegun(objects: ObjectIndex, renewed: IssuedCertificate): boolean {
  const { namespace } = renewed.object;
  const account = objects.find('', 'ServiceAccount', namespace, accountOf(renewed));
  return account !== undefined || bundleOf(objects, renewed) !== undefined;
}

function accountOf({ object }: IssuedCertificate): string {
  return `${object.name}-rekey`;
}

function bundleOf(objects: ObjectIndex, { object }: IssuedCertificate): ManifestObject | undefined {
  return objects.find('', 'Secret', object.namespace, `${object.name}-bundle`);
}

/** By the account that they run as. */
function jobsOf(objects: ObjectIndex, renewed: IssuedCertificate): CaRotationJobView[] {
  return objects
    .view(workloads)
    .all.filter(
      ({ object, pod }) =>
        object.kind === 'Job' &&
        object.namespace === renewed.object.namespace &&
        pod.get('spec', 'serviceAccountName').text === accountOf(renewed),
    )
    .flatMap(({ object, containers }) =>
      containers.flatMap(({ field }): CaRotationJobView[] => {
        const { texts } = field.get('args');
        const [verb, does, phase] = texts;
        return verb === 'ca-rotation' && does !== undefined
          ? [{ object, does: does === 'check' ? `check ${phase}` : does, arguments: texts }]
          : [];
      }),
    );
}

function injectedWith(objects: ObjectIndex, generations: readonly IssuedCertificate[]): ManifestObject[] {
  const names = new Set(
    generations.flatMap(({ object: { namespace, name } }) => [
      `${namespace}/${name}`,
      `${namespace}/${name}-bundle`,
    ]),
  );
  return objects
    .view(trustingObjects)
    .filter(({ sources: [source] }) => names.has(`${source?.target?.namespace}/${source?.target?.name}`))
    .map(({ object }) => object);
}

const waveAnnotation = 'argocd.argoproj.io/sync-wave';

/** When Argo CD applies an object. */
export interface SyncWave {
  /** Where it is said. */
  readonly field: Field;
  /** 0 where nothing is said. */
  readonly wave: number;
}

/** @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/ */
export function syncWave(object: ManifestObject): SyncWave {
  const field = Field.of(object).get('metadata', 'annotations', waveAnnotation);
  const wave = Number(field.text ?? 0);
  return { field, wave: Number.isInteger(wave) ? wave : 0 };
}

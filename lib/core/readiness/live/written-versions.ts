import type { KubernetesObject, ObjectKind } from '../../kubernetes/api';
import { apiGroupOf } from '../../kubernetes/resources';
import type { ServedKind } from '../../kubernetes/survey';
import { apiLifecycle, isDeprecated, isRemoved } from '../api-lifecycles';
import type { ReadinessObject, ReadinessQuestion } from '../report';
import { counted, listed } from '../words';
import type { LiveReader } from './reader';
import { mostAlike, namesOf, placeOf } from './subject';
import { isIllegible, isOwn, lastAppliedAnnotation, writingsOf } from './writings';
import type { Writing } from './writings';

/** Objects that were written by one version of their kind. */
export interface SeenVersion {
  /** `policy/v1beta1` */
  readonly apiVersion: string;
  /** `PodDisruptionBudget` */
  readonly kind: string;
  /** How many a manifest says it of, and the first of them. */
  readonly declared: SeenObjects;
  /** How many somebody once wrote so, and the first of them. */
  readonly written: SeenObjects;
}

/** The first of many objects. */
export interface SeenObjects {
  readonly count: number;
  readonly first: readonly SeenObject[];
}

/** One object that was written by a version, which is that of `object`. */
export interface SeenObject extends Pick<Writing, 'seenIn' | 'who'> {
  readonly object: ReadinessObject;
}

/** What the metadata of all objects says. */
export interface WrittenVersions {
  readonly versions: readonly SeenVersion[];
  /** Objects by `GROUP KIND`, of those kinds that could be listed. */
  readonly counts: ReadonlyMap<string, number>;
  readonly untried: readonly string[];
}

interface Counter {
  count: number;
  readonly first: SeenObject[];
}

/**
 * By which versions an object was written.
 *
 * @param only the version that alone serves the object, where the new Kubernetes has none for it
 */
export function allWritings(object: KubernetesObject, only?: Writing): readonly Writing[] {
  const writings = writingsOf(object);
  if (only === undefined || isOwn(object)) {
    return writings;
  }
  return writings.some(({ apiVersion }) => apiVersion === only.apiVersion)
    ? writings.map((each) =>
        each.apiVersion === only.apiVersion ? { ...each, declared: each.declared || only.declared } : each,
      )
    : [...writings, only];
}

/** Counts by which versions objects were written: only the first objects of each stay, however many there are. */
export class VersionCounter {
  private readonly seen = new Map<
    string,
    {
      readonly apiVersion: string;
      readonly kind: string;
      readonly declared: Counter;
      readonly written: Counter;
    }
  >();

  /** Adds one object. */
  public add(kind: string, names: Names, writings: readonly Writing[]): void {
    for (const { apiVersion, declared, ...how } of writings) {
      const key = `${apiVersion} ${kind}`;
      const known = this.seen.get(key) ?? {
        apiVersion,
        kind,
        declared: { count: 0, first: [] },
        written: { count: 0, first: [] },
      };
      this.seen.set(key, known);
      const counter = declared ? known.declared : known.written;
      counter.count += 1;
      if (counter.first.length < mostAlike) {
        counter.first.push({ ...how, object: { apiVersion, kind, ...names } });
      }
    }
  }

  /** What was added, by version and kind. */
  public get versions(): readonly SeenVersion[] {
    return [...this.seen.values()];
  }
}

type Names = ReturnType<typeof namesOf>;

/** What stays of an object. */
interface Kept {
  readonly names: Names;
  readonly writings: readonly Writing[];
  readonly illegible: boolean;
}

/** Stands for all objects that nothing is known of: they are many. */
const nothing: Kept = { names: { name: '' }, writings: [], illegible: false };

/** Under which {@link WrittenVersions.counts} has a kind: `apps Deployment`. */
export function countKey({ apiVersion, kind }: ObjectKind): string {
  return `${apiGroupOf(apiVersion)} ${kind}`;
}

/** How the objects of one kind are listed. */
export interface Listing {
  readonly kind: ServedKind;
  /** Where no version that serves it is left in the new Kubernetes. */
  readonly only?: Writing;
}

/**
 * Kinds whose objects are not listed. Secrets have never had another version than v1, and so the role needs no right on
 * them. A list of Endpoints or ComponentStatuses is itself a call of a deprecated API, which others then look for. Events
 * are gone within the hour. Metrics are stored nowhere.
 */
const leftOut = (kind: ServedKind): boolean => {
  const group = apiGroupOf(kind.apiVersion);
  return (
    (group === '' && ['secrets', 'endpoints', 'componentstatuses', 'events'].includes(kind.resource)) ||
    (group === 'events.k8s.io' && kind.resource === 'events') ||
    /(^|\.)metrics\.k8s\.io$/.test(group)
  );
};

/**
 * In which version each kind is listed: the first that is not deprecated, since a list of a deprecated one counts as a call
 * of it. In which version the server answers says nothing of the objects, unless the new Kubernetes serves none of them.
 *
 * @param to `1.36`
 */
export function listingsOf(kinds: readonly ServedKind[], to: string): readonly Listing[] {
  const byResource = new Map<string, ServedKind[]>();
  for (const kind of kinds.filter((each) => !leftOut(each))) {
    const key = `${apiGroupOf(kind.apiVersion)} ${kind.resource}`;
    byResource.set(key, [...(byResource.get(key) ?? []), kind]);
  }
  return [...byResource.values()].flatMap((versions): readonly Listing[] => {
    const [first] = versions;
    const kind = versions.find((each) => !isDeprecated(each, to) && !isRemoved(each, to)) ?? first;
    if (kind === undefined) {
      return [];
    }
    if (!versions.every((each) => isRemoved(each, to))) {
      return [{ kind }];
    }
    const { replacement } = apiLifecycle(kind.apiVersion, kind.kind) ?? {};
    const elsewhere = kinds.some(
      (each) => each.apiVersion === replacement?.apiVersion && each.kind === replacement.kind,
    );
    // Another group has the same objects.
    return elsewhere
      ? []
      : [
          {
            kind,
            only: { apiVersion: kind.apiVersion, declared: replacement === undefined, seenIn: 'live' },
          },
        ];
  });
}

/**
 * Reads the metadata of all objects, once for all subjects that are asked the same question.
 */
export function writtenVersions(
  reader: LiveReader,
  question: Pick<ReadinessQuestion, 'to' | 'progress'>,
): Promise<WrittenVersions> {
  return reader.once('written versions', () => readVersions(reader, question));
}

async function readVersions(
  reader: LiveReader,
  question: Pick<ReadinessQuestion, 'to' | 'progress'>,
): Promise<WrittenVersions> {
  const served = await reader.served();
  const { kinds, silent } = served.value ?? { kinds: [], silent: [] };
  const listings = listingsOf(kinds, question.to);
  const counter = new VersionCounter();
  const counts = new Map<string, number>();
  let [objects, done] = [0, 0];
  const untried = await Promise.all(
    listings.map(async ({ kind, only }) => {
      const { value, untried: failed } = await reader.metadata(kind, (object): Kept => {
        const writings = allWritings(object, only);
        const illegible = isIllegible(object);
        return writings.length === 0 && !illegible
          ? nothing
          : { names: namesOf(object.metadata), writings, illegible };
      });
      if (value !== undefined) {
        value.forEach(({ names, writings }) => counter.add(kind.kind, names, writings));
        counts.set(countKey(kind), value.length);
        objects += value.length;
      }
      done += 1;
      question.progress(
        `live objects: ${objects.toLocaleString('en')} of ${done} of ${counted(listings.length, 'kind')}`,
      );
      const places = (value ?? []).filter(({ illegible }) => illegible).map(({ names }) => placeOf(names));
      return places.length === 0 ? failed : [...failed, illegibleLine(kind, places)];
    }),
  );
  return {
    versions: counter.versions,
    counts,
    untried: [
      ...served.untried,
      ...silent.map((each) => `${each}: the server of this API does not answer`),
      ...untried.flat(),
    ],
  };
}

function illegibleLine({ apiVersion, kind }: ObjectKind, places: readonly string[]): string {
  const objects = counted(places.length, 'object');
  return `${kind} of ${apiVersion}: ${objects} with an annotation ${lastAppliedAnnotation} that can't be read: ${listed(places)}`;
}

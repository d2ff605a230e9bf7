import { manifestObject, toJsonPointer } from '../../lint';
import type { ManifestObject } from '../../lint';

/** A value of a resource that only the update knows. */
export interface UnknownPlace {
  /** URN of the resource. */
  readonly urn: string;
  /** JSON pointer (RFC 6901) in the resource. */
  readonly pointer: string;
}

/** Notes which unknown values are read, while somebody wants to know. Everything here is synchronous. */
export class UnknownReads {
  private places: Map<string, UnknownPlace> | undefined;

  /** Somebody reads an unknown value. */
  public note(place: UnknownPlace): void {
    this.places?.set(`${place.urn} ${place.pointer}`, place);
  }

  /** What a function answers, and the unknown values that were read meanwhile, each once. */
  public during<T>(run: () => T): { readonly value: T; readonly places: readonly UnknownPlace[] } {
    const before = this.places;
    const places = new Map<string, UnknownPlace>();
    this.places = places;
    try {
      const value = run();
      return { value, places: [...places.values()] };
    } finally {
      this.places = before;
    }
  }
}

/**
 * A copy of what a resource has. What only the update knows is absent from it, and whoever reads it is noted.
 *
 * Pulumi hands the properties of a resource to a policy in an envelope that throws where an unknown value is read. A rule
 * would end there, with all that it has to say of other objects.
 *
 * @param onRead told each time that an unknown value is read, with its JSON pointer (RFC 6901)
 */
function knownValues(value: unknown, onRead: (pointer: string) => void, pointer = ''): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const copy: object = Array.isArray(value) ? [] : {};
  for (const key of Object.keys(value)) {
    const place = pointer + toJsonPointer(key);
    const read = readOf(value, key);
    Object.defineProperty(copy, key, {
      configurable: true,
      enumerable: true,
      ...('known' in read
        ? { value: knownValues(read.known, onRead, place), writable: true }
        : { get: () => onRead(place) }),
    });
  }
  return copy;
}

/** One field of what a resource has, read without a note. */
function knownField(value: object, key: string): unknown {
  const read = readOf(value, key);
  return 'known' in read ? read.known : undefined;
}

function readOf(value: object, key: string): { readonly known: unknown } | { readonly unknown: true } {
  try {
    return { known: (value as Readonly<Record<string, unknown>>)[key] };
  } catch {
    return { unknown: true };
  }
}

/** Whether a copy lacks the value of a field because only the update knows it. */
function isUnknown(copy: unknown, key: string): boolean {
  return (
    typeof copy === 'object' && copy !== null && Object.getOwnPropertyDescriptor(copy, key)?.get !== undefined
  );
}

/** A resource as Pulumi shows it to a policy. */
export interface ShownResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly props: Readonly<Record<string, unknown>>;
}

/** Whether a resource may be an object of Kubernetes. */
export function isKubernetes({ type }: Pick<ShownResource, 'type'>): boolean {
  return type.startsWith('kubernetes:');
}

/** Whether a resource is part of an object that belongs to somebody else: such as `ConfigMapPatch`. */
export function isPatch({ type, props }: ShownResource): boolean {
  const kind = knownField(props, 'kind');
  return typeof kind === 'string' && type.endsWith(`:${kind}Patch`);
}

/** Whether a resource is a Helm Release: one resource, whatever its chart installs. */
export function isHelmRelease({ type }: Pick<ShownResource, 'type'>): boolean {
  return type === 'kubernetes:helm.sh/v3:Release';
}

/**
 * The objects of a resource: one, or the items of a list, or none where it is something else, such as a group of other
 * resources. Their file is the resource's URN.
 */
function resourceObjects(resource: ShownResource, reads: UnknownReads): readonly ManifestObject[] {
  if (!isKubernetes(resource) || isHelmRelease(resource) || isPatch(resource)) {
    return [];
  }
  const copy = knownValues(resource.props, (pointer) => reads.note({ urn: resource.urn, pointer }));
  return itemsOf(copy as Item).flatMap(({ value, pointer }) => objectOf(resource, value, pointer, reads));
}

type Item = Readonly<Record<string, unknown>>;

/** Items of a typed list leave out what its kind says. */
function itemsOf(value: Item): { readonly value: Item; readonly pointer: string }[] {
  const { apiVersion, kind, items } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) {
    return [{ value, pointer: '' }];
  }
  const typed = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
  return (items as readonly unknown[]).flatMap((item, position) =>
    typeof item === 'object' && item !== null
      ? [{ value: withDefaults(item as Item, typed), pointer: toJsonPointer('items', position) }]
      : [],
  );
}

/** Keeps unknown values unknown, which a spread would not. */
function withDefaults(item: Item, typed: Item): Item {
  const missing = Object.entries(typed).filter(([key]) => !Object.hasOwn(item, key));
  return Object.defineProperties(Object.fromEntries(missing), Object.getOwnPropertyDescriptors(item));
}

function objectOf(
  { urn, name }: ShownResource,
  value: Item,
  pointer: string,
  reads: UnknownReads,
): readonly ManifestObject[] {
  const source = { file: urn, line: 1, document: 0, pointer, lineOf: () => 1 };
  const object = manifestObject(value, source);
  if (!object) {
    return [];
  }
  const whole = isUnknown(value, 'metadata');
  const named = { ...object };
  for (const key of ['name', 'namespace'] as const) {
    if (whole || isUnknown(value.metadata, key)) {
      // A name that only the update knows must not be compared with others unseen.
      Object.defineProperty(named, key, {
        enumerable: true,
        get: () => {
          reads.note({ urn, pointer: pointer + toJsonPointer('metadata', key) });
          return key === 'name' ? name : undefined;
        },
      });
    }
  }
  return [named];
}

/** A resource with what it belongs to. */
export interface StackResource extends ShownResource {
  /** The provider that makes it. @default - it is a component, or a provider */
  readonly provider?: { readonly urn: string; readonly name: string };
}

/**
 * The Kubernetes objects of a stack.
 *
 * A policy over a resource sees what the program asks for; one over the stack sees what the cluster answered, with all that
 * it filled in. Rules evaluate what the program says, so that is kept of each resource that was seen before.
 */
export class StackObjects {
  private readonly asked = new Map<string, readonly ManifestObject[]>();

  public constructor(private readonly reads: UnknownReads) {}

  /** The objects of a resource as the program asks for them. */
  public ofResource(resource: ShownResource): readonly ManifestObject[] {
    const objects = resourceObjects(resource, this.reads);
    if (objects.length > 0) {
      this.asked.set(resource.urn, objects);
    }
    return objects;
  }

  /** The objects of a stack, cluster by cluster. */
  public byCluster(resources: readonly StackResource[]): readonly (readonly ManifestObject[])[] {
    const clusters = new Map<string, ManifestObject[]>();
    for (const resource of resources) {
      const objects = this.asked.get(resource.urn) ?? resourceObjects(resource, this.reads);
      if (objects.length > 0) {
        const key = clusterOf(resource);
        const others = clusters.get(key) ?? [];
        clusters.set(key, others);
        others.push(...objects);
      }
    }
    return [...clusters.values()];
  }
}

/** Pulumi makes a default provider for each version of the package; all have the same configuration. */
const defaultProvider = /^default(?:_\d.*)?$/;

/** A provider stands for a cluster: nothing else of a resource names one. */
function clusterOf({ provider }: StackResource): string {
  return provider === undefined || defaultProvider.test(provider.name) ? 'default' : provider.urn;
}

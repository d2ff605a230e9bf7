import type { JudgedObject } from '../rules';
import { judgedObject, pointerTo } from '../rules';
import { isUnknown, knownField, knownValues } from './known-values';
import type { UnknownReads } from './unknown-reads';

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
export function resourceObjects(resource: ShownResource, reads: UnknownReads): readonly JudgedObject[] {
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
      ? [{ value: withDefaults(item as Item, typed), pointer: pointerTo('items', position) }]
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
): readonly JudgedObject[] {
  const source = { file: urn, line: 1, document: 0, pointer, lineOf: () => 1 };
  const object = judgedObject(value, source);
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
          reads.note({ urn, pointer: pointer + pointerTo('metadata', key) });
          return key === 'name' ? name : undefined;
        },
      });
    }
  }
  return [named];
}

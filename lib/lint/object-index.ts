import { Field, groupOf } from './object';
import type { ManifestObject } from './object';

/**
 * Things by namespace and key. Where the namespace that is asked for has none, those that name no namespace are found;
 * where no namespace is asked for, those of the only namespace that has some.
 */
export class NamespacedMap<T> {
  private readonly byKey = new Map<string, Map<string | undefined, T[]>>();

  public add(namespace: string | undefined, key: string, value: T): void {
    let namespaces = this.byKey.get(key);
    if (!namespaces) {
      this.byKey.set(key, (namespaces = new Map<string | undefined, T[]>()));
    }
    const values = namespaces.get(namespace);
    if (values) {
      values.push(value);
    } else {
      namespaces.set(namespace, [value]);
    }
  }

  public get(namespace: string | undefined, key: string): readonly T[] {
    const namespaces = this.byKey.get(key);
    if (!namespaces) {
      return [];
    }
    const exact =
      namespaces.get(namespace) ?? (namespace === undefined ? undefined : namespaces.get(undefined));
    if (exact) {
      return exact;
    }
    return namespace === undefined && namespaces.size === 1 ? [...namespaces.values()][0]! : [];
  }
}

/** Makes the index of objects. It takes time in proportion to their number. */
export function indexObjects(all: readonly ManifestObject[]): ObjectIndex {
  const kinds = new Map<string, ManifestObject[]>();
  for (const object of all) {
    const key = kindKey(groupOf(object.apiVersion), object.kind);
    const same = kinds.get(key);
    if (same) {
      same.push(object);
    } else {
      kinds.set(key, [object]);
    }
  }
  const names = new Map<string, NamespacedMap<ManifestObject>>();
  const namesOf = (key: string): NamespacedMap<ManifestObject> => {
    let found = names.get(key);
    if (!found) {
      found = new NamespacedMap();
      for (const object of kinds.get(key) ?? []) {
        found.add(object.namespace, object.name, object);
      }
      names.set(key, found);
    }
    return found;
  };
  const views = new Map<unknown, unknown>();
  const index: ObjectIndex = {
    all,
    ofKind: (group, kind) => kinds.get(kindKey(group, kind)) ?? [],
    find: (group, kind, namespace, name) => namesOf(kindKey(group, kind)).get(namespace, name)[0],
    ownedBy: (owner) => index.view(owned).get(owner.namespace, ownerKey(owner)),
    view: <T>(derive: (objects: ObjectIndex) => T): T => {
      if (!views.has(derive)) {
        views.set(derive, derive(index));
      }
      return views.get(derive) as T;
    },
  };
  return index;
}

function kindKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}

function ownerKey({ apiVersion, kind, name }: { apiVersion: string; kind: string; name: string }): string {
  return `${groupOf(apiVersion)}/${kind}/${name}`;
}

/** By names, since a manifest of the owner has no uid; an owner is in the namespace of what it owns, or in none. */
function owned({ all }: ObjectIndex): NamespacedMap<ManifestObject> {
  const found = new NamespacedMap<ManifestObject>();
  for (const object of all) {
    for (const reference of Field.of(object).get('metadata', 'ownerReferences').items) {
      const [apiVersion = '', kind = '', name = ''] = ['apiVersion', 'kind', 'name'].map(
        (key) => reference.get(key).text,
      );
      found.add(object.namespace, ownerKey({ apiVersion, kind, name }), object);
    }
  }
  return found;
}

/**
 * The objects of a run, found fast.
 *
 * Manifests often leave the namespace out, for whoever applies them to fill in. So where no object has the namespace that
 * is asked for, one that names none is found; and where none is asked for, one of any namespace, if only one namespace
 * has it.
 */
export interface ObjectIndex {
  /** Every object, in the order in which they were given. */
  readonly all: readonly ManifestObject[];
  /**
   * Objects of a kind, whatever the version.
   *
   * @param group API group, `''` for the core group
   */
  ofKind(group: string, kind: string): readonly ManifestObject[];
  /** One object; `namespace` is undefined for what belongs to the cluster. */
  find(group: string, kind: string, namespace: string | undefined, name: string): ManifestObject | undefined;
  /** Objects that name this one as their owner (`metadata.ownerReferences`). */
  ownedBy(owner: ManifestObject): readonly ManifestObject[];
  /**
   * What can be derived from the objects, made at the first question and kept: rules that read the same things share
   * one walk over the objects.
   *
   * @param derive a function that is defined once, such as one of a module: it is what the result is kept under
   *
   * @example
   * const webhooks = objects.view(admissionWebhooks);
   */
  view<T>(derive: (objects: ObjectIndex) => T): T;
}

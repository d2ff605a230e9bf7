import { Field } from './field';
import type { JudgedObject } from './judged-object';
import { groupOf } from './judged-object';
import { NamespacedMap } from './namespaced-map';
import type { ObjectIndex } from './object-index';

/** Makes the index of objects. It takes time in proportion to their number. */
export function indexObjects(all: readonly JudgedObject[]): ObjectIndex {
  const kinds = new Map<string, JudgedObject[]>();
  for (const object of all) {
    const key = kindKey(groupOf(object.apiVersion), object.kind);
    const same = kinds.get(key);
    if (same) {
      same.push(object);
    } else {
      kinds.set(key, [object]);
    }
  }
  const names = new Map<string, NamespacedMap<JudgedObject>>();
  const namesOf = (key: string): NamespacedMap<JudgedObject> => {
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
function owned({ all }: ObjectIndex): NamespacedMap<JudgedObject> {
  const found = new NamespacedMap<JudgedObject>();
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

import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';

/** An object and those of the same tree that must be there before it. */
export interface OrderedObject {
  readonly object: ApiObject;
  readonly after: readonly ApiObject[];
}

/** The objects at and below a construct. */
export function apiObjects(scope: IConstruct): ApiObject[] {
  return scope.node.findAll().filter((each): each is ApiObject => ApiObject.isApiObject(each));
}

/**
 * The objects at and below a construct in an order in which they can be created, each with those that it waits
 * for: what cdk8s dependencies say (of the object, and of the constructs and charts around it), its Namespace,
 * and the definition of its kind.
 *
 * @throws Error on a cycle, and on a dependency that leads out of the tree
 */
export function orderObjects(scope: IConstruct): OrderedObject[] {
  const objects = apiObjects(scope);
  const inside = new Set<IConstruct>(scope.node.findAll());
  const after = new Map<ApiObject, Set<ApiObject>>(objects.map((object) => [object, new Set()]));
  for (const construct of inside) {
    for (const dependency of construct.node.dependencies) {
      if (!inside.has(dependency)) {
        throw new Error(
          `${construct.node.path} depends on ${dependency.node.path}, which is not among the manifests at ${scope.node.path || 'the app'}`,
        );
      }
      for (const later of apiObjects(construct)) {
        for (const earlier of apiObjects(dependency)) {
          if (later !== earlier) {
            after.get(later)!.add(earlier);
          }
        }
      }
    }
  }
  addImplied(objects, after);
  return sort(objects, after);
}

/** What Kubernetes itself needs first. */
function addImplied(objects: ApiObject[], after: Map<ApiObject, Set<ApiObject>>): void {
  const namespaces = new Map(
    objects.filter((each) => each.kind === 'Namespace').map((each) => [each.name, each]),
  );
  const definitions = new Map(
    objects
      .filter((each) => each.kind === 'CustomResourceDefinition')
      .map((each) => [definedKind(each), each]),
  );
  for (const object of objects) {
    const implied = [
      namespaces.get(object.metadata.namespace ?? ''),
      definitions.get(`${object.apiGroup}/${object.kind}`),
    ];
    for (const earlier of implied) {
      if (earlier && earlier !== object) {
        after.get(object)!.add(earlier);
      }
    }
  }
}

function definedKind(definition: ApiObject): string {
  const { spec } = definition.toJson() as { spec?: { group?: string; names?: { kind?: string } } };
  return `${spec?.group}/${spec?.names?.kind}`;
}

/** Depth first, so that objects stay in the order of the tree where nothing else is asked. */
function sort(objects: ApiObject[], after: Map<ApiObject, Set<ApiObject>>): OrderedObject[] {
  const sorted: OrderedObject[] = [];
  const done = new Set<ApiObject>();
  const visit = (object: ApiObject, path: readonly ApiObject[]): void => {
    if (done.has(object)) {
      return;
    }
    if (path.includes(object)) {
      const cycle = [...path.slice(path.indexOf(object)), object].map((each) => each.node.path);
      throw new Error(`these depend on each other: ${cycle.join(' -> ')}`);
    }
    const earlier = [...after.get(object)!];
    earlier.forEach((each) => visit(each, [...path, object]));
    done.add(object);
    sorted.push({ object, after: earlier });
  };
  objects.forEach((object) => visit(object, []));
  return sorted;
}

import { ApiObject, Yaml } from 'cdk8s';
import type { Construct, IConstruct } from 'constructs';
import { allMarkers } from '../../core/tokens';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { outputRegistry } from './output-token';

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

/** What the constructs of a tree say is wrong with them. */
export function validationProblems(scope: IConstruct): readonly Problem[] {
  return scope.node
    .findAll()
    .flatMap(({ node }) =>
      node.validate().map((message) => ({ path: node.path || 'app', allowed: `valid: ${message}` })),
    );
}

/**
 * The objects of a cdk8s construct tree as YAML documents in the order of creation, as a GitOps repository
 * wants them.
 *
 * @throws InvalidInput where a construct's own validation fails, and for every value that only a deployment
 * knows, with the object and the JSON pointer
 */
export function manifestYaml(chart: Construct): string {
  const problems = new Problems(`Manifests at "${chart.node.path || 'app'}"`);
  return outputRegistry(chart).render(() => {
    problems.addAll(validationProblems(chart));
    for (const object of apiObjects(chart)) {
      for (const { pointer, why } of allMarkers(object.toJson())) {
        problems.addAll([
          { path: `${object.kind} ${object.name} ${pointer}`, allowed: `known without a deployment: ${why}` },
        ]);
      }
    }
    problems.throwIfAny();
    return Yaml.stringify(...orderObjects(chart).map(({ object }) => object.toJson() as unknown));
  });
}

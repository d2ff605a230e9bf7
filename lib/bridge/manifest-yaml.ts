import { Yaml } from 'cdk8s';
import type { Construct } from 'constructs';
import { Problems } from '../problems';
import { allMarkers } from '../tokens';
import { apiObjects, orderObjects } from './object-order';
import { outputRegistry } from './output-token';
import { validationProblems } from './validation-problems';

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

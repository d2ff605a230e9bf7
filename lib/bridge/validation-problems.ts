import type { IConstruct } from 'constructs';
import type { Problem } from '../problems';

/** What the constructs of a tree say is wrong with them. */
export function validationProblems(scope: IConstruct): readonly Problem[] {
  return scope.node
    .findAll()
    .flatMap(({ node }) =>
      node.validate().map((message) => ({ path: node.path || 'app', allowed: `valid: ${message}` })),
    );
}

import type { Generator } from './generator';

/** Whether the generators together may give more than one set of parameters, and so more than one Application. */
export function mayGiveSeveral(generators: readonly Generator[]): boolean {
  return generators.length > 1 || generators.some(givesSeveral);
}

function givesSeveral(generator: Generator): boolean {
  switch (generator.kind) {
    case 'list':
      return generator.elementsYaml !== undefined || (generator.elements?.length ?? 0) > 1;
    case 'clusters':
      return generator.flatList !== true;
    case 'git':
    case 'scmProvider':
    case 'pullRequest':
    case 'plugin':
    case 'clusterDecisionResource':
      return true;
    case 'matrix':
      return generator.generators.some(givesSeveral);
    case 'merge':
      // The others only add parameters to the sets of the first.
      return generator.generators.slice(0, 1).some(givesSeveral);
  }
}

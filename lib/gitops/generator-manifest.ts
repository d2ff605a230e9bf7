import { secretTypeLabel } from './argo-object';
import { clusterDecisionResourceManifest, pluginManifest } from './asking-generators';
import type { ClustersGenerator, Generator } from './generator';
import type { LabelSelector } from './label-selector';
import { pullRequestManifest } from './pull-request';
import { scmProviderManifest } from './scm-provider';

/** A generator as it stands in the manifest. */
export function generatorManifest(generator: Generator): Record<string, unknown> {
  return { ...body(generator), selector: generator.postSelector };
}

function body(generator: Generator): Record<string, unknown> {
  switch (generator.kind) {
    case 'list':
      return { list: { elements: generator.elements, elementsYaml: generator.elementsYaml } };
    case 'clusters':
      return { clusters: clusters(generator) };
    case 'git':
      return {
        git: {
          repoURL: generator.repoURL,
          revision: generator.revision ?? 'HEAD',
          directories: generator.directories,
          files: generator.files,
          requeueAfterSeconds: generator.requeueAfterSeconds,
          pathParamPrefix: generator.pathParamPrefix,
          values: generator.values,
        },
      };
    case 'scmProvider':
      return { scmProvider: scmProviderManifest(generator) };
    case 'pullRequest':
      return { pullRequest: pullRequestManifest(generator) };
    case 'plugin':
      return { plugin: pluginManifest(generator) };
    case 'clusterDecisionResource':
      return { clusterDecisionResource: clusterDecisionResourceManifest(generator) };
    case 'matrix':
      return { matrix: { generators: children(generator.generators) } };
    case 'merge':
      return { merge: { mergeKeys: generator.mergeKeys, generators: children(generator.generators) } };
  }
}

function children(generators: readonly Generator[]): Record<string, unknown>[] {
  return generators.map(generatorManifest);
}

function clusters({ selector, values, flatList }: ClustersGenerator): Record<string, unknown> {
  return { selector: registered(selector), values, flatList };
}

/** The selector, with the label that only clusters with a Secret have. */
function registered(selector: LabelSelector = {}): LabelSelector {
  return { ...selector, matchLabels: { ...selector.matchLabels, [secretTypeLabel]: 'cluster' } };
}

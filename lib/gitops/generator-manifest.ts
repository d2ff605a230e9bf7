import type { ApplicationTemplate } from './application-template';
import { secretTypeLabel } from './argo-object';
import { clusterDecisionResourceManifest, pluginManifest } from './asking-generators';
import type { ClustersGenerator, Generator } from './generator';
import type { LabelSelector } from './label-selector';
import { generatorTemplateManifest } from './generator-template';
import { pullRequestManifest } from './pull-request';
import { scmProviderManifest } from './scm-provider';

/**
 * A generator as it stands in the manifest.
 *
 * @param template of the set
 */
export function generatorManifest(
  generator: Generator,
  template: ApplicationTemplate,
): Record<string, unknown> {
  const { kind } = generator;
  const own = generatorTemplateManifest(generator, template);
  const { [kind]: settings } = body(generator) as Record<string, object>;
  return { [kind]: own ? { ...settings, template: own } : settings, selector: generator.postSelector };
}

/** One in another, which has no template. */
function nested(generator: Generator): Record<string, unknown> {
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
  return generators.map(nested);
}

function clusters({ selector, values, flatList }: ClustersGenerator): Record<string, unknown> {
  return { selector: registered(selector), values, flatList };
}

/** The selector, with the label that only clusters with a Secret have. */
function registered(selector: LabelSelector = {}): LabelSelector {
  return { ...selector, matchLabels: { ...selector.matchLabels, [secretTypeLabel]: 'cluster' } };
}

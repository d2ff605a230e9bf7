import { refuseOptions } from '../problems';
import type { AnyGenerator } from './any-generator';
import { anyGeneratorKeys } from './any-generator';
import type {
  ClusterDecisionResourceGenerator,
  ClusterDecisionResourceOptions,
  PluginGenerator,
  PluginOptions,
} from './asking-generators';
import { clusterDecisionResourceOptionsKeys, pluginOptionsKeys } from './asking-generators';
import type {
  ClustersGenerator,
  ClustersOptions,
  GitGenerator,
  GitOptions,
  ListGenerator,
  ListOptions,
  MatrixGenerator,
  MergeGenerator,
  NestedGenerator,
} from './generator';
import { clustersOptionsKeys, gitOptionsKeys, listOptionsKeys } from './generator';
import type { PullRequestGenerator, PullRequestOptions } from './pull-request';
import { pullRequestOptionsKeys } from './pull-request';
import type { ScmProviderGenerator, ScmProviderOptions } from './scm-provider';
import { scmProviderOptionsKeys } from './scm-provider';

const mergeOptionsKeys = { ...anyGeneratorKeys, mergeKeys: 'plain', generators: 'open' } as const;

/**
 * Makes the generators of an ApplicationSet.
 *
 * @example
 * // One Application for every registered cluster that is labelled so:
 * generators.clusters({ selector: { matchLabels: { env: 'production' } } });
 * // ... and for every directory of applications on each of them:
 * generators.matrix([
 *   generators.git({ repoURL: 'https://github.com/example/config', directories: [{ path: 'apps/*' }] }),
 *   generators.clusters({ selector: { matchLabels: { env: 'production' } } }),
 * ]);
 */
export const generators = {
  /** Gives the sets of parameters that are listed. */
  list: (options: ListOptions): ListGenerator => ({
    ...refuseOptions('generators.list', options, listOptionsKeys),
    kind: 'list',
  }),

  /** Gives the registered clusters, without the one that Argo CD runs in (unless it has a Secret, too). */
  clusters: (options: ClustersOptions = {}): ClustersGenerator => ({
    ...refuseOptions('generators.clusters', options, clustersOptionsKeys),
    kind: 'clusters',
  }),

  /** Gives directories or files of a Git repository. */
  git: (options: GitOptions): GitGenerator => ({
    ...refuseOptions('generators.git', options, gitOptionsKeys),
    kind: 'git',
  }),

  /** Gives the repositories of an organization. */
  scmProvider: (options: ScmProviderOptions): ScmProviderGenerator => ({
    ...refuseOptions('generators.scmProvider', options, scmProviderOptionsKeys),
    kind: 'scmProvider',
  }),

  /** Gives the pull requests of a repository. */
  pullRequest: (options: PullRequestOptions): PullRequestGenerator => ({
    ...refuseOptions('generators.pullRequest', options, pullRequestOptionsKeys),
    kind: 'pullRequest',
  }),

  /** Gives what a program of one's own answers. */
  plugin: (options: PluginOptions): PluginGenerator => ({
    ...refuseOptions('generators.plugin', options, pluginOptionsKeys),
    kind: 'plugin',
  }),

  /** Gives the clusters that another controller chose. */
  clusterDecisionResource: (options: ClusterDecisionResourceOptions): ClusterDecisionResourceGenerator => ({
    ...refuseOptions('generators.clusterDecisionResource', options, clusterDecisionResourceOptionsKeys),
    kind: 'clusterDecisionResource',
  }),

  /** Gives every pair of what two generators give. */
  matrix: <First extends NestedGenerator, Second extends NestedGenerator>(
    pair: readonly [First, Second],
    options: AnyGenerator = {},
  ): MatrixGenerator<First | Second> => ({
    ...refuseOptions('generators.matrix', options, anyGeneratorKeys),
    kind: 'matrix',
    generators: pair,
  }),

  /** Gives what the first generator gives, with parameters of the others merged in. */
  merge: <Child extends NestedGenerator>(
    options: AnyGenerator & {
      /** Parameters by which sets belong together. */
      readonly mergeKeys: readonly string[];
      /** The generators, at least two. */
      readonly generators: readonly Child[];
    },
  ): MergeGenerator<Child> => ({
    ...refuseOptions('generators.merge', options, mergeOptionsKeys),
    kind: 'merge',
  }),
};

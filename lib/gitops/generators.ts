import type { AnyGenerator } from './any-generator';
import type {
  ClusterDecisionResourceGenerator,
  ClusterDecisionResourceOptions,
  PluginGenerator,
  PluginOptions,
} from './asking-generators';
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
import type { PullRequestGenerator, PullRequestOptions } from './pull-request';
import type { ScmProviderGenerator, ScmProviderOptions } from './scm-provider';

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
  list: (options: ListOptions): ListGenerator => ({ ...options, kind: 'list' }),

  /** Gives the registered clusters, without the one that Argo CD runs in (unless it has a Secret, too). */
  clusters: (options: ClustersOptions = {}): ClustersGenerator => ({ ...options, kind: 'clusters' }),

  /** Gives directories or files of a Git repository. */
  git: (options: GitOptions): GitGenerator => ({ ...options, kind: 'git' }),

  /** Gives the repositories of an organization. */
  scmProvider: (options: ScmProviderOptions): ScmProviderGenerator => ({ ...options, kind: 'scmProvider' }),

  /** Gives the pull requests of a repository. */
  pullRequest: (options: PullRequestOptions): PullRequestGenerator => ({ ...options, kind: 'pullRequest' }),

  /** Gives what a program of one's own answers. */
  plugin: (options: PluginOptions): PluginGenerator => ({ ...options, kind: 'plugin' }),

  /** Gives the clusters that another controller chose. */
  clusterDecisionResource: (options: ClusterDecisionResourceOptions): ClusterDecisionResourceGenerator => ({
    ...options,
    kind: 'clusterDecisionResource',
  }),

  /** Gives every pair of what two generators give. */
  matrix: <First extends NestedGenerator, Second extends NestedGenerator>(
    pair: readonly [First, Second],
    options: AnyGenerator = {},
  ): MatrixGenerator<First | Second> => ({ ...options, kind: 'matrix', generators: pair }),

  /** Gives what the first generator gives, with parameters of the others merged in. */
  merge: <Child extends NestedGenerator>(
    options: AnyGenerator & {
      /** Parameters by which sets belong together. */
      readonly mergeKeys: readonly string[];
      /** The generators, at least two. */
      readonly generators: readonly Child[];
    },
  ): MergeGenerator<Child> => ({ ...options, kind: 'merge' }),
};

import { listOf, refuseOptions } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import type { JsonValue } from '../argo-object';
import { labelSelectorKeys } from '../../../core/kubernetes/label-selector';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { anyGeneratorKeys } from './common';
import type { AnyGenerator } from './common';
import { clusterDecisionResourceOptionsKeys, pluginOptionsKeys } from './external';
import type {
  ClusterDecisionResourceGenerator,
  ClusterDecisionResourceOptions,
  PluginGenerator,
  PluginOptions,
} from './external';
import { pullRequestOptionsKeys } from './pull-request';
import type { PullRequestGenerator, PullRequestOptions } from './pull-request';
import { scmProviderOptionsKeys } from './scm-provider';
import type { ScmProviderGenerator, ScmProviderOptions } from './scm-provider';

/**
 * What an ApplicationSet makes its Applications from: each set of parameters that a generator gives becomes one.
 * Make one with `generators`. Combining generators nest at most two deep, as Argo CD's resource definition has
 * it; the types say so, and the ApplicationSet checks it.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators/
 */
export type Generator = NestedGenerator | CombiningGenerator<NestedGenerator>;

/** A generator that may be in a combining generator at the top. */
export type NestedGenerator = LeafGenerator | CombiningGenerator<LeafGenerator>;

/** A generator that combines no others; the only kind that may be two levels below the top. */
export type LeafGenerator =
  | ListGenerator
  | ClustersGenerator
  | GitGenerator
  | ScmProviderGenerator
  | PullRequestGenerator
  | PluginGenerator
  | ClusterDecisionResourceGenerator;

/** A generator that combines others. */
export type CombiningGenerator<Child> = MatrixGenerator<Child> | MergeGenerator<Child>;

/** Gives the sets of parameters that it lists. */
export interface ListGenerator extends ListGeneratorOptions {
  /** Tells the kinds of generators apart. */
  readonly kind: 'list';
}

/** What a list generator gives; one of its two fields. */
export interface ListGeneratorOptions extends AnyGenerator {
  /** The sets of parameters. Without Go templates every value must be a text. @default - by `elementsYaml` */
  readonly elements?: readonly { readonly [parameter: string]: JsonValue }[];
  /**
   * A template that gives a list in JSON or YAML, from parameters of the generator before it in a matrix:
   * `'{{ .key.components | toJson }}'`.
   * @default - by `elements`
   */
  readonly elementsYaml?: string;
}

export const listOptionsKeys: OptionsOf<ListGeneratorOptions> = {
  ...anyGeneratorKeys,
  elements: 'list',
  elementsYaml: 'plain',
};

/** Gives the clusters that are registered with Argo CD. */
export interface ClustersGenerator extends ClustersOptions {
  /** Tells the kinds of generators apart. */
  readonly kind: 'clusters';
}

/** Which clusters are given, and with what. */
export interface ClustersOptions extends AnyGenerator {
  /**
   * Labels of the clusters' Secrets. `argocd.argoproj.io/secret-type: cluster` is always asked for as well:
   * with an empty selector Argo CD also takes the cluster that it runs in itself, which has no Secret, so a
   * hub would deploy to itself. Register that cluster with a `ClusterSecret` to deploy to it.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Cluster/#deploying-to-the-local-cluster
   * @default - every cluster that has a Secret
   */
  readonly selector?: LabelSelector;
  /** Further parameters, `.values.NAME`. @default - none */
  readonly values?: Readonly<Record<string, string>>;
  /** Whether all clusters come as one list in the parameter `clusters`, for one Application. @default false */
  readonly flatList?: boolean;
}

export const clustersOptionsKeys: OptionsOf<ClustersOptions> = {
  ...anyGeneratorKeys,
  selector: labelSelectorKeys,
  values: 'plain',
  flatList: 'plain',
};

/** Gives directories, or the contents of files, of a Git repository. */
export interface GitGenerator extends GitOptions {
  /** Tells the kinds of generators apart. */
  readonly kind: 'git';
}

/**
 * What is looked for in a Git repository; one of `directories` and `files`. Who can write to the repository
 * chooses the parameters, so the template's project should not be made of one.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Git/
 */
export interface GitOptions extends AnyGenerator {
  /** URL of the repository, without credentials. */
  readonly repoURL: string;
  /** Branch, tag or commit. @default 'HEAD' */
  readonly revision?: string;
  /** Directories, one set of parameters each. @default - by `files` */
  readonly directories?: readonly GitPath[];
  /** JSON or YAML files, one set of parameters (the file's contents) each. @default - by `directories` */
  readonly files?: readonly GitPath[];
  /** Seconds between two reads of the repository. @default - Argo CD's default */
  readonly requeueAfterSeconds?: number;
  /**
   * Put before the parameter `path`, `.PREFIX.path`. Needed in a matrix of two git generators, which would
   * overwrite each other's.
   * @default - none
   */
  readonly pathParamPrefix?: string;
  /** Further parameters, `.values.NAME`. @default - none */
  readonly values?: Readonly<Record<string, string>>;
}

/** A path in a repository. */
export interface GitPath {
  /** The path, with wildcards. */
  readonly path: string;
  /** Whether what it matches is left out; that goes before what others match. @default false */
  readonly exclude?: boolean;
}

const gitPathKeys: OptionsOf<GitPath> = { path: 'plain', exclude: 'plain' };

export const gitOptionsKeys: OptionsOf<GitOptions> = {
  ...anyGeneratorKeys,
  repoURL: 'plain',
  revision: 'plain',
  directories: listOf(gitPathKeys),
  files: listOf(gitPathKeys),
  requeueAfterSeconds: 'plain',
  pathParamPrefix: 'plain',
  values: 'plain',
};

/** Gives every pair of what its two generators give. */
export interface MatrixGenerator<Child> extends AnyGenerator {
  /** Tells the kinds of generators apart. */
  readonly kind: 'matrix';
  /** The two generators; the second may use parameters of the first. */
  readonly generators: readonly [Child, Child];
}

/** Gives what its first generator gives, with parameters of the others merged in. */
export interface MergeGenerator<Child> extends AnyGenerator {
  /** Tells the kinds of generators apart. */
  readonly kind: 'merge';
  /** Parameters by which sets belong together; no two sets of one generator may share them. */
  readonly mergeKeys: readonly string[];
  /** The generators, at least two; a later one wins. */
  readonly generators: readonly Child[];
}

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
  list: (options: ListGeneratorOptions): ListGenerator => ({
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

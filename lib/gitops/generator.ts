import type { OptionsOf } from '../problems';
import { listOf } from '../problems';
import type { AnyGenerator } from './any-generator';
import { anyGeneratorKeys } from './any-generator';
import type { ClusterDecisionResourceGenerator, PluginGenerator } from './asking-generators';
import type { JsonValue } from './json-value';
import type { LabelSelector } from './label-selector';
import { labelSelectorKeys } from './label-selector';
import type { PullRequestGenerator } from './pull-request';
import type { ScmProviderGenerator } from './scm-provider';

/**
 * What an ApplicationSet makes its Applications from: each set of parameters that a generator gives becomes one.
 * Make one with `generators`. Combining generators nest at most two deep, as Argo CD's resource definition has
 * it; the types say so, and the ApplicationSet checks it.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators/
 */
export type Generator = NestedGenerator | CombiningGenerator<NestedGenerator>;

/** A generator that may stand in a combining generator at the top. */
export type NestedGenerator = LeafGenerator | CombiningGenerator<LeafGenerator>;

/** A generator that combines no others; the only kind that may stand two levels below the top. */
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
export interface ListGenerator extends ListOptions {
  /** Tells the kinds of generators apart. */
  readonly kind: 'list';
}

/** What a list generator gives; one of its two fields. */
export interface ListOptions extends AnyGenerator {
  /** The sets of parameters. Without Go templates every value must be a text. @default - by `elementsYaml` */
  readonly elements?: readonly { readonly [parameter: string]: JsonValue }[];
  /**
   * A template that gives a list in JSON or YAML, from parameters of the generator before it in a matrix:
   * `'{{ .key.components | toJson }}'`.
   * @default - by `elements`
   */
  readonly elementsYaml?: string;
}

export const listOptionsKeys: OptionsOf<ListOptions> = {
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
  /** Seconds between two looks at the repository. @default - Argo CD's default */
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

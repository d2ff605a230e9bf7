import { across, list, object, optional } from '../../../core/validation/collections';
import { textRule } from '../../../core/validation/formats';
import { isPlainObject } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { anything } from '../../../core/validation/values';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { dataWithoutNull, labelSelector, repeatedIn, withKeys, withKnownKeys } from '../../field-schemas';
import { templated } from '../application-template';
import { secretTypeLabel } from '../../../core/names';
import type { JsonValue } from '../argo-object';
import { repositoryUrl } from '../repository-credential';
import { anyGeneratorEntries, filledText, templatedFlag, requeueAfterSeconds, values } from './common';
import type { AnyGenerator } from './common';
import { clusterDecisionResourceOptions, pluginOptions } from './external';
import type {
  ClusterDecisionResourceGenerator,
  ClusterDecisionResourceOptions,
  PluginGenerator,
  PluginOptions,
} from './external';
import { pullRequestOptions } from './pull-request';
import type { PullRequestGenerator, PullRequestOptions } from './pull-request';
import { scmProviderOptions } from './scm-provider';
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

const listOptions = withKeys(
  'exactly one',
  ['elements', 'elementsYaml'],
  object<ListGeneratorOptions>({
    ...anyGeneratorEntries,
    elements: optional(list(dataWithoutNull)),
    elementsYaml: optional(filledText),
  }),
);

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

const clustersOptions = object<ClustersOptions>({
  ...anyGeneratorEntries,
  selector: optional(
    across(labelSelector('deployment or controller'), ({ matchLabels }, { mustBe }) => {
      const secretType = isPlainObject(matchLabels) ? matchLabels[secretTypeLabel] : undefined;
      if (secretType !== undefined && secretType !== 'cluster') {
        mustBe(['matchLabels', secretTypeLabel], '"cluster"');
      }
    }),
  ),
  values,
  flatList: templatedFlag,
});

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

const parameterName = textRule(/^[A-Za-z_]\w*$/, 'letters, digits and "_", no digit at the start');

const gitPaths = optional(list(object<GitPath>({ path: filledText, exclude: templatedFlag })));

const gitOptions = across(
  withKeys(
    'exactly one',
    ['directories', 'files'],
    object<GitOptions>({
      ...anyGeneratorEntries,
      repoURL: repositoryUrl('deployment or controller'),
      revision: optional(filledText),
      directories: gitPaths,
      files: gitPaths,
      requeueAfterSeconds,
      pathParamPrefix: optional(templated(parameterName)),
      values,
    }),
  ),
  (options, { mustBe }) => {
    for (const field of ['directories', 'files'] as const) {
      const paths: unknown = options[field];
      if (Array.isArray(paths) && paths.every((each) => isPlainObject(each) && each.exclude === true)) {
        mustBe([field], 'a list with a path that is not excluded');
      }
    }
  },
);

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

/** Whether a value is a generator, as far as its kind says. */
export function isGenerator(value: unknown): value is Generator {
  return isPlainObject(value) && Object.hasOwn(optionsByKind, String(value.kind));
}

/** Whether all are generators, and all that they combine. */
export function areGenerators(values: unknown): values is readonly Generator[] {
  return (
    Array.isArray(values) &&
    values.every(
      (each: unknown) =>
        isGenerator(each) &&
        ((each.kind !== 'matrix' && each.kind !== 'merge') || areGenerators(each.generators)),
    )
  );
}

/** Generators have their own problems, at places that follow the calls. */
const generatorsWithin = list(anything);

const mergeOptions = across(
  object<Omit<MergeGenerator<never>, 'kind'>>({
    ...anyGeneratorEntries,
    mergeKeys: list(filledText, 1, 'a list with at least one parameter'),
    generators: generatorsWithin,
  }),
  ({ mergeKeys }, { mustBe }) => {
    for (const position of repeatedIn(mergeKeys)) {
      mustBe(['mergeKeys', position], 'a parameter that the list does not hold already');
    }
  },
);

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

/** What the options of each kind are. */
export const optionsByKind: Readonly<Record<Generator['kind'], Schema>> = {
  list: listOptions,
  clusters: clustersOptions,
  git: gitOptions,
  scmProvider: scmProviderOptions,
  pullRequest: pullRequestOptions,
  plugin: pluginOptions,
  clusterDecisionResource: clusterDecisionResourceOptions,
  matrix: object<Omit<MatrixGenerator<never>, 'kind'>>({
    ...anyGeneratorEntries,
    generators: generatorsWithin as Schema<never>,
  }),
  merge: mergeOptions,
};

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
    ...withKnownKeys('generators.list', listOptions, options),
    kind: 'list',
  }),

  /** Gives the registered clusters, without the one that Argo CD runs in (unless it has a Secret, too). */
  clusters: (options: ClustersOptions = {}): ClustersGenerator => ({
    ...withKnownKeys('generators.clusters', clustersOptions, options),
    kind: 'clusters',
  }),

  /** Gives directories or files of a Git repository. */
  git: (options: GitOptions): GitGenerator => ({
    ...withKnownKeys('generators.git', gitOptions, options),
    kind: 'git',
  }),

  /** Gives the repositories of an organization. */
  scmProvider: (options: ScmProviderOptions): ScmProviderGenerator => ({
    ...withKnownKeys('generators.scmProvider', scmProviderOptions, options),
    kind: 'scmProvider',
  }),

  /** Gives the pull requests of a repository. */
  pullRequest: (options: PullRequestOptions): PullRequestGenerator => ({
    ...withKnownKeys('generators.pullRequest', pullRequestOptions, options),
    kind: 'pullRequest',
  }),

  /** Gives what a program of one's own answers. */
  plugin: (options: PluginOptions): PluginGenerator => ({
    ...withKnownKeys('generators.plugin', pluginOptions, options),
    kind: 'plugin',
  }),

  /** Gives the clusters that another controller chose. */
  clusterDecisionResource: (options: ClusterDecisionResourceOptions): ClusterDecisionResourceGenerator => ({
    ...withKnownKeys('generators.clusterDecisionResource', clusterDecisionResourceOptions, options),
    kind: 'clusterDecisionResource',
  }),

  /** Gives every pair of what two generators give. */
  matrix: <First extends NestedGenerator, Second extends NestedGenerator>(
    pair: readonly [First, Second],
    options: AnyGenerator = {},
  ): MatrixGenerator<First | Second> => ({
    ...withKnownKeys('generators.matrix', object(anyGeneratorEntries), options),
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
    ...withKnownKeys('generators.merge', mergeOptions, options),
    kind: 'merge',
  }),
};

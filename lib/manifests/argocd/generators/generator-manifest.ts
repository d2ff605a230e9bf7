import type { FieldChecks } from '../../../core/validation/fields';
import { nonEmptyText, textRule, wholeNumber } from '../../../core/validation/formats';
import type { ApplicationTemplate } from '../application-template';
import { anyText, secretTypeLabel } from '../argo-object';
import { checkLabelSelector } from '../../../core/kubernetes/label-selector';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { checkRepositoryUrl } from '../repository-credential';
import { checkValues } from './common';
import {
  checkClusterDecisionResource,
  checkPlugin,
  clusterDecisionResourceManifest,
  pluginManifest,
} from './external';
import { checkGeneratorTemplate, generatorTemplateManifest } from './generator-template';
import type {
  ClustersGenerator,
  Generator,
  GitGenerator,
  ListGenerator,
  MatrixGenerator,
  MergeGenerator,
} from './generators';
import { checkPullRequest, pullRequestManifest } from './pull-request';
import { checkScmProvider, scmProviderManifest } from './scm-provider';

/**
 * A generator as it is in the manifest.
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

/** How many combining generators may be around a leaf. */
const deepest = 2;

/** What generators are checked with. */
interface CheckedSet {
  readonly goTemplate?: boolean;
  readonly template: ApplicationTemplate;
}

const parameterName = textRule(/^[A-Za-z_]\w*$/, 'letters, digits and "_", no digit at the start');

/**
 * Checks a generator and those in it. Paths follow the calls that made them:
 * `generators[0].matrix[1].merge.generators[0].git.repoURL`.
 *
 * @param set that the generator is of
 * @param around number of combining generators that it is in
 */
export function checkGenerator(
  checks: FieldChecks,
  path: string,
  generator: Generator,
  set: CheckedSet,
  around = 0,
): void {
  if (generator.postSelector) {
    checkLabelSelector(checks, `${path}.postSelector`, generator.postSelector, nonEmptyText, anyText);
  }
  const { goTemplate = true } = set;
  if (generator.template !== undefined) {
    const at = `${path}.${generator.kind}.template`;
    checkGeneratorTemplate(checks.problems, at, generator.template, set.template, around > 0);
  }
  switch (generator.kind) {
    case 'list':
      checkList(checks, `${path}.list`, generator, goTemplate);
      break;
    case 'clusters':
      checkClusters(checks, `${path}.clusters`, generator);
      break;
    case 'git':
      checkGit(checks, `${path}.git`, generator);
      break;
    case 'scmProvider':
      checkScmProvider(checks, `${path}.scmProvider`, generator);
      break;
    case 'pullRequest':
      checkPullRequest(checks, `${path}.pullRequest`, generator);
      break;
    case 'plugin':
      checkPlugin(checks, `${path}.plugin`, generator);
      break;
    case 'clusterDecisionResource':
      checkClusterDecisionResource(checks, `${path}.clusterDecisionResource`, generator);
      break;
    case 'matrix':
    case 'merge':
      if (around >= deepest) {
        checks.problems.add(
          path,
          generator.kind,
          'a generator that combines none, such as "list", "clusters" or "git": matrix and merge nest at most two deep',
        );
      } else if (generator.kind === 'matrix') {
        checkMatrix(checks, `${path}.matrix`, generator, set, around + 1);
      } else {
        checkMerge(checks, `${path}.merge`, generator, set, around + 1);
      }
      break;
    default:
      checks.problems.add(path, generator, 'a generator made by `generators`');
  }
}

function checkList(checks: FieldChecks, path: string, list: ListGenerator, goTemplate: boolean): void {
  checks.exactlyOne(path, list, ['elements', 'elementsYaml']);
  checks.optional(`${path}.elementsYaml`, list.elementsYaml, nonEmptyText);
  checks.withoutNull(`${path}.elements`, list.elements);
  if (!goTemplate) {
    list.elements?.forEach((element, position) => {
      for (const [key, value] of Object.entries(element ?? {})) {
        if (key !== 'values' && value !== null) {
          checks.required(`${path}.elements[${position}].${key}`, value, {
            ...anyText,
            allowed: 'a text, since "goTemplate" is off',
          });
        }
      }
    });
  }
}

function checkClusters(checks: FieldChecks, path: string, clusters: ClustersGenerator): void {
  if (clusters.selector) {
    checkLabelSelector(checks, `${path}.selector`, clusters.selector);
    const secretType = clusters.selector.matchLabels?.[secretTypeLabel];
    if (secretType !== undefined && secretType !== 'cluster') {
      checks.problems.add(`${path}.selector.matchLabels.${secretTypeLabel}`, secretType, '"cluster"');
    }
  }
  checkValues(checks, `${path}.values`, clusters.values);
}

function checkGit(checks: FieldChecks, path: string, git: GitGenerator): void {
  checkRepositoryUrl(checks, `${path}.repoURL`, git.repoURL);
  checks.optional(`${path}.revision`, git.revision, nonEmptyText);
  checks.exactlyOne(path, git, ['directories', 'files']);
  for (const list of ['directories', 'files'] as const) {
    const paths = git[list];
    paths?.forEach((each, position) => {
      checks.required(`${path}.${list}[${position}].path`, each.path, nonEmptyText);
    });
    if (paths?.every(({ exclude }) => exclude === true)) {
      checks.problems.add(`${path}.${list}`, paths, 'a list with a path that is not excluded');
    }
  }
  checks.optional(
    `${path}.requeueAfterSeconds`,
    git.requeueAfterSeconds,
    wholeNumber(1, Number.MAX_SAFE_INTEGER),
  );
  checks.optional(`${path}.pathParamPrefix`, git.pathParamPrefix, parameterName);
  checkValues(checks, `${path}.values`, git.values);
}

function checkMatrix(
  checks: FieldChecks,
  path: string,
  matrix: MatrixGenerator<Generator>,
  set: CheckedSet,
  around: number,
): void {
  // Programs without types, and lists that were computed, may hold any number.
  const children: readonly Generator[] = matrix.generators;
  children.forEach((child, position) => checkGenerator(checks, `${path}[${position}]`, child, set, around));
  if (children.length !== 2) {
    checks.problems.add(path, `${children.length} generators`, 'exactly two generators');
    return;
  }
  const [first, second] = children.map(pathPrefixes);
  for (const prefix of first!) {
    if (second!.has(prefix)) {
      checks.problems.add(
        path,
        prefix,
        'given with another "pathParamPrefix" for each of its git generators: they overwrite each other\'s "path"',
      );
    }
  }
}

/** The prefixes under which git generators give their path; empty where there is none. */
function pathPrefixes(generator: Generator): Set<string> {
  switch (generator.kind) {
    case 'git':
      return new Set([generator.pathParamPrefix ?? '']);
    case 'matrix':
    case 'merge':
      return new Set(
        (generator.generators as readonly Generator[]).flatMap((each) => [...pathPrefixes(each)]),
      );
    case 'list':
    case 'clusters':
    case 'scmProvider':
    case 'pullRequest':
    case 'plugin':
    case 'clusterDecisionResource':
      return new Set();
  }
}

function checkMerge(
  checks: FieldChecks,
  path: string,
  merge: MergeGenerator<Generator>,
  set: CheckedSet,
  around: number,
): void {
  merge.generators.forEach((child, position) =>
    checkGenerator(checks, `${path}.generators[${position}]`, child, set, around),
  );
  if (merge.generators.length < 2) {
    checks.problems.add(
      `${path}.generators`,
      `${merge.generators.length} generators`,
      'at least two generators',
    );
  }
  if (merge.mergeKeys.length === 0) {
    checks.problems.add(`${path}.mergeKeys`, merge.mergeKeys, 'at least one parameter');
  }
  checks.distinct(`${path}.mergeKeys`, merge.mergeKeys, 'a parameter');
  merge.mergeKeys.forEach((key, position) => {
    checks.required(`${path}.mergeKeys[${position}]`, key, nonEmptyText);
    if (set.goTemplate !== false && key.includes('.')) {
      // https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Merge/#restrictions
      checks.problems.add(
        `${path}.mergeKeys[${position}]`,
        key,
        'a parameter at the top: Argo CD merges by no nested one with "goTemplate" on',
      );
    }
  });
}

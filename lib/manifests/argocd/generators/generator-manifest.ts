import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { isPlainObject } from '../../../core/validation/problems';
import type { PlainObject, Problems } from '../../../core/validation/problems';
import { problemsOf } from '../../../core/validation/schema';
import type { ApplicationTemplate } from '../application-template';
import { secretTypeLabel } from '../../../core/names';
import { clusterDecisionResourceManifest, pluginManifest } from './external';
import { checkGeneratorTemplate, generatorTemplateManifest } from './generator-template';
import { areGenerators, isGenerator, optionsByKind } from './generators';
import type {
  ClustersGenerator,
  Generator,
  ListGenerator,
  MatrixGenerator,
  MergeGenerator,
} from './generators';
import { pullRequestManifest } from './pull-request';
import { scmProviderManifest } from './scm-provider';

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
  readonly goTemplate?: unknown;
  readonly template?: unknown;
}

/**
 * Checks a generator and those in it. Paths follow the calls that made them:
 * `generators[0].matrix[1].merge.generators[0].git.repoURL`.
 *
 * @param set that the generator is of
 * @param around number of combining generators that it is in
 */
export function checkGenerator(
  problems: Problems,
  path: string,
  generator: unknown,
  set: CheckedSet,
  around = 0,
): void {
  if (!isGenerator(generator)) {
    problems.addSecret(path, 'a generator made by `generators`');
    return;
  }
  const { kind, ...options } = generator;
  const at = `${path}.${kind}`;
  for (const { steps, ...problem } of problemsOf(optionsByKind[kind], options)) {
    // A template is evaluated as what comes of it, laid over the set's.
    if (steps[0] !== 'template' || !isPlainObject(generator.template)) {
      const above = steps[0] === 'postSelector' ? path : at;
      problems.addAll([{ ...problem, path: problem.path === '' ? above : `${above}.${problem.path}` }]);
    }
  }
  if (isPlainObject(generator.template)) {
    checkGeneratorTemplate(problems, `${at}.template`, generator.template, set.template, around > 0);
  }
  switch (generator.kind) {
    case 'list':
      if (set.goTemplate === false) {
        checkTexts(problems, at, generator);
      }
      break;
    case 'matrix':
    case 'merge':
      checkCombined(problems, path, generator, set, around);
      break;
    case 'clusters':
    case 'git':
    case 'scmProvider':
    case 'pullRequest':
    case 'plugin':
    case 'clusterDecisionResource':
  }
}

/** Without Go templates, parameters are texts. */
function checkTexts(problems: Problems, path: string, { elements }: ListGenerator): void {
  for (const [position, element] of (Array.isArray(elements) ? elements : []).entries()) {
    for (const [key, value] of Object.entries((element ?? {}) as PlainObject)) {
      if (key !== 'values' && value !== null && typeof value !== 'string') {
        problems.add(`${path}.elements[${position}].${key}`, value, 'a text, since "goTemplate" is off');
      }
    }
  }
}

function checkCombined(
  problems: Problems,
  path: string,
  generator: MatrixGenerator<Generator> | MergeGenerator<Generator>,
  set: CheckedSet,
  around: number,
): void {
  if (around >= deepest) {
    problems.add(
      path,
      generator.kind,
      'a generator that combines none, such as "list", "clusters" or "git": matrix and merge nest at most two deep',
    );
    return;
  }
  const at = generator.kind === 'matrix' ? `${path}.matrix` : `${path}.merge.generators`;
  const within: unknown = generator.generators;
  if (!Array.isArray(within)) {
    return;
  }
  within.forEach((child, position) => checkGenerator(problems, `${at}[${position}]`, child, set, around + 1));
  if (generator.kind === 'merge') {
    if (within.length < 2) {
      problems.add(at, `${within.length} generators`, 'at least two generators');
    }
    checkMergeKeys(problems, `${path}.merge.mergeKeys`, generator, set);
  } else if (within.length !== 2) {
    problems.add(at, `${within.length} generators`, 'exactly two generators');
  } else if (areGenerators(within)) {
    checkPrefixes(problems, at, within);
  }
}

function checkPrefixes(problems: Problems, path: string, pair: readonly Generator[]): void {
  const [first, second] = pair.map(pathPrefixes);
  for (const prefix of first!) {
    if (second!.has(prefix)) {
      problems.add(
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

function checkMergeKeys(
  problems: Problems,
  path: string,
  { mergeKeys }: MergeGenerator<Generator>,
  { goTemplate }: CheckedSet,
): void {
  for (const [position, key] of (Array.isArray(mergeKeys) ? mergeKeys : []).entries()) {
    if (goTemplate !== false && typeof key === 'string' && key.includes('.')) {
      // https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Merge/#restrictions
      problems.add(
        `${path}[${position}]`,
        key,
        'a parameter at the top: Argo CD merges by no nested one with "goTemplate" on',
      );
    }
  }
}

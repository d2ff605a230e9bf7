import { ApiObject, JsonPatch } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { InvalidInput } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { pathText, problemsOf } from '../../core/validation/schema';
import type { Entries } from '../../core/validation/schema';
import { following, text } from '../../core/validation/values';
import { splitByCluster } from '../clusters';
import type { ClusterFiles, ClusterObjects } from '../clusters';
import type { LintConfig } from '../config';
import { lintEvaluated } from '../engine';
import { fixFiles, fixValues, placedIn } from '../fix/fix-files';
import type { FixResult } from '../fix/fix-files';
import type { UnfixedFinding } from '../fix/left-as';
import { manifestObject, toJsonPointer } from '../object';
import type { ManifestObject } from '../object';
import { indexObjects } from '../object-index';
import type { ObjectIndex } from '../object-index';
import { commonEntries, objectList } from '../options';
import type { LintOptions, LintResult, RuleFailure } from '../options';
import { readManifests } from '../read/manifests';
import type { UnreadableDocument } from '../read/manifests';
import type { JsonPatchOperation, Finding, Rule } from '../rule';
import { allRules } from '../rules';
import { issuedCertificates } from '../views/cert-manager';
import { broughtErrors } from './brought-errors';
import { decisionSchema, declaredDecisions, secondDecisions } from './decisions';
import type { HardeningDecision, NamedDecision } from './decisions';
import { decided, issuerProblems, unmatchedDecisions } from './decided';
import { stableCertificates } from './stable-certificates';

/** How manifests are hardened. */
export interface HardenOptions {
  /** What no manifest can say; it comes before what Services declare. @default - what Services declare alone */
  readonly decisions?: readonly HardeningDecision[];
  /**
   * Objects that are in the cluster and not among the manifests: the issuer and the Certificate of an authority, for
   * example. They are read, and not changed.
   *
   * @default - none
   */
  readonly beside?: readonly ManifestObject[];
  /**
   * Which files describe clusters of their own. What is hardened is read with those of its cluster, or, where it is of
   * none, with those of each.
   *
   * @default - all objects are of one cluster; see {@link clustersByTwins}
   */
  readonly clusters?: readonly ClusterFiles[];
  /** Rules whose safe fixes are made. @default - every rule of the library ({@link allRules}) */
  readonly rules?: readonly Rule[];
  /** What is suppressed is not fixed either. @default - annotations of the objects alone */
  readonly config?: LintConfig;
  /** In milliseconds since 1970, for the dates of certificates. @default - now */
  readonly now?: number;
}

const hardenEntries: Entries<HardenOptions> = {
  ...commonEntries,
  // What is wrong in one is reported together with what is wrong in the manifests.
  decisions: optional(following({ allowed: 'a list of decisions', accepts: Array.isArray })),
  beside: optional(objectList),
};

const hardenOptions = object(hardenEntries);

/** How the objects are checked and fixed, and what is wrong with the decisions about them. */
export interface HardenEvaluation {
  /** By all decisions. */
  readonly options: LintOptions;
  readonly decisions: readonly NamedDecision[];
  /** What is read and not changed: the objects beside, except those that are replaced by what is hardened. */
  readonly beside: readonly ManifestObject[];
  readonly problems: readonly Problem[];
  /** What is wrong with issuers that were decided. It is said together with what comes of the decisions. */
  readonly issuerProblems: readonly Problem[];
  /** Decisions that are about nothing that is checked. */
  readonly unmatched: readonly HardeningDecision[];
  /** By some decisions alone. */
  readonly optionsFor: (decisions: readonly HardeningDecision[]) => LintOptions;
}

/** @param objects those to be hardened */
function evaluationOf(objects: readonly ManifestObject[], options: HardenOptions): HardenEvaluation {
  const { decisions = [], clusters = [], rules = allRules, config, now } = options;
  const beside = notReplaced(options.beside ?? [], objects);
  const declared = declaredDecisions(objects);
  const given = [
    ...decisions.flatMap((each, position) =>
      problemsOf(decisionSchema, each).map(({ steps, ...problem }) => ({
        ...problem,
        path: pathText(['decisions', position, ...steps]),
      })),
    ),
    ...secondDecisions(decisions).map(({ position, first, key, value }) => ({
      ...{ path: `decisions[${position}].${key}`, value },
      allowed: `decided once: decisions[${first}] is about the same`,
    })),
  ];
  const named = [
    ...decisions.map((decision, position) => ({ path: `decisions[${position}]`, decision })),
    ...declared.decisions,
  ];
  const all = named.map(({ decision }) => decision);
  const problems = [...given, ...declared.problems];
  const optionsFor = (some: readonly HardeningDecision[]): LintOptions => ({
    rules: [...rules, decided(some), stableCertificates],
    clusters,
    ...(config ? { config } : {}),
    ...(now === undefined ? {} : { now }),
  });
  const together = togetherWith(objects, splitByCluster([...objects, ...beside], clusters)).map(indexObjects);
  const isWrong = problems.length > 0;
  return {
    options: optionsFor(all),
    decisions: named,
    beside,
    problems: isWrong ? problems : leafProblems(together, all),
    issuerProblems: isWrong ? [] : issuerProblems(objects, together, all),
    unmatched: isWrong ? [] : unmatchedDecisions(indexObjects([...objects, ...beside]), all),
    optionsFor,
  };
}

/**
 * What is wrong with what came out by decisions.
 *
 * @param objects all that was checked, as it was
 * @param after what is found in them once they are hardened
 * @param harden hardens them anew
 */
function outcomeProblems(
  { decisions, options, optionsFor, issuerProblems: ofIssuers }: HardenEvaluation,
  objects: readonly ManifestObject[],
  after: LintResult,
  harden: (options: LintOptions) => LintResult,
): readonly Problem[] {
  return decisions.length === 0
    ? []
    : [
        ...ofIssuers,
        ...broughtErrors({
          before: lintEvaluated(objects, options),
          after,
          decisions,
          hardenBy: (some) => harden(optionsFor(some)),
        }),
      ];
}

/** A dump of the cluster has the objects as they were: with those of the new state, replicas would add up. */
function notReplaced(
  beside: readonly ManifestObject[],
  objects: readonly ManifestObject[],
): readonly ManifestObject[] {
  const keyOf = ({ apiVersion, kind, namespace = '', name }: ManifestObject): string =>
    JSON.stringify([apiVersion, kind, namespace, name]);
  const keys = new Set(objects.filter(({ name }) => name !== '').map(keyOf));
  return beside.filter((object) => !keys.has(keyOf(object)));
}

/** What is checked together with any of the objects, cluster by cluster. */
function togetherWith(
  objects: readonly ManifestObject[],
  clusters: readonly ClusterObjects[],
): readonly (readonly ManifestObject[])[] {
  const isOne = new Set(objects);
  return clusters
    .map(({ own, shared }) => [...own, ...shared])
    .filter((all) => all.some((object) => isOne.has(object)));
}

/** A server's own certificate brings CA and certificate in one write: nobody can have decided to inject from it. */
function leafProblems(clusters: readonly ObjectIndex[], decisions: readonly HardeningDecision[]): Problem[] {
  const certificates = clusters.map((objects) => objects.view(issuedCertificates));
  return decisions.flatMap(({ service, injectCaFrom }) => {
    const [namespace, name = ''] = injectCaFrom?.split('/') ?? [];
    const isLeaf =
      injectCaFrom !== undefined && certificates.some((each) => each.named(namespace, name)?.isCa === false);
    return isLeaf
      ? [
          {
            path: `injectCaFrom of ${service ?? ''}`,
            value: injectCaFrom,
            allowed: `the Certificate of an authority: ${toJsonPointer('spec', 'isCA')} of this one is not true`,
          },
        ]
      : [];
  });
}

/** What hardening came to. */
export interface Hardening {
  /** What was changed, as it was found. */
  readonly changed: readonly Finding[];
  /** What is still found, and why it was not changed. */
  readonly left: readonly UnfixedFinding[];
  /** Rules that threw: what they would have changed is as it was. */
  readonly failures: readonly RuleFailure[];
  /** Decisions that are about nothing that is checked: no webhook has the name, or nothing calls the Service. */
  readonly unmatched: readonly HardeningDecision[];
}

/** Hardened manifests. Lines of findings are those of the text that was given. */
export interface HardenedText extends Hardening {
  /** All of them; documents without a change are the same byte for byte. */
  readonly text: string;
  /** How many Kubernetes objects there are. */
  readonly objects: number;
  /** What was checked together, those beside too; none where all are of one cluster. */
  readonly clusters: LintResult['clusters'];
}

/** How a text is hardened. */
export interface HardenTextOptions extends HardenOptions {
  /** How messages name the text. @default 'stdin' */
  readonly file?: string;
}

const hardenTextOptions = object<HardenTextOptions>({ ...hardenEntries, file: optional(text('a name')) });

/**
 * Manifests in, safer manifests out: the CA of webhooks is injected from the authority in place of the server's own
 * certificate, authorities keep their key and outlive what they sign, every other safe fix of a rule is made, and what was
 * decided about webhooks is written; decisions that would bring an error are refused. Hardened once more, the text stays the same.
 *
 * @param text a stream of YAML documents, or JSON
 * @throws InvalidInput with everything that is not YAML, by line and column, and with what is wrong with decisions
 *   or comes of them
 *
 * @example
 * const { text, changed } = harden(rendered, {
 *   decisions: [{ service: 'platform/gate', injectCaFrom: 'platform/gate-ca-g1', timeoutSeconds: 5 }],
 * });
 */
export function harden(text: string, options: HardenTextOptions = {}): HardenedText {
  refuseArguments('harden', hardenTextOptions, options);
  const { file = 'stdin' } = options;
  const { objects, unreadable } = readManifests(text, { file, read: () => text });
  const evaluation = evaluationOf(objects, options);
  const problems = [...unreadable.map(notYaml), ...evaluation.problems];
  throwIfAny(problems);
  const all = [...objects, ...evaluation.beside.map((object) => besideOf(object, file))];
  const isText = (changed: string): boolean => changed === file;
  const patch = (each: LintOptions): FixResult => fixFiles(all, () => text, each, isText);
  const fixing = patch(evaluation.options);
  const outcome = outcomeProblems(evaluation, all, fixing.after, (each) => patch(each).after);
  throwIfAny(outcome);
  const placed = placedIn(objects);
  return {
    text: fixing.texts.get(file) ?? text,
    objects: objects.length,
    clusters: fixing.after.clusters,
    changed: fixing.fixed.map(placed),
    left: fixing.leftAlone
      .filter(({ finding }) => finding.file === file)
      .map((each) => ({ ...each, finding: placed(each.finding) })),
    failures: fixing.after.failures,
    unmatched: evaluation.unmatched,
  };
}

/** As it is read: its file says which cluster it is of, and is not read again for lines that are not shown. */
function besideOf({ source, ...object }: ManifestObject, text: string): ManifestObject {
  if (source === undefined || source.file === text) {
    return object;
  }
  const { file, line, document, pointer } = source;
  return { ...object, source: { file, line, document, pointer, lineOf: () => line } };
}

function throwIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) {
    throw new InvalidInput('manifests', problems);
  }
}

function notYaml({ file, line, column, reason }: UnreadableDocument): Problem {
  const path = [file, line, column].filter((part) => part !== undefined).join(':');
  return { path, allowed: `YAML that can be read: ${reason}` };
}

/**
 * Hardens every object below a construct, those of included manifests and charts too, as {@link harden} does a text. The
 * changes are JSON patches of the objects, so call it last: an object that is made later is not seen.
 *
 * @throws InvalidInput with what is wrong with decisions, or comes of them
 *
 * @example
 * const app = new App();
 * const chart = new Chart(app, 'gate');
 * new Include(chart, 'rendered', { url: 'gate.yaml' });
 * hardenConstructs(app);
 * app.synth();
 */
export function hardenConstructs(scope: IConstruct, options: HardenOptions = {}): Hardening {
  refuseArguments('hardenConstructs', hardenOptions, options);
  const found = scope.node
    .findAll()
    .filter((construct) => ApiObject.isApiObject(construct))
    .flatMap((construct) => {
      const object = manifestObject(construct.toJson() as unknown);
      return object ? [{ construct, object }] : [];
    });
  const objects = found.map(({ object }) => object);
  const evaluation = evaluationOf(objects, options);
  if (evaluation.problems.length > 0) {
    throw new InvalidInput('manifests', evaluation.problems);
  }
  const { beside } = evaluation;
  const fixing = fixValues(objects, beside, evaluation.options);
  const outcome = outcomeProblems(
    evaluation,
    [...objects, ...beside],
    fixing.after,
    (each) => fixValues(objects, beside, each).after,
  );
  if (outcome.length > 0) {
    throw new InvalidInput('manifests', outcome);
  }
  for (const { construct, object } of found) {
    construct.addJsonPatch(...(fixing.changes.get(object) ?? []).map(patchOf));
  }
  return {
    changed: fixing.fixed,
    left: fixing.leftAlone,
    failures: fixing.after.failures,
    unmatched: evaluation.unmatched,
  };
}

function patchOf(change: JsonPatchOperation): JsonPatch {
  switch (change.op) {
    case 'add':
      return JsonPatch.add(change.path, change.value);
    case 'replace':
      return JsonPatch.replace(change.path, change.value);
    case 'remove':
      return JsonPatch.remove(change.path);
  }
}

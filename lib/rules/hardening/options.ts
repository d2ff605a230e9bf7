import type { Problem, OptionsOf } from '../../problems';
import { listOf } from '../../problems';
import type { LintConfig } from '../config/lint-config';
import type { ClusterFiles, ClusterObjects } from '../engine/clusters';
import { clusterFilesKeys, splitByCluster } from '../engine/clusters';
import { lint } from '../engine/lint';
import type { LintOptions } from '../engine/options';
import type { LintResult } from '../engine/result';
import type { JudgedObject } from '../judged-object';
import { issuedCertificates } from '../objects/cert-manager';
import { indexObjects } from '../index-objects';
import { pointerTo } from '../json-pointer';
import type { ObjectIndex } from '../object-index';
import type { Rule } from '../rule';
import { allRules } from '../rules';
import { broughtErrors } from './brought-errors';
import type { NamedDecision } from './brought-errors';
import { decided, unmatchedDecisions } from './decided';
import { issuerProblems } from './decided-issuer';
import { declaredDecisions } from './declared-decisions';
import type { HardeningDecision } from './decision';
import { checkDecision, secondDecisions } from './check-decision';
import { stableCertificates } from './stable-certificates';

/** How manifests are hardened. */
export interface HardenOptions {
  /** What no manifest can say; it comes before what Services declare. @default - what Services declare alone */
  readonly decisions?: readonly HardeningDecision[];
  /**
   * Objects that are in the cluster and not among the manifests: the issuer and the Certificate of an authority, for
   * example. They are looked at, and not changed.
   *
   * @default - none
   */
  readonly beside?: readonly JudgedObject[];
  /**
   * Which files describe clusters of their own. What is hardened is looked at with those of its cluster, or, where it is of
   * none, with those of each.
   *
   * @default - all objects are of one cluster; see {@link clustersByTwins}
   */
  readonly clusters?: readonly ClusterFiles[];
  /** Rules whose safe mends are made. @default - every rule of the library ({@link allRules}) */
  readonly rules?: readonly Rule[];
  /** What is suppressed is not mended either. @default - annotations of the objects alone */
  readonly config?: LintConfig;
  /** In milliseconds since 1970, for the dates of certificates. @default - now */
  readonly now?: number;
}

export const hardenOptionsKeys: OptionsOf<HardenOptions> = {
  decisions: 'list',
  beside: listOf('open'),
  clusters: listOf(clusterFilesKeys),
  rules: listOf('open'),
  config: 'open',
  now: 'plain',
};

/** How the objects are judged and mended, and what is wrong with the decisions about them. */
export interface Judgement {
  /** By all decisions. */
  readonly options: LintOptions;
  readonly decisions: readonly NamedDecision[];
  /** What is looked at and not changed: the objects beside, but for those that are replaced by what is hardened. */
  readonly beside: readonly JudgedObject[];
  readonly problems: readonly Problem[];
  /** What is wrong with issuers that were decided. It is said together with what comes of the decisions. */
  readonly issuerProblems: readonly Problem[];
  /** Decisions that are about nothing that is judged. */
  readonly unmatched: readonly HardeningDecision[];
  /** By some decisions alone. */
  readonly optionsFor: (decisions: readonly HardeningDecision[]) => LintOptions;
}

/** @param objects those to be hardened */
export function judgementOf(objects: readonly JudgedObject[], options: HardenOptions): Judgement {
  const { decisions = [], clusters = [], rules = allRules, config, now } = options;
  const beside = notReplaced(options.beside ?? [], objects);
  const declared = declaredDecisions(objects);
  const given = [
    ...decisions.flatMap((each, position) =>
      checkDecision(each).all.map((problem) => ({
        ...problem,
        path: `decisions[${position}].${problem.path}`,
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
 * @param objects all that was judged, as it was
 * @param after what is found in them once they are hardened
 * @param harden hardens them anew
 */
export function outcomeProblems(
  { decisions, options, optionsFor, issuerProblems: ofIssuers }: Judgement,
  objects: readonly JudgedObject[],
  after: LintResult,
  harden: (options: LintOptions) => LintResult,
): readonly Problem[] {
  return decisions.length === 0
    ? []
    : [
        ...ofIssuers,
        ...broughtErrors({
          before: lint(objects, options),
          after,
          decisions,
          hardenBy: (some) => harden(optionsFor(some)),
        }),
      ];
}

/** A dump of the cluster has the objects as they were: with those of the new state, replicas would add up. */
function notReplaced(
  beside: readonly JudgedObject[],
  objects: readonly JudgedObject[],
): readonly JudgedObject[] {
  const keyOf = ({ apiVersion, kind, namespace = '', name }: JudgedObject): string =>
    JSON.stringify([apiVersion, kind, namespace, name]);
  const keys = new Set(objects.filter(({ name }) => name !== '').map(keyOf));
  return beside.filter((object) => !keys.has(keyOf(object)));
}

/** What is judged together with any of the objects, cluster by cluster. */
function togetherWith(
  objects: readonly JudgedObject[],
  clusters: readonly ClusterObjects[],
): readonly (readonly JudgedObject[])[] {
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
            allowed: `the Certificate of an authority: ${pointerTo('spec', 'isCA')} of this one is not true`,
          },
        ]
      : [];
  });
}

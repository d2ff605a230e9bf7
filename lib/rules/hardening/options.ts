import type { Problem, OptionsOf } from '../../problems';
import { listOf } from '../../problems';
import type { LintConfig } from '../config/lint-config';
import { lint } from '../engine/lint';
import type { LintOptions } from '../engine/options';
import type { LintResult } from '../engine/result';
import type { JudgedObject } from '../judged-object';
import { issuedCertificates } from '../objects/cert-manager';
import { indexObjects } from '../index-objects';
import { pointerTo } from '../json-pointer';
import type { Rule } from '../rule';
import { allRules } from '../rules';
import { broughtErrors } from './brought-errors';
import type { NamedDecision } from './brought-errors';
import { decided } from './decided';
import { declaredDecisions } from './declared-decisions';
import type { HardeningDecision } from './decision';
import { checkDecision } from './check-decision';
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
  rules: listOf('open'),
  config: 'open',
  now: 'plain',
};

/** How the objects are judged and mended, and what is wrong with the decisions about them. */
export interface Judgement {
  /** By all decisions. */
  readonly options: LintOptions;
  readonly decisions: readonly NamedDecision[];
  readonly problems: readonly Problem[];
  /** By some decisions alone. */
  readonly optionsFor: (decisions: readonly HardeningDecision[]) => LintOptions;
}

/** @param objects those to be hardened */
export function judgementOf(objects: readonly JudgedObject[], options: HardenOptions): Judgement {
  const { decisions = [], beside = [], rules = allRules, config, now } = options;
  const declared = declaredDecisions(objects);
  const given = decisions.flatMap((each, position) =>
    checkDecision(each).all.map((problem) => ({
      ...problem,
      path: `decisions[${position}].${problem.path}`,
    })),
  );
  const named = [
    ...decisions.map((decision, position) => ({ path: `decisions[${position}]`, decision })),
    ...declared.decisions,
  ];
  const all = named.map(({ decision }) => decision);
  const problems = [...given, ...declared.problems];
  const optionsFor = (some: readonly HardeningDecision[]): LintOptions => ({
    rules: [...rules, decided(some), stableCertificates],
    ...(config ? { config } : {}),
    ...(now === undefined ? {} : { now }),
  });
  return {
    options: optionsFor(all),
    decisions: named,
    problems: problems.length > 0 ? problems : leafProblems([...objects, ...beside], all),
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
  { decisions, options, optionsFor }: Judgement,
  objects: readonly JudgedObject[],
  after: LintResult,
  harden: (options: LintOptions) => LintResult,
): readonly Problem[] {
  return decisions.length === 0
    ? []
    : broughtErrors({
        before: lint(objects, options),
        after,
        decisions,
        hardenBy: (some) => harden(optionsFor(some)),
      });
}

/** A server's own certificate brings CA and certificate in one write: nobody can have decided to inject from it. */
function leafProblems(objects: readonly JudgedObject[], decisions: readonly HardeningDecision[]): Problem[] {
  const certificates = indexObjects(objects).view(issuedCertificates);
  return decisions.flatMap(({ service, injectCaFrom }) => {
    const [namespace, name = ''] = injectCaFrom?.split('/') ?? [];
    const certificate = injectCaFrom === undefined ? undefined : certificates.named(namespace, name);
    return certificate?.isCa === false
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

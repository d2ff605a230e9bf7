import type { Problem, OptionsOf } from '../../problems';
import type { LintConfig } from '../config/lint-config';
import type { LintOptions } from '../engine/options';
import type { JudgedObject } from '../judged-object';
import { issuedCertificates } from '../objects/cert-manager';
import { indexObjects } from '../index-objects';
import { pointerTo } from '../json-pointer';
import type { Rule } from '../rule';
import { allRules } from '../rules';
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
  decisions: 'plain',
  beside: 'open',
  rules: 'open',
  config: 'open',
  now: 'plain',
};

/** How the objects are judged and mended, and what is wrong with the decisions about them. */
export interface Judgement {
  readonly options: LintOptions;
  readonly problems: readonly Problem[];
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
  const all = [...decisions, ...declared.decisions];
  const problems = [...given, ...declared.problems];
  return {
    options: {
      rules: [...rules, decided(all), stableCertificates],
      ...(config ? { config } : {}),
      ...(now === undefined ? {} : { now }),
    },
    problems: problems.length > 0 ? problems : leafProblems([...objects, ...beside], all),
  };
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

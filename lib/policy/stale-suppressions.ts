import type { Finding } from '../rules';
import { suppressionRules } from '../rules';
import type { Judgement } from './judge';
import { urnOf } from './words';

const ids = new Set(suppressionRules.map(({ id }) => id));

/**
 * What is wrong with suppressions. A configuration file is for all clusters of a stack: what it suppresses in one of them
 * is not in vain, and what is wrong in it is said once.
 */
export function staleSuppressions(judgements: readonly Judgement[]): readonly Finding[] {
  const byCluster = judgements.map(({ findings }) => findings.filter(({ rule }) => ids.has(rule)));
  const ofObjects = byCluster.flat().filter((finding) => urnOf(finding) !== undefined);
  const [first = [], ...others] = byCluster;
  const ofConfig = first.filter(
    (finding) =>
      urnOf(finding) === undefined &&
      others.every((findings) => findings.some((other) => sameInFile(finding, other))),
  );
  return [...ofObjects, ...ofConfig];
}

function sameInFile(one: Finding, other: Finding): boolean {
  return one.file === other.file && one.line === other.line && one.message === other.message;
}

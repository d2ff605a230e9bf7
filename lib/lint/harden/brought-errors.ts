import type { Problem } from '../../core/validation/problems';
import type { LintResult } from '../options';
import type { Finding } from '../rule';
import type { HardeningDecision, NamedDecision } from './decisions';

/** What is to be compared. */
export interface ErrorComparison {
  /** What was found in the manifests as they were. */
  readonly before: LintResult;
  /** What is found once they are hardened by all decisions. */
  readonly after: LintResult;
  /** All decisions. */
  readonly decisions: readonly NamedDecision[];
  /** Hardens by some of the decisions alone. */
  readonly hardenBy: (decisions: readonly HardeningDecision[]) => LintResult;
}

/** Decisions that bring errors which were not there before, each with what it brings. */
export function broughtErrors({ before, after, decisions, hardenBy }: ErrorComparison): Problem[] {
  const all = decisions.map(({ decision }) => decision);
  const unlike = (result: LintResult, found: readonly Finding[]): Finding[] => {
    const known = countsOf(result);
    return found.filter((finding) => {
      const left = known.get(keyOf(finding)) ?? 0;
      known.set(keyOf(finding), left - 1);
      return left <= 0;
    });
  };
  let found = unlike(before, errorsOf(after));
  if (found.length > 0) {
    found = unlike(hardenBy([]), found);
  }
  if (found.length === 0) {
    return [];
  }
  const blamed = decisions.map(({ path, decision }) => {
    const without = hardenBy(all.filter((each) => each !== decision));
    return { path, decision, brings: unlike(without, found) };
  });
  const isShared = blamed.every(({ brings }) => brings.length === 0);
  return blamed.flatMap(({ path, decision, brings }) =>
    (isShared ? found : brings).map((finding) => ({
      path,
      value: decision,
      allowed: `a decision that brings no error: ${describe(finding)}; decide otherwise, or suppress the rule with a reason`,
    })),
  );
}

function errorsOf({ findings }: LintResult): readonly Finding[] {
  return findings.filter(({ severity }) => severity === 'error');
}

/** An error may change its words, and is the same one at its place. */
function keyOf({ rule, file, object: { apiVersion, kind, namespace, name }, pointer }: Finding): string {
  return JSON.stringify([rule, file, apiVersion, kind, namespace, name, pointer]);
}

function countsOf(result: LintResult): Map<string, number> {
  const counts = new Map<string, number>();
  for (const finding of errorsOf(result)) {
    counts.set(keyOf(finding), (counts.get(keyOf(finding)) ?? 0) + 1);
  }
  return counts;
}

function describe({ rule, object: { kind, namespace, name }, pointer, message }: Finding): string {
  const named = namespace === undefined ? name : `${namespace}/${name}`;
  return `${rule} at ${pointer} of ${kind} ${named}: ${message}`;
}

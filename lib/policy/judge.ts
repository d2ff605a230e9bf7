import type { Finding, JudgedObject, LintConfig, LintResult, Rule, RuleContext, RuleFailure } from '../rules';
import { indexObjects, linkOf, lint } from '../rules';
import type { UnknownPlace, UnknownReads } from './unknown-reads';

/** What came of judging the objects of one cluster. */
export interface Judgement {
  /** Findings that hold whatever the update will know. */
  readonly findings: readonly Finding[];
  /** Rules that threw. */
  readonly failures: readonly RuleFailure[];
  /** What rules would have to know, by the rule's id: they are not judged. */
  readonly notKnown: ReadonlyMap<string, readonly UnknownPlace[]>;
}

/**
 * Judges the objects of one cluster.
 *
 * A rule that reads a value which only the update knows says nothing of that cluster: what it finds, or does not find, may
 * hang on the value.
 */
export function judge(
  objects: readonly JudgedObject[],
  rules: readonly Rule[],
  reads: UnknownReads,
  config?: LintConfig,
): Judgement {
  const run = (wanted: readonly Rule[]): LintResult =>
    lint(objects, { rules: wanted, ...(config ? { config } : {}) });
  const { value, places } = reads.during(() => run(rules));
  const result = places.length === 0 ? value : run(rules.map((rule) => attentive(rule, reads)));
  const notKnown = new Map(
    result.failures.flatMap(({ rule, error }) =>
      error instanceof NotKnownYet ? [[rule, error.places] as const] : [],
    ),
  );
  return {
    findings: result.findings.filter(({ rule }) => !notKnown.has(rule)),
    failures: result.failures.filter(({ rule }) => !notKnown.has(rule)),
    notKnown,
  };
}

/** Ends a rule that read unknown values: the engine then knows that it judged nothing, suppressions included. */
class NotKnownYet extends Error {
  public constructor(public readonly places: readonly UnknownPlace[]) {
    super('values are not known yet');
  }
}

/** Rules share what they derive from the objects; this one derives all by itself, so that it is seen to read. */
function attentive(rule: Rule, reads: UnknownReads): Rule {
  const { id, severity, title, why, fix } = rule;
  const link = linkOf(rule);
  return {
    ...{ id, severity, title, why, fix },
    ...(link === undefined ? {} : { link }),
    check: (context: RuleContext) => {
      const judged = { ...context, objects: indexObjects(context.objects.all) };
      const { value, places } = reads.during(() => attempt(() => [...rule.check(judged)]));
      if (places.length > 0) {
        throw new NotKnownYet(places);
      }
      if ('error' in value) {
        throw value.error;
      }
      return value.found;
    },
  };
}

function attempt<T>(run: () => T): { readonly found: T } | { readonly error: unknown } {
  try {
    return { found: run() };
  } catch (error) {
    return { error };
  }
}

import type { Problems } from '../../../core/validation/problems';
import type { Entries } from '../../../core/validation/schema';
import type { AnalysisConditions, ReadCheck, Spell } from '../../shift-checks';

/** A source of metrics that a shift's checks query: the part of their kinds before the dot. */
export type MetricSource = ReadCheck['kind'] extends `${infer Source}.${string}` ? Source : never;

/** A check that queries a source. */
export type CheckOf<Source extends MetricSource> = Extract<
  ReadCheck,
  { readonly kind: `${Source}.${string}` }
>;

/** How a metric's texts are written. */
export interface MetricTexts {
  /** Puts arguments of the template in place of a query's variables. */
  readonly spell: Spell;
  /** What is in place of a variable. */
  readonly textOf: (variable: string) => string;
  /** Argument of the template that holds the password or the token; empty where there is none. */
  readonly secretArgument: string;
}

/** A source of metrics as Argo Rollouts queries it: a file that says all of it, and a line in {@link metricProviders}. */
export interface MetricProvider<Source extends MetricSource, Settings extends object = object> {
  /** Its name, for problems. */
  readonly name: string;
  /** Settings of a metric that are for this source alone. */
  readonly settings: Entries<Settings>;
  /** Adds what Argo Rollouts can not do for a check that is right by itself. */
  addProblems(problems: Problems, path: string, check: CheckOf<Source>, settings: Settings): void;
  /** Query and conditions of a check. */
  measured(
    check: CheckOf<Source>,
    settings: Settings,
    texts: MetricTexts,
  ): AnalysisConditions & { readonly provider: object };
}

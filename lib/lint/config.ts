import { falseOr, list, object, optional, optionalOrNull, record } from '../core/validation/collections';
import { isPlainObject } from '../core/validation/problems';
import { readPlacedSettings } from '../core/validation/read-settings';
import { problemsOf } from '../core/validation/schema';
import type { PlacedProblem, Schema } from '../core/validation/schema';
import { anything, oneOf, orNull, text } from '../core/validation/values';
import { decisionSchema } from './harden/decisions';
import type { HardeningDecision } from './harden/decisions';
import { kubernetesVersion } from '../core/readiness';
import { severities } from './rule';
import type { Severity } from './rule';
import { allRules } from './rules';
import { suppressionRules } from './suppression-rules';

/** What a `cluster-canary.yaml` says. */
export interface LintConfig {
  /** As messages name it. */
  readonly file: string;
  /** What is not reported, in the order of the file. */
  readonly suppress: readonly ConfigSuppression[];
  /** The version of Kubernetes that the objects are for: `1.36`. @default - it says none */
  readonly kubernetesVersion?: string;
  /** Other severities than the rules' own, by rule; `off` leaves a rule out. */
  readonly rules: ReadonlyMap<string, Severity | 'off'>;
}

/** A suppression of a configuration file: every part that it names must fit. */
export interface ConfigSuppression {
  /** Id of the rule. */
  readonly rule: string;
  /** The objects that it is for: those that every given field fits. @default - any object */
  readonly object?: {
    /** Kind of the object. @default - any */
    readonly kind?: string;
    /** Namespace of the object. @default - any */
    readonly namespace?: string;
    /** Name of the object. @default - any */
    readonly name?: string;
  };
  /** File of the object, or a folder with `/` at its end, as findings name them. @default - any */
  readonly file?: string;
  /**
   * Why the rule does not matter there: for the next reader.
   * @default - none, so nothing is suppressed, and that is a finding itself
   */
  readonly reason?: string;
  /** Line in the configuration file, from 1. */
  readonly line: number;
}

/** What is in a `cluster-canary.yaml`. */
export interface LintConfigFile {
  /** Findings that do not matter here. Every part that is named must fit. @default - all are reported */
  readonly suppress?: readonly Omit<ConfigSuppression, 'line'>[];
  /**
   * Other severities than the rules' own, by rule. Without quotes, `off` is `false` to some readers of YAML.
   *
   * @default - the rules' own
   */
  readonly rules?: Readonly<Record<string, Severity | 'off' | false>>;
  /**
   * The version of Kubernetes that the objects are for, such as `'1.36'`: what it does not serve is an error.
   *
   * @default - what the command says; without it 1.31, the oldest that EKS supported when this was written
   */
  readonly kubernetesVersion?: string;
  /** What is decided about webhooks, for `cluster-canary harden`. @default - nothing */
  readonly harden?: readonly HardeningDecision[];
}

const ruleId = text('the id of a rule, such as WH03', /^[A-Z]+\d+$/);

const words = text('a text of one character or more', /\S/);

const severity = falseOr(
  oneOf(...severities, 'off'),
  `one of ${[...severities, 'off'].map((word) => `"${word}"`).join(', ')}`,
);

const sections = {
  suppress: optionalOrNull(
    list(
      object<Omit<ConfigSuppression, 'line'>>({
        rule: ruleId,
        object: optional(
          object({ kind: optional(words), namespace: optional(words), name: optional(words) }),
        ),
        file: optional(words),
        // A reason may be missing or empty: that is a finding, and no problem of the file.
        reason: optionalOrNull(text('a text')),
      }),
    ),
  ),
  rules: optionalOrNull(record(severity, ruleId, 'an object of severities by rule')),
  kubernetesVersion: optional(kubernetesVersion),
};

/** A `cluster-canary.yaml`; one that says nothing is null. */
export const lintConfigSchema: Schema<LintConfigFile> = orNull(
  object<LintConfigFile>({
    ...sections,
    harden: optionalOrNull(list(decisionSchema, 0, 'a list of decisions')),
  }),
);

/** Without reading what is decided for `harden`. */
const lintedSchema: Schema<LintConfigFile> = orNull(
  object<LintConfigFile>({ ...sections, harden: optional(anything) }),
);

/** Ids of the library's rules, those about suppressions too. */
const ownIds = [...allRules, ...suppressionRules].map(({ id }) => id);

const ownPrefixes = new Set(ownIds.map(prefixOf));

/** What there is to know of rules of a user's own. */
export interface OtherRules {
  /**
   * Leaves out what is said of rules that are not known here, where no rule of the library has their prefix: `ACME01`, and
   * not `WH033`, which is refused. For those who run the library's rules alone by a configuration that others share.
   *
   * @default false - ids that are not known are refused
   */
  readonly ignoreOthers?: boolean;
}

/**
 * Reads a `cluster-canary.yaml`.
 *
 * @param file how messages name it
 * @param ids of the rules there are. @default - those of the library
 * @throws InvalidInput with everything that is wrong, each with line and column
 *
 * @example
 * suppress:
 *   - rule: WH06
 *     object: { kind: MutatingWebhookConfiguration, name: sidecars }
 *     reason: every pod of this cluster needs the sidecar
 * rules:
 *   WH09: info
 *   WH13: 'off'
 */
export function readLintConfig(
  text: string,
  file = 'cluster-canary.yaml',
  ids: readonly string[] = ownIds,
  { ignoreOthers = false }: OtherRules = {},
): LintConfig {
  const known = new Set(ids);
  const isIgnored = (id: string): boolean => ignoreOthers && !known.has(id) && !ownPrefixes.has(prefixOf(id));
  const { value, lineOf } = readPlacedSettings<LintConfigFile | null>(text, file, (content) => [
    ...problemsOf(lintedSchema, content),
    ...ruleProblems(content, (id) => known.has(id) || isIgnored(id)),
  ]);
  const suppress = (value?.suppress ?? []).map(
    ({ rule, object: parts, file: ofObject, reason }, position) => ({
      rule,
      ...(parts && Object.keys(parts).length > 0 ? { object: parts } : {}),
      ...(ofObject === undefined ? {} : { file: ofObject.replace(/^\.\//, '') }),
      ...(typeof reason === 'string' ? { reason } : {}),
      line: lineOf(['suppress', position]),
    }),
  );
  const given = Object.entries(value?.rules ?? {}).filter(([id]) => known.has(id));
  return {
    file,
    suppress: suppress.filter(({ rule }) => !isIgnored(rule)),
    ...(value?.kubernetesVersion === undefined ? {} : { kubernetesVersion: value.kubernetesVersion }),
    rules: new Map(given.map(([id, severity]) => [id, severity === false ? 'off' : severity])),
  };
}

/** Rules that are named and that there are not. */
function ruleProblems(content: unknown, isKnown: (id: string) => boolean): readonly PlacedProblem[] {
  const rules = isPlainObject(content) && isPlainObject(content.rules) ? content.rules : {};
  return Object.keys(rules)
    .filter((id) => !isKnown(id))
    .map((id) => ({
      path: `rules.${id}`,
      steps: ['rules', id],
      value: id,
      allowed: 'the id of a rule',
    }));
}

/** `WH` of `WH03` */
function prefixOf(id: string): string {
  return id.replace(/\d+$/, '');
}

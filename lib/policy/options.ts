import type { OptionsOf } from '../problems';
import { oneOf, Problems, listOf } from '../problems';
import type { LintConfig, Rule, Severity } from '../rules';
import { allRules, severities, suppressionRules } from '../rules';

/** What Pulumi does about a violation: `mandatory` ends the preview or the update, `advisory` tells, `disabled` does not judge. */
export type RuleEnforcement = 'mandatory' | 'advisory' | 'disabled';

/** How the rules are made policies. */
export interface RulePoliciesOptions {
  /** The rules that are made policies. @default - every rule of the library ({@link allRules}) that can judge resources */
  readonly rules?: readonly Rule[];
  /** What is suppressed, and other severities, as in `cluster-canary.yaml`. @default - annotations of the objects alone */
  readonly config?: LintConfig;
  /**
   * What is done about violations, by severity (`error`, `warning`, `info`) or by policy (`WH12`, `other-warnings`,
   * `not-judged`); a policy goes before a severity. Configuration that is given to Pulumi goes before both.
   *
   * @default { error: 'mandatory', warning: 'advisory', info: 'disabled', 'not-judged': 'advisory' } - an info is worth
   * knowing, not worth a line in every update
   */
  readonly enforcement?: Readonly<Record<string, RuleEnforcement>>;
}

export const rulePoliciesOptionsKeys: OptionsOf<RulePoliciesOptions> = {
  rules: listOf('open'),
  config: 'open',
  enforcement: 'plain',
};

/** Policies that are not of one rule. */
export const otherPolicies = {
  error: 'other-errors',
  warning: 'other-warnings',
  info: 'other-infos',
  notJudged: 'not-judged',
} as const;

/** Rules over what only files have: templates that were not rendered, and keys that stand twice. */
const overFiles: ReadonlySet<string> = new Set(['TLS08', 'YAML01']);

/** The rules of a pack: those that can judge resources, and that nobody turned off. */
export function packRules({ rules = allRules, config }: RulePoliciesOptions): readonly Rule[] {
  return rules.filter((rule) => isInPack(rule, config));
}

function isInPack({ id, needs }: Rule, config: LintConfig | undefined): boolean {
  return needs === undefined && !overFiles.has(id) && config?.rules.get(id) !== 'off';
}

/** The severity by which a rule is enforced. */
export function severityOf({ id, severity }: Pick<Rule, 'id' | 'severity'>, config?: LintConfig): Severity {
  const wanted = config?.rules.get(id);
  return wanted === undefined || wanted === 'off' ? severity : wanted;
}

const byDefault = { error: 'mandatory', warning: 'advisory', info: 'disabled' } as const;

/** What is done about violations of a policy. */
export function enforcementOf(
  policy: string,
  severity: Severity,
  { enforcement = {} }: RulePoliciesOptions,
): RuleEnforcement {
  return enforcement[policy] ?? enforcement[severity] ?? byDefault[severity];
}

/** @throws InvalidInput with everything that is wrong */
export function checkOptions(options: RulePoliciesOptions): void {
  const problems = new Problems('rule policies');
  const { rules = allRules, config } = options;
  const ids = new Set(suppressionRules.map(({ id }) => id));
  rules.forEach((rule, position) => {
    const { id } = rule;
    if (!isInPack(rule, config)) {
      return;
    }
    if (!/^[A-Z]+\d+$/.test(id)) {
      problems.add(`rules[${position}].id`, id, 'capital letters and digits, such as ACME01');
    } else if (ids.has(id)) {
      problems.add(`rules[${position}].id`, id, 'an id that no other rule has');
    }
    ids.add(id);
  });
  const keys = oneOf(...severities, ...ids, ...Object.values(otherPolicies));
  for (const [key, level] of Object.entries(options.enforcement ?? {})) {
    if (!keys.accepts(key)) {
      problems.add(`enforcement.${key}`, key, 'under a severity, or the name of a policy of the pack');
    }
    problems.check(`enforcement.${key}`, level, oneOf('mandatory', 'advisory', 'disabled'));
  }
  problems.throwIfAny();
}

// The package itself names types that it leaves out: a program without skipLibCheck would not compile.
import { PolicyPack } from '@pulumi/policy/policy';
import type {
  Policies,
  Policy,
  PolicyPackConfig,
  ReportViolation,
  ResourceValidationPolicy,
  StackValidationArgs,
  StackValidationPolicy,
} from '@pulumi/policy/policy';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { list, object, optional, record } from '../../core/validation/collections';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { oneOf, that } from '../../core/validation/values';
import { allRules, linkOf, severities, suppressionRules } from '../../lint';
import type { EngineRule, Finding, LintConfig, Rule, Severity } from '../../lint';
import {
  failureText,
  evaluatePolicies,
  notEvaluated,
  staleSuppressions,
  urnOf,
  violationText,
} from './evaluate';
import type { PolicyEvaluation } from './evaluate';
import { StackObjects, UnknownReads } from './resources';

/** What Pulumi does about a violation: `mandatory` ends the preview or the update, `advisory` tells, `disabled` does not evaluate. */
export type RuleEnforcement = 'mandatory' | 'advisory' | 'disabled';

/** How the rules are made policies. */
export interface RulePoliciesOptions {
  /** The rules that are made policies. @default - every rule of the library ({@link allRules}) that can evaluate resources */
  readonly rules?: readonly Rule[];
  /** What is suppressed, and other severities, as in `cluster-canary.yaml`. @default - annotations of the objects alone */
  readonly config?: LintConfig;
  /**
   * What is done about violations, by severity (`error`, `warning`, `info`) or by policy (`WH12`, `other-warnings`,
   * `not-evaluated`); a policy goes before a severity. Configuration that is given to Pulumi goes before both.
   *
   * @default { error: 'mandatory', warning: 'advisory', info: 'disabled', 'not-evaluated': 'advisory' } - an info is worth
   * knowing, not worth a line in every update
   */
  readonly enforcement?: Readonly<Record<string, RuleEnforcement>>;
}

const someConfig = 'what a cluster-canary.yaml says, as readLintConfig answers it';

const rulePoliciesOptions = object<RulePoliciesOptions>({
  rules: optional(list<Rule>(opaque('a rule'), 0, 'a list of rules')),
  config: optional(
    that<never>(opaque(someConfig), someConfig, ({ rules }: LintConfig) => rules instanceof Map),
  ),
  enforcement: optional(record(oneOf('mandatory', 'advisory', 'disabled'))),
});

/** Policies that are not of one rule. */
const otherPolicies = {
  error: 'other-errors',
  warning: 'other-warnings',
  info: 'other-infos',
  notEvaluated: 'not-evaluated',
} as const;

/** The rules of a pack: those that can evaluate resources, and that nobody turned off. */
export function packRules({ rules = allRules, config }: RulePoliciesOptions): readonly Rule[] {
  return rules.filter((rule) => isInPack(rule, config));
}

function isInPack({ id, needs, scope }: Rule, config: LintConfig | undefined): boolean {
  return needs === undefined && scope !== 'files' && config?.rules.get(id) !== 'off';
}

/** The severity by which a rule is enforced. */
function severityOf({ id, severity }: Pick<Rule, 'id' | 'severity'>, config?: LintConfig): Severity {
  const wanted = config?.rules.get(id);
  return wanted === undefined || wanted === 'off' ? severity : wanted;
}

const byDefault = { error: 'mandatory', warning: 'advisory', info: 'disabled' } as const;

/** What is done about violations of a policy. */
function enforcementOf(
  policy: string,
  severity: Severity,
  { enforcement = {} }: RulePoliciesOptions,
): RuleEnforcement {
  return enforcement[policy] ?? enforcement[severity] ?? byDefault[severity];
}

/** What the schema does not say: ids of rules, and which policies the pack has. */
function optionsProblems({
  rules = allRules,
  config,
  enforcement = {},
}: RulePoliciesOptions): readonly Problem[] {
  const problems = new Problems('rule policies');
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
  const known = new Set<string>([...severities, ...ids, ...Object.values(otherPolicies)]);
  for (const key of Object.keys(enforcement).filter((each) => !known.has(each))) {
    problems.add(`enforcement.${key}`, key, 'under a severity, or the name of a policy of the pack');
  }
  return problems.all;
}

/**
 * The rules as policies, for a pack of one's own; {@link RulesPolicyPack} is a pack of them alone.
 *
 * Each rule is a policy of its id, which reports what it finds with its own severity. What it finds with another severity is
 * reported by `other-errors`, `other-warnings` and `other-infos`, so that what ends an update is an error.
 *
 * @throws InvalidInput with everything that is wrong with the options
 *
 * @example
 * new PolicyPack('acme', { policies: [...rulePolicies({ enforcement: { WH12: 'mandatory' } }), ...others] });
 */
export function rulePolicies(options: RulePoliciesOptions = {}): Policies {
  refuseArguments('rulePolicies', rulePoliciesOptions, options, optionsProblems);
  return new RulePolicies(options).all();
}

/** How Pulumi calls them. */
const pulumiSeverity = { error: 'high', warning: 'medium', info: 'low' } as const;

class RulePolicies {
  private readonly rules: readonly Rule[];
  private readonly reads = new UnknownReads();
  private readonly objects = new StackObjects(this.reads);

  public constructor(private readonly options: RulePoliciesOptions) {
    this.rules = packRules(options);
  }

  public all(): Policies {
    return [
      ...this.rules.map((rule) => (rule.scope === 'object' ? this.ofResource(rule) : this.ofStack(rule))),
      ...suppressionRules.map((rule) => this.ofSuppressions(rule)),
      ...severities.map((severity) => this.ofOtherSeverity(severity)),
      this.ofNotEvaluated(),
    ];
  }

  private ofResource(rule: Rule): ResourceValidationPolicy {
    return {
      ...this.described(rule),
      validateResource: (resource, report) => {
        const objects = this.objects.ofResource(resource);
        if (objects.length > 0) {
          this.reportRule(rule, evaluatePolicies(objects, [rule], this.reads, this.options.config), report);
        }
      },
    };
  }

  private ofStack(rule: Rule): StackValidationPolicy {
    return {
      ...this.described(rule),
      validateStack: (stack, report) =>
        this.evaluateAll(stack, [rule]).forEach((evaluation) => this.reportRule(rule, evaluation, report)),
    };
  }

  private ofSuppressions(rule: EngineRule): StackValidationPolicy {
    return {
      ...this.described(rule),
      validateStack: (stack, report) => {
        const found = staleSuppressions(this.evaluateAll(stack, this.rules));
        reportAll(
          found.filter((finding) => finding.rule === rule.id),
          report,
        );
      },
    };
  }

  private ofOtherSeverity(severity: Severity): StackValidationPolicy {
    const name = otherPolicies[severity];
    const description = `Findings of the severity ${severity}, of rules that have another one by default`;
    return {
      ...{ name, description, severity: pulumiSeverity[severity] },
      enforcementLevel: enforcementOf(name, severity, this.options),
      configSchema: { properties: { except: { type: 'array', items: { type: 'string' } } } },
      validateStack: (stack, report) => {
        const { except = [] } = stack.getConfig<{ readonly except?: readonly string[] }>();
        const { config } = this.options;
        const rules = this.rules.filter(
          (rule) => severityOf(rule, config) !== severity && !except.includes(rule.id),
        );
        const ids = new Set(rules.map(({ id }) => id));
        for (const { findings } of this.evaluateAll(stack, rules)) {
          reportAll(
            findings.filter((finding) => finding.severity === severity && ids.has(finding.rule)),
            report,
          );
        }
      },
    };
  }

  private ofNotEvaluated(): StackValidationPolicy {
    const name = otherPolicies.notEvaluated;
    return {
      ...{ name, description: 'What the rules could not check', severity: 'low' },
      enforcementLevel: this.options.enforcement?.[name] ?? 'advisory',
      validateStack: (stack, report) =>
        notEvaluated(stack.resources, this.evaluateAll(stack, this.rules)).forEach((text) => report(text)),
    };
  }

  private described(rule: EngineRule): Policy {
    const { id, title, fix } = rule;
    const severity = severityOf(rule, this.options.config);
    const url = linkOf(rule);
    return {
      ...{ name: id, displayName: `${id}: ${title}`, description: title, remediationSteps: fix },
      ...(url === undefined ? {} : { url }),
      severity: pulumiSeverity[severity],
      enforcementLevel: enforcementOf(id, severity, this.options),
    };
  }

  private evaluateAll(
    { resources }: StackValidationArgs,
    rules: readonly Rule[],
  ): readonly PolicyEvaluation[] {
    return this.objects
      .byCluster(resources)
      .map((objects) => evaluatePolicies(objects, rules, this.reads, this.options.config));
  }

  private reportRule(rule: Rule, { findings, failures }: PolicyEvaluation, report: ReportViolation): void {
    failures.forEach((failure) => report(failureText(failure)));
    const severity = severityOf(rule, this.options.config);
    reportAll(
      findings.filter((finding) => finding.rule === rule.id && finding.severity === severity),
      report,
    );
  }
}

function reportAll(findings: readonly Finding[], report: ReportViolation): void {
  findings.forEach((finding) => report(violationText(finding), urnOf(finding)));
}

/**
 * A policy pack of the rules, over the Kubernetes objects of a stack. Pulumi serves it as soon as it is made, so a process
 * makes one; the version of the pack is that of the `package.json` in the working directory.
 *
 * @throws InvalidInput with everything that is wrong with the options
 *
 * @example
 * // index.ts beside a PulumiPolicy.yaml with `runtime: nodejs`
 * new RulesPolicyPack('cluster-canary', { enforcement: { WH12: 'mandatory', info: 'advisory' } });
 */
export class RulesPolicyPack extends PolicyPack {
  /**
   * @param name letters, digits, `-`, `_` and `.`
   * @param initialConfig of the policies, which configuration that is given to Pulumi goes before
   */
  public constructor(name: string, options: RulePoliciesOptions = {}, initialConfig?: PolicyPackConfig) {
    refuseArguments(`RulesPolicyPack "${name}"`, rulePoliciesOptions, options, optionsProblems);
    super(
      name,
      {
        policies: new RulePolicies(options).all(),
        description: 'Webhooks, certificates, GitOps settings and retries that stop a cluster',
        displayName: 'Rules of cluster-canary',
        provider: 'kubernetes',
      },
      initialConfig,
    );
  }
}

import type {
  Policies,
  Policy,
  ReportViolation,
  ResourceValidationPolicy,
  StackValidationArgs,
  StackValidationPolicy,
} from '@pulumi/policy/policy';
import { refuseOptions } from '../problems';
import type { EngineRule, Finding, Rule, Severity } from '../rules';
import { linkOf, severities, suppressionRules } from '../rules';
import type { Judgement } from './judge';
import { judge } from './judge';
import { notJudged } from './not-judged';
import { judgesOneObject } from './one-object-rules';
import type { RulePoliciesOptions } from './options';
import {
  checkOptions,
  enforcementOf,
  otherPolicies,
  packRules,
  severityOf,
  rulePoliciesOptionsKeys,
} from './options';
import { StackObjects } from './stack-objects';
import { staleSuppressions } from './stale-suppressions';
import { UnknownReads } from './unknown-reads';
import { failureText, urnOf, violationText } from './words';

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
  refuseOptions('rulePolicies', options, rulePoliciesOptionsKeys);
  checkOptions(options);
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
      ...this.rules.map((rule) => (judgesOneObject(rule) ? this.ofResource(rule) : this.ofStack(rule))),
      ...suppressionRules.map((rule) => this.ofSuppressions(rule)),
      ...severities.map((severity) => this.ofOtherSeverity(severity)),
      this.ofNotJudged(),
    ];
  }

  private ofResource(rule: Rule): ResourceValidationPolicy {
    return {
      ...this.described(rule),
      validateResource: (resource, report) => {
        const objects = this.objects.ofResource(resource);
        if (objects.length > 0) {
          this.reportRule(rule, judge(objects, [rule], this.reads, this.options.config), report);
        }
      },
    };
  }

  private ofStack(rule: Rule): StackValidationPolicy {
    return {
      ...this.described(rule),
      validateStack: (stack, report) =>
        this.judgeAll(stack, [rule]).forEach((judgement) => this.reportRule(rule, judgement, report)),
    };
  }

  private ofSuppressions(rule: EngineRule): StackValidationPolicy {
    return {
      ...this.described(rule),
      validateStack: (stack, report) => {
        const found = staleSuppressions(this.judgeAll(stack, this.rules));
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
        for (const { findings } of this.judgeAll(stack, rules)) {
          reportAll(
            findings.filter((finding) => finding.severity === severity && ids.has(finding.rule)),
            report,
          );
        }
      },
    };
  }

  private ofNotJudged(): StackValidationPolicy {
    const name = otherPolicies.notJudged;
    return {
      ...{ name, description: 'What the rules could not judge', severity: 'low' },
      enforcementLevel: this.options.enforcement?.[name] ?? 'advisory',
      validateStack: (stack, report) =>
        notJudged(stack.resources, this.judgeAll(stack, this.rules)).forEach((text) => report(text)),
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

  private judgeAll({ resources }: StackValidationArgs, rules: readonly Rule[]): readonly Judgement[] {
    return this.objects
      .byCluster(resources)
      .map((objects) => judge(objects, rules, this.reads, this.options.config));
  }

  private reportRule(rule: Rule, { findings, failures }: Judgement, report: ReportViolation): void {
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

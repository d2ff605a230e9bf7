import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { CheckSettings } from '../../checks';
import type { PlanSettings } from '../../plans';
import type { Weights } from '../../shift';
import type { TrafficShiftArgs } from './arguments';
import { shiftSettings } from './arguments';
import { defaultChecks } from './default-checks';
import type { HookEvent } from '../../bridge';
import { engineHook, hasEngine, hooksAreKnown } from '../../bridge';
import { listenerOf } from './live-rules';
import type { ShiftParts } from './parts';
import { plainValue } from './plain-values';
import { planSettings } from './plan-settings';
import { realParts } from './real-parts';
import { ruleChange } from './rule-change';
import { ruleTag, ruleTagValue } from './rule-identity';
import type { RuleShift, WantedRule } from './rule-shift';
import { TrafficShift } from './traffic-shift';

/** What rules that are shifted together have in common. */
export interface RuleGroupOptions {
  /** For people: `FleetTraffic "apps"`. */
  readonly what: string;
  /** What logs are about: a component, since the URN of a rule is not known while its hook runs. */
  readonly component: pulumi.Resource;
  readonly weights: Weights;
  readonly shift: TrafficShiftArgs | false | undefined;
  /** Name of each slot's EKS cluster. @default - not known */
  readonly clusterNames?: Readonly<Record<string, pulumi.Input<string>>>;
  /** @default - AWS and the real thing */
  readonly parts?: ShiftParts;
}

/** A rule of the group, as the program gives it. */
export interface GroupedRule {
  readonly name: string;
  readonly priority: number;
  readonly targetGroupArns: Readonly<Record<string, pulumi.Input<string>>>;
}

/** What a rule is registered with, beside what it is. */
export interface RuleBinding {
  readonly tags: Readonly<Record<string, string>>;
  readonly opts: pulumi.CustomResourceOptions;
}

/** Rules of a program whose weights are shifted together. */
export class RuleGroup {
  private readonly rules: GroupedRule[] = [];
  private readonly shift: TrafficShift | undefined;
  private readonly args: TrafficShiftArgs;

  public constructor(private readonly options: RuleGroupOptions) {
    const { shift, component, parts = realParts() } = options;
    this.args = shift === false ? {} : (shift ?? {});
    if (shift !== false) {
      this.shift = new TrafficShift({
        shift: () => this.resolved(),
        roleArn: this.args.roleArn,
        parts,
        log: {
          info: (text) => void pulumi.log.info(text, component),
          warn: (text) => void pulumi.log.warn(text, component),
          progress: (text) => void pulumi.log.info(text, component, undefined, true),
        },
      });
    }
  }

  /** Adds a rule; answers what it has to be registered with. */
  public add(rule: GroupedRule): RuleBinding {
    this.rules.push(rule);
    const { shift } = this;
    const tag = tagOf(rule);
    // Also without a shift: to turn it on later changes nothing of the rule.
    const tags = { [ruleTag]: tag };
    if (shift === undefined) {
      return { tags, opts: {} };
    }
    const byOthers = (this.args.runBy ?? 'pulumi') !== 'pulumi';
    if (byOthers) {
      return { tags, opts: { ignoreChanges: ['actions'] } };
    }
    return hooksAreKnown()
      ? { tags, opts: { hooks: this.hooks(shift, rule.name, tag) } }
      : { tags, opts: {} };
  }

  /**
   * The weights, once the engine has every rule as it wants it and the live weights were compared with them.
   *
   * It has to be waited for: a component's outputs are a good place.
   */
  public verified(rules: readonly aws.lb.ListenerRule[]): pulumi.Input<Weights> {
    const { shift, options, args } = this;
    if (shift === undefined || !hasEngine()) {
      return options.weights;
    }
    return pulumi.all(rules.map(({ arn }) => arn)).apply(async (arns) => {
      const runBy = args.runBy ?? 'pulumi';
      try {
        await shift.verify(arns, { runBy, inPreview: pulumi.runtime.isDryRun() });
      } catch (error) {
        // Of this kind of error Pulumi shows the message alone.
        throw new pulumi.RunError((error as Error).message);
      }
      return options.weights;
    });
  }

  /**
   * The shift of these rules as a plan file has it.
   *
   * @param rules by the names of their routes, in the order in which they were added
   */
  public plan(rules: Readonly<Record<string, aws.lb.ListenerRule>>): pulumi.Output<PlanSettings> {
    const { weights, clusterNames = {} } = this.options;
    const known = Object.entries(rules).map(
      ([route, { arn }], index) =>
        [route, { ruleArn: arn, targetGroupArns: this.rules[index]!.targetGroupArns }] as const,
    );
    return pulumi
      .all([pulumi.output(Object.fromEntries(known)), pulumi.output(clusterNames), checkInputs(this.args)])
      .apply(([planned, clusters, checks]) =>
        planSettings({
          rules: planned,
          weights,
          clusterNames: clusters,
          settings: shiftSettings(this.args),
          checks,
          lease: this.args.lease,
          roleArn: this.args.roleArn,
        }),
      );
  }

  private hooks(shift: TrafficShift, name: string, tag: string): pulumi.ResourceHookBinding {
    const { what } = this.options;
    const hook = (event: HookEvent, run: (args: pulumi.ResourceHookArgs) => Promise<void>) =>
      engineHook(`the shift of ${what}`, name, event, run);
    return {
      beforeCreate: [
        hook('beforeCreate', async ({ newInputs = {} }) => {
          shift.asked = true;
          if (!pulumi.runtime.isDryRun()) {
            await shift.beforeCreate({ tag, listenerArn: String(newInputs.listenerArn) });
          }
        }),
      ],
      beforeUpdate: [
        hook('beforeUpdate', async (args) => {
          const { writesActions, before } = await ruleChange(args);
          if (!writesActions) {
            return;
          }
          const due = { tag, ruleArn: args.id, listenerArn: listenerOf(args.id), before };
          await (pulumi.runtime.isDryRun() ? shift.preview(due) : shift.beforeUpdate(due));
        }),
      ],
    };
  }

  private async resolved(): Promise<RuleShift> {
    const { what, weights, clusterNames = {} } = this.options;
    const rules = await Promise.all(
      this.rules.map(async (rule): Promise<WantedRule> => ({
        tag: tagOf(rule),
        priority: rule.priority,
        targetGroupArns: await knownValues(rule.targetGroupArns),
      })),
    );
    const inPreview = pulumi.runtime.isDryRun();
    // A preview asks no check, and may not know all that stands in them.
    const checks = inPreview ? [] : await plainValue(checkInputs(this.args));
    return {
      what,
      rules,
      wanted: weights,
      clusterNames: await knownValues(clusterNames),
      settings: shiftSettings(this.args),
      checks: checks ?? [],
      lease: this.args.lease,
      holder: `pulumi up of ${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`,
      resumedTo: this.args.resumedTo,
      roleArn: this.args.roleArn,
    };
  }
}

function checkInputs({ checks = defaultChecks }: TrafficShiftArgs): pulumi.Output<CheckSettings[]> {
  return pulumi.output(checks as unknown as CheckSettings[]);
}

function tagOf({ name }: GroupedRule): string {
  return ruleTagValue(pulumi.getProject(), pulumi.getStack(), name);
}

/** Those that are known: a preview does not know what it would make. */
async function knownValues(
  inputs: Readonly<Record<string, pulumi.Input<string>>>,
): Promise<Record<string, string>> {
  const entries = await Promise.all(
    Object.entries(inputs).map(async ([key, input]) => [key, await plainValue(input)] as const),
  );
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

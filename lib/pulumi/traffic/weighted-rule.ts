import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { applicationListenerArn, targetGroupArn } from '../../core/aws/identifiers';
import { wholeNumber } from '../../core/validation/formats';
import { refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem, Rule } from '../../core/validation/problems';
import { weightProblems } from '../../shift/engine';
import type { Weights } from '../../shift/engine';
import { withAwsSettings } from '../aws-settings';
import type { Tags } from '../aws-settings';
import { mostSlots } from '../fleet';
import { checkInput, checkInputs } from '../inputs';
import { claimsOn, edgeRef } from './edge';
import type { EdgeSource } from './edge';
import { conditionProblems, listenerConditions, ruleConditionsKeys } from './rule-conditions';
import type { RuleConditions } from './rule-conditions';
import { listenerRules } from './shift/kinds';
import { trafficShiftArgsKeys, trafficShiftProblems } from './shift/shift-args';
import type { TrafficShiftArgs } from './shift/shift-args';
import { RuleGroup } from './shift/split-group';
import { weightsOf } from './slot-weights';
import type { SlotWeights } from './slot-weights';

/** How a rule stands on its listener. */
export interface RuleSettings extends RuleConditions {
  /** Place among the listener's rules, 1 to 50000: the lowest that matches wins. No two rules share one. */
  readonly priority: number;
  /**
   * Seconds for which a client stays with the slot that it got first, 1 to 604800.
   *
   * Clients that stay are not moved by new weights: stickiness delays a shift and a rollback alike.
   *
   * @default - off
   */
  readonly stickinessSeconds?: number;
  /**
   * ARN of a rule that exists: it is adopted (Pulumi's `import`) with the weights that are live, and then updated to the
   * program's, with a shift if weights differ. May stay in the program.
   *
   * @default - the rule is created
   * @see https://www.pulumi.com/docs/iac/concepts/options/import/
   */
  readonly adopt?: string;
  /**
   * Raw arguments of the listener rule, over everything else; with `conditions` in it no other condition is
   * needed.
   * @default - none
   */
  readonly ruleArgs?: Partial<aws.lb.ListenerRuleArgs>;
}

export const ruleSettingsKeys: OptionsOf<RuleSettings> = {
  ...ruleConditionsKeys,
  priority: 'plain',
  stickinessSeconds: 'plain',
  adopt: 'plain',
  ruleArgs: 'open',
};

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateRule.html
 */
const priority = wholeNumber(1, 50_000);

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroupStickinessConfig.html
 */
const stickinessSeconds = wholeNumber(1, 604_800);

/**
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
const adoptedRule: Rule = {
  allowed:
    "the ARN of a rule of an Application Load Balancer's listener: arn:aws:elasticloadbalancing:REGION:ACCOUNT:listener-rule/app/NAME/ID/ID/ID",
  accepts: (value) =>
    typeof value === 'string' &&
    /^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\d{12}:listener-rule\/app(\/[^/\s]+){4}$/.test(value),
};

/**
 * What is wrong with a rule's settings.
 *
 * @param taken who has which priority of the listener already
 */
export function ruleSettingsProblems(
  settings: RuleSettings,
  taken: ReadonlyMap<number, string>,
): readonly Problem[] {
  const problems = new Problems('rule');
  if (problems.check('priority', settings.priority, priority)) {
    const other = taken.get(settings.priority);
    if (other !== undefined) {
      problems.add('priority', settings.priority, `free on the listener: ${other} has it`);
    }
  }
  if (settings.stickinessSeconds !== undefined) {
    problems.check('stickinessSeconds', settings.stickinessSeconds, stickinessSeconds);
  }
  if (settings.adopt !== undefined) {
    problems.check('adopt', settings.adopt, adoptedRule);
  }
  if (settings.ruleArgs?.conditions === undefined) {
    problems.addAll(conditionProblems(settings));
  }
  return problems.all;
}

/** What `WeightedRule` takes. */
export interface WeightedRuleArgs<Slot extends string = string> extends RuleSettings {
  /** The load balancer, or its listener. */
  readonly edge: EdgeSource;
  /** ARN of each slot's target group, 1 to 5. */
  readonly targetGroupArns: Readonly<Record<Slot, pulumi.Input<string>>>;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: SlotWeights<NoInfer<Slot>>;
  /**
   * How a change of the weights gets to the load balancer; `false` writes it at once.
   *
   * @default - a shift with the default of every setting: nobody meant to move all traffic in one step
   */
  readonly shift?: TrafficShiftArgs | false;
  /** Name of each slot's EKS cluster, for checks that ask it. @default - not known */
  readonly clusterNames?: Readonly<Record<NoInfer<Slot>, pulumi.Input<string>>>;
  /** AWS tags. @default - none */
  readonly tags?: Tags;
}

const weightedRuleArgsKeys: OptionsOf<WeightedRuleArgs> = {
  ...ruleSettingsKeys,
  edge: 'open',
  targetGroupArns: 'open',
  weights: 'plain',
  shift: trafficShiftArgsKeys,
  clusterNames: 'open',
  tags: 'open',
};

/**
 * One listener rule that spreads the requests it takes over the slots' target groups.
 *
 * A change of its weights is a shift: `pulumi up` walks there step by step, asks the checks, and takes the traffic back when
 * one fails. The rule itself is a plain `aws.lb.ListenerRule`; the shift is a hook before its update.
 *
 * Every target group is on the rule, with weight 0 if need be: the health of one that is on no listener reads
 * `unused`, and nothing could be said of a slot before its first request.
 *
 * @example
 * new traffic.WeightedRule('web', {
 *   edge,
 *   hosts: ['www.example.com'],
 *   priority: 10,
 *   targetGroupArns: { blue: blue.arn, green: green.arn },
 *   weights: { blue: 90, green: 10 },
 *   shift: { step: 10, every: '2m', bake: '10m' },
 * });
 */
export class WeightedRule<const Slot extends string = string> extends pulumi.ComponentResource {
  /** The listener rule. */
  public readonly rule: aws.lb.ListenerRule;
  /** Weight of every slot, in whole percent. */
  public readonly weights: Readonly<Record<Slot, number>>;

  /**
   * @param group rules that are shifted with this one
   * @throws InvalidInput before anything is registered, with every problem of the plain values
   */
  public constructor(
    name: string,
    args: WeightedRuleArgs<Slot>,
    opts: pulumi.ComponentResourceOptions = {},
    group?: RuleGroup,
  ) {
    refuseOptions(`WeightedRule "${name}"`, args, weightedRuleArgsKeys);
    check(name, args);
    super('cluster-canary:traffic:WeightedRule', name, {}, withAwsSettings(opts, { tags: args.tags }));
    claimsOn(args.edge).priorities.set(args.priority, `WeightedRule "${name}"`);
    const slots = Object.keys(args.targetGroupArns) as Slot[];
    this.weights = weightsOf<Slot>(slots, args.weights);
    const shifted =
      group ??
      new RuleGroup({
        kind: listenerRules,
        what: `WeightedRule "${name}"`,
        component: this,
        weights: this.weights,
        shift: args.shift,
        clusterNames: args.clusterNames,
      });
    const { priority, targetGroupArns } = args;
    const binding = shifted.add({ name, priority, targets: targetGroupArns });
    this.rule = new aws.lb.ListenerRule(
      name,
      {
        listenerArn: edgeRef(args.edge).listenerArn,
        priority: args.priority,
        conditions: listenerConditions(args),
        actions: [
          {
            type: 'forward',
            forward: {
              targetGroups: slots.map((slot) => ({
                arn: args.targetGroupArns[slot],
                weight: this.weights[slot],
              })),
              stickiness: stickiness(args.stickinessSeconds),
            },
          },
        ],
        tags: binding.tags,
        ...args.ruleArgs,
      },
      { parent: this, import: args.adopt, ...binding.opts },
    );
    this.registerOutputs({
      rule: this.rule,
      weights: group ? this.weights : shifted.verified([this.rule.arn]),
    });
  }
}

/**
 * Stickiness that is off is said, not left out: AWS's provider takes a missing block for "as it is", so it would
 * stay on for ever (https://github.com/hashicorp/terraform-provider-aws/issues/15144). The duration has to be
 * within its bounds even so.
 */
function stickiness(seconds: number | undefined): aws.types.input.lb.ListenerRuleActionForwardStickiness {
  return seconds === undefined ? { enabled: false, duration: 1 } : { enabled: true, duration: seconds };
}

function check(name: string, args: WeightedRuleArgs): void {
  const problems = new Problems(`WeightedRule "${name}"`);
  const slots = Object.keys(args.targetGroupArns ?? {});
  if (slots.length < 1 || slots.length > mostSlots) {
    problems.add('targetGroupArns', slots, `1 to ${mostSlots} target groups: a rule forwards to no more`);
  }
  checkInputs(problems, 'targetGroupArns', args.targetGroupArns, targetGroupArn);
  checkInput(problems, 'edge.listenerArn', edgeRef(args.edge).listenerArn, applicationListenerArn);
  problems.addAll(weightProblems(slots, args.weights as Weights | undefined));
  problems.addAll(ruleSettingsProblems(args, claimsOn(args.edge).priorities));
  problems.addAll(trafficShiftProblems(args.shift, slots, args.ruleArgs?.actions !== undefined));
  problems.throwIfAny();
}

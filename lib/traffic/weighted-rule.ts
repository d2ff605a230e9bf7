import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { applicationListenerArn, targetGroupArn } from '../aws';
import type { Tags } from '../bridge';
import { checkInput, checkInputs, withAwsSettings } from '../bridge';
import { mostSlots } from '../fleet';
import type { OptionsOf } from '../problems';
import { Problems, refuseOptions } from '../problems';
import { listenerConditions } from './conditions';
import type { EdgeSource } from './edge';
import { edgeRef } from './edge';
import { claimsOn } from './listener-claims';
import type { RuleSettings } from './rule-settings';
import { ruleSettingsProblems, ruleSettingsKeys } from './rule-settings';
import type { Weights } from '../shift';
import { fullWeights, weightProblems } from '../shift';
import type { TrafficShiftArgs } from './shift/arguments';
import { trafficShiftArgsKeys } from './shift/arguments';
import { listenerRules } from './shift/elb-kinds';
import { trafficShiftProblems } from './shift/problems';
import { RuleGroup } from './shift/rule-group';

/** What `WeightedRule` takes. */
export interface WeightedRuleArgs extends RuleSettings {
  /** The load balancer, or its listener. */
  readonly edge: EdgeSource;
  /** ARN of each slot's target group, 1 to 5. */
  readonly targetGroupArns: Readonly<Record<string, pulumi.Input<string>>>;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: Weights;
  /**
   * How a change of the weights gets to the load balancer; `false` writes it at once.
   *
   * @default - a shift with the default of every setting: nobody meant to move all traffic in one step
   */
  readonly shift?: TrafficShiftArgs | false;
  /** Name of each slot's EKS cluster, for checks that ask it. @default - not known */
  readonly clusterNames?: Readonly<Record<string, pulumi.Input<string>>>;
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
export class WeightedRule extends pulumi.ComponentResource {
  /** The listener rule. */
  public readonly rule: aws.lb.ListenerRule;
  /** Weight of every slot, in whole percent. */
  public readonly weights: Weights;

  /**
   * @param group rules that are shifted with this one
   * @throws InvalidInput before anything is registered, with every problem of the plain values
   */
  public constructor(
    name: string,
    args: WeightedRuleArgs,
    opts: pulumi.ComponentResourceOptions = {},
    group?: RuleGroup,
  ) {
    refuseOptions(`WeightedRule "${name}"`, args, weightedRuleArgsKeys);
    check(name, args);
    super('cluster-canary:traffic:WeightedRule', name, {}, withAwsSettings(opts, { tags: args.tags }));
    claimsOn(args.edge).priorities.set(args.priority, `WeightedRule "${name}"`);
    const slots = Object.keys(args.targetGroupArns);
    this.weights = fullWeights(slots, args.weights);
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
                arn: args.targetGroupArns[slot]!,
                weight: this.weights[slot]!,
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
  problems.addAll(weightProblems(slots, args.weights));
  problems.addAll(ruleSettingsProblems(args, claimsOn(args.edge).priorities));
  problems.addAll(trafficShiftProblems(args.shift, slots, args.ruleArgs?.actions !== undefined));
  problems.throwIfAny();
}

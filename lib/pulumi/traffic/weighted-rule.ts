import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { targetGroupArnFormat } from '../../core/aws/identifiers';
import { namesIn, rawArgs, refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { nonEmptyText } from '../../core/validation/formats';
import type { Problem, Format } from '../../core/validation/problems';
import type { Entries } from '../../core/validation/schema';
import { anything, following, whole } from '../../core/validation/values';
import type { Tags } from '../aws-settings';
import { inputsByName } from '../input-schemas';
import { claimsOn, edgeRef, edgeSource, listenerProblems, soundEdge } from './edge';
import type { EdgeSource } from './edge';
import { listenerConditions, ruleConditionsEntries, withConditions } from './rule-conditions';
import type { RuleConditions } from './rule-conditions';
import { listenerRuleSplits } from './shift/kinds';
import type { SplitGroup } from './shift/split-group';
import { TrafficSplit, countProblems, splitProblems, trafficSplitEntries } from './traffic-split';
import type { TrafficSplitArgs } from './traffic-split';

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

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateRule.html
 */
const priority = whole(1, 50_000);

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroupStickinessConfig.html
 */
const stickinessSeconds = whole(1, 604_800);

/**
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
const adoptedRule: Format = {
  allowed:
    "the ARN of a rule of an Application Load Balancer's listener: arn:aws:elasticloadbalancing:REGION:ACCOUNT:listener-rule/app/NAME/ID/ID/ID",
  accepts: (value) =>
    typeof value === 'string' &&
    /^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\d{12}:listener-rule\/app(\/[^/\s]+){4}$/.test(value),
};

/** A schema for each setting of a rule. */
export const ruleSettingsEntries: Entries<RuleSettings> = {
  ...ruleConditionsEntries,
  priority,
  stickinessSeconds: optional(stickinessSeconds),
  adopt: optional(following(adoptedRule)),
  ruleArgs: optional(rawArgs),
};

/**
 * What is wrong with the priority of a rule beside others.
 *
 * @param taken who has which priority of the listener already
 */
export function priorityProblems(
  path: string,
  { priority: wanted }: Partial<RuleSettings>,
  taken: ReadonlyMap<number, string>,
): readonly Problem[] {
  const other = wanted === undefined ? undefined : taken.get(wanted);
  return other === undefined
    ? []
    : [{ path, value: wanted, allowed: `free on the listener: ${other} has it` }];
}

/** What `WeightedRule` takes. */
export interface WeightedRuleArgs<Slot extends string = string> extends RuleSettings, TrafficSplitArgs<Slot> {
  /** The load balancer, or its listener. */
  readonly edge: EdgeSource;
  /** ARN of each slot's target group, 1 to 5. */
  readonly targetGroupArns: Readonly<Record<Slot, pulumi.Input<string>>>;
  /** Name of each slot's EKS cluster, for checks that ask it. @default - not known */
  readonly clusterNames?: Readonly<Record<NoInfer<Slot>, pulumi.Input<string>>>;
  /** AWS tags. @default - none */
  readonly tags?: Tags;
}

const weightedRuleArgs = withConditions(
  object<WeightedRuleArgs>({
    ...ruleSettingsEntries,
    ...trafficSplitEntries,
    edge: edgeSource,
    targetGroupArns: inputsByName(targetGroupArnFormat),
    clusterNames: optional(inputsByName(nonEmptyText)),
    tags: optional(anything),
  }),
);

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
export class WeightedRule<const Slot extends string = string> extends TrafficSplit<Slot> {
  /** The listener rule. */
  public readonly rule: aws.lb.ListenerRule;

  /**
   * @param group rules that are shifted with this one
   * @throws InvalidInput before anything is registered, with every problem of the plain values
   */
  public constructor(
    name: string,
    args: WeightedRuleArgs<Slot>,
    opts: pulumi.ComponentResourceOptions = {},
    group?: SplitGroup,
  ) {
    refuseArguments(`WeightedRule "${name}"`, weightedRuleArgs, args, (sound) =>
      weightedRuleProblems(namesIn(args.targetGroupArns), { ...sound, edge: args.edge }),
    );
    const { priority, targetGroupArns, weights, shift, clusterNames, tags } = args;
    const slots = Object.keys(targetGroupArns) as Slot[];
    super(
      'WeightedRule',
      name,
      { kind: listenerRuleSplits, slots, weights, shift, clusterNames, tags, group },
      opts,
    );
    claimsOn(args.edge).priorities.set(priority, `WeightedRule "${name}"`);
    const binding = this.group.add({ name, priority, targets: targetGroupArns });
    this.rule = new aws.lb.ListenerRule(
      name,
      {
        listenerArn: edgeRef(args.edge).listenerArn,
        priority,
        conditions: listenerConditions(args),
        actions: [
          {
            type: 'forward',
            forward: {
              targetGroups: slots.map((slot) => ({
                arn: targetGroupArns[slot],
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
    this.registerOutputs({ rule: this.rule, weights: this.verified() });
  }

  protected ids(): Readonly<Record<string, pulumi.Output<string>>> {
    return { rule: this.rule.arn };
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

/** What the schema does not say of the arguments of a `WeightedRule`. */
function weightedRuleProblems(slots: readonly string[], args: Partial<WeightedRuleArgs>): readonly Problem[] {
  const { ruleArgs } = args;
  const edge = soundEdge(args.edge);
  return [
    ...countProblems('targetGroupArns', slots, 'target groups: a rule forwards to no more'),
    ...listenerProblems(edge),
    ...splitProblems(args, { slots, hasOwnWeights: ruleArgs?.actions !== undefined }),
    ...(edge === undefined ? [] : priorityProblems('priority', args, claimsOn(edge).priorities)),
  ];
}

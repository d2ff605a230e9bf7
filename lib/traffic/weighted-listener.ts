import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { loadBalancerArn, targetGroupArn } from '../aws';
import type { Tags } from '../bridge';
import { checkInput, checkInputs, withAwsSettings } from '../bridge';
import { mostSlots } from '../fleet';
import type { OptionsOf } from '../problems';
import { Problems, refuseOptions } from '../problems';
import type { Weights } from '../shift';
import { fullWeights, weightProblems } from '../shift';
import type { ListenerSettings } from './listener-settings';
import { isEncrypted, layerOf, listenerSettingsProblems, listenerSettingsKeys } from './listener-settings';
import type { TrafficShiftArgs } from './shift/arguments';
import { trafficShiftArgsKeys } from './shift/arguments';
import { listeners } from './shift/elb-kinds';
import { trafficShiftProblems } from './shift/problems';
import { RuleGroup } from './shift/rule-group';
import { recommendedSslPolicy } from './weighted-alb';

/** What `WeightedListener` takes. */
export interface WeightedListenerArgs extends ListenerSettings {
  /** ARN of the load balancer, network or application. */
  readonly loadBalancerArn: pulumi.Input<string>;
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

const weightedListenerArgsKeys: OptionsOf<WeightedListenerArgs> = {
  ...listenerSettingsKeys,
  loadBalancerArn: 'open',
  targetGroupArns: 'open',
  weights: 'plain',
  shift: trafficShiftArgsKeys,
  clusterNames: 'open',
  tags: 'open',
};

/**
 * One listener that spreads what it takes over the slots' target groups by its default action: the connections of a Network Load
 * Balancer, or the requests of an Application Load Balancer that no rule takes.
 *
 * A change of its weights is a shift, as that of a `WeightedRule`. On a Network Load Balancer weights hold for new connections:
 * one that stands stays with its slot. It counts no HTTP requests, so checks that need them are refused.
 *
 * @example
 * new traffic.WeightedListener('mqtt', {
 *   loadBalancerArn: balancer.arn,
 *   port: 8883,
 *   protocol: 'TCP',
 *   targetGroupArns: { blue: blue.arn, green: green.arn },
 *   weights: { blue: 90, green: 10 },
 * });
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-listeners.html
 */
export class WeightedListener extends pulumi.ComponentResource {
  /** The listener. */
  public readonly listener: aws.lb.Listener;
  /** Weight of every slot, in whole percent. */
  public readonly weights: Weights;

  /**
   * @param group listeners that are shifted with this one
   * @throws InvalidInput before anything is registered, with every problem of the plain values
   */
  public constructor(
    name: string,
    args: WeightedListenerArgs,
    opts: pulumi.ComponentResourceOptions = {},
    group?: RuleGroup,
  ) {
    refuseOptions(`WeightedListener "${name}"`, args, weightedListenerArgsKeys);
    check(name, args);
    super('cluster-canary:traffic:WeightedListener', name, {}, withAwsSettings(opts, { tags: args.tags }));
    const { port, protocol, targetGroupArns } = args;
    const slots = Object.keys(targetGroupArns);
    this.weights = fullWeights(slots, args.weights);
    const shifted =
      group ??
      new RuleGroup({
        kind: listeners,
        what: `WeightedListener "${name}"`,
        component: this,
        weights: this.weights,
        shift: args.shift,
        clusterNames: args.clusterNames,
      });
    const binding = shifted.add({ name, priority: port, targets: targetGroupArns });
    this.listener = new aws.lb.Listener(
      name,
      {
        loadBalancerArn: args.loadBalancerArn,
        port,
        protocol,
        ...(isEncrypted(protocol) && {
          certificateArn: args.certificateArn,
          sslPolicy: args.sslPolicy ?? recommendedSslPolicy,
        }),
        defaultActions: [
          {
            type: 'forward',
            forward: {
              targetGroups: slots.map((slot) => ({
                arn: targetGroupArns[slot]!,
                weight: this.weights[slot]!,
              })),
            },
          },
        ],
        tags: binding.tags,
        ...args.listenerArgs,
      },
      { parent: this, import: args.adopt, ...binding.opts },
    );
    const verified = group ? this.weights : shifted.verified([this.listener.arn]);
    this.registerOutputs({ listener: this.listener, weights: verified });
  }
}

function check(name: string, args: WeightedListenerArgs): void {
  const problems = new Problems(`WeightedListener "${name}"`);
  const slots = Object.keys(args.targetGroupArns ?? {});
  if (slots.length < 1 || slots.length > mostSlots) {
    problems.add('targetGroupArns', slots, `1 to ${mostSlots} target groups: a listener forwards to no more`);
  }
  checkInputs(problems, 'targetGroupArns', args.targetGroupArns, targetGroupArn);
  checkInput(problems, 'loadBalancerArn', args.loadBalancerArn, loadBalancerArn);
  problems.addAll(weightProblems(slots, args.weights));
  problems.addAll(listenerSettingsProblems(args, args.loadBalancerArn));
  const ownActions = args.listenerArgs?.defaultActions !== undefined;
  problems.addAll(trafficShiftProblems(args.shift, slots, ownActions, layerOf([args])));
  problems.throwIfAny();
}

import type { AwsClients, RightsStatement } from '../aws';
import { awsClients } from '../aws';
import type { Problem } from '../problems';
import { InvalidInput } from '../problems';
import type { HolderKind } from './actions-holder';
import { actionsHolder, holderRights } from './actions-holder';
import type { AwsRouter } from './aws-router';
import { ForwardRouter } from './forward-router';
import type { ElasticLoadBalancingArn, TargetGroupSettings } from './forward-settings';
import {
  elasticLoadBalancingArn,
  loadBalancerSubject,
  regionOf,
  targetGroupSettingsProblems,
} from './forward-settings';

/** Settings of {@link albDefaultAction} and {@link nlbListener}. */
export interface ListenerSettings extends TargetGroupSettings {
  /** ARN of the listener. */
  readonly listenerArn: string;
}

interface ListenerKind {
  readonly setting: 'albDefaultAction' | 'nlbListener';
  readonly holder: HolderKind;
  readonly layer: 'http' | 'connections';
  readonly rule: ElasticLoadBalancingArn;
}

const calls: Omit<HolderKind, 'words'> = {
  describe: 'DescribeListeners',
  modify: 'ModifyListener',
  read: async (client, arn, options) => {
    const { Listeners: [found] = [] } = await client.describeListeners({ ListenerArns: [arn] }, options);
    return found && (found.DefaultActions ?? []);
  },
  write: (client, arn, actions, options) =>
    client.modifyListener({ ListenerArn: arn, DefaultActions: actions }, options),
};

const alb: ListenerKind = {
  setting: 'albDefaultAction',
  holder: { ...calls, words: 'ALB listener' },
  layer: 'http',
  rule: elasticLoadBalancingArn('listener/app', "an Application Load Balancer's listener"),
};

const nlb: ListenerKind = {
  setting: 'nlbListener',
  holder: { ...calls, words: 'NLB listener' },
  layer: 'connections',
  rule: elasticLoadBalancingArn('listener/net', "a Network Load Balancer's listener"),
};

/** What is wrong with the settings, whatever they are. */
export function albDefaultActionProblems(settings: unknown): readonly Problem[] {
  return problemsOf(alb, settings);
}

/** What is wrong with the settings, whatever they are. */
export function nlbListenerProblems(settings: unknown): readonly Problem[] {
  return problemsOf(nlb, settings);
}

/** The least rights that {@link albDefaultAction} and {@link nlbListener} need. */
export function listenerRights({ listenerArn }: ListenerSettings): readonly RightsStatement[] {
  return holderRights(alb.holder, listenerArn);
}

/**
 * Weights on the default action of an Application Load Balancer's listener: of the requests that no rule takes. Each write
 * keeps the action's stickiness, the other actions, and all else of the listener.
 *
 * @param clients @default - clients of the listener's region and the settings' role
 * @throws InvalidInput with every problem of the settings
 */
export function albDefaultAction(settings: ListenerSettings, clients?: AwsClients): AwsRouter {
  return listenerRouter(alb, settings, clients);
}

/**
 * Weights on the listener of a Network Load Balancer. They hold for new connections: one that stands stays with its slot.
 *
 * @param clients @default - clients of the listener's region and the settings' role
 * @throws InvalidInput with every problem of the settings
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-listeners.html
 */
export function nlbListener(settings: ListenerSettings, clients?: AwsClients): AwsRouter {
  return listenerRouter(nlb, settings, clients);
}

function problemsOf({ setting, rule }: ListenerKind, settings: unknown): readonly Problem[] {
  return targetGroupSettingsProblems(settings, setting, 'listenerArn', rule);
}

function listenerRouter(kind: ListenerKind, settings: ListenerSettings, clients?: AwsClients): AwsRouter {
  const problems = problemsOf(kind, settings);
  if (problems.length > 0) {
    throw new InvalidInput(kind.setting, problems);
  }
  const { listenerArn, targetGroupArns, roleArn } = settings;
  const used = clients ?? awsClients({ region: regionOf(listenerArn), roleArn });
  return new ForwardRouter(
    actionsHolder(kind.holder, listenerArn, used),
    targetGroupArns,
    used,
    loadBalancerSubject(kind.layer, listenerArn, settings),
    listenerRights(settings),
  );
}

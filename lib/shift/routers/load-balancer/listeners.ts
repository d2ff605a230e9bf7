import type { Listener } from '@aws-sdk/client-elastic-load-balancing-v2';
import { awsClients } from '../../../core/aws/clients';
import type { AwsClients } from '../../../core/aws/clients';
import type { RightsStatement } from '../../../core/aws/iam';
import { beforeEachRequest, sentOnce } from '../../../core/aws/requests';
import { InvalidInput } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { machineClocks } from '../look-and-write';
import type { LookClocks } from '../look-and-write';
import type { AwsRouter } from '../router-kind';
import { ForwardRouter, actionsHolder, holderRights } from './forward-router';
import type { HolderKind, Listed } from './forward-router';
import {
  elasticLoadBalancingArn,
  loadBalancerSubject,
  regionOf,
  targetGroupSettingsProblems,
} from './settings';
import type { ElasticLoadBalancingArn, TargetGroupSettings } from './settings';

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
  read: async (client, arn, { asked, ...options }) => {
    const { DescribeListenersCommand } = await import('@aws-sdk/client-elastic-load-balancing-v2');
    const command = beforeEachRequest(new DescribeListenersCommand({ ListenerArns: [arn] }), asked);
    return actionsOf((await client.send(command, options)).Listeners);
  },
  write: async (client, arn, actions, { before, ...options }) => {
    const { ModifyListenerCommand } = await import('@aws-sdk/client-elastic-load-balancing-v2');
    const command = sentOnce(
      new ModifyListenerCommand({ ListenerArn: arn, DefaultActions: actions }),
      before,
    );
    return actionsOf((await client.send(command, options)).Listeners);
  },
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
 * @param clocks how long ago it has looked, before it writes @default - those of this machine
 * @throws InvalidInput with every problem of the settings
 */
export function albDefaultAction(
  settings: ListenerSettings,
  clients?: AwsClients,
  clocks: LookClocks = machineClocks,
): AwsRouter {
  return listenerRouter(alb, settings, clocks, clients);
}

/**
 * Weights on the listener of a Network Load Balancer. They hold for new connections: one that stands stays with its slot.
 *
 * @param clients @default - clients of the listener's region and the settings' role
 * @param clocks how long ago it has looked, before it writes @default - those of this machine
 * @throws InvalidInput with every problem of the settings
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-listeners.html
 */
export function nlbListener(
  settings: ListenerSettings,
  clients?: AwsClients,
  clocks: LookClocks = machineClocks,
): AwsRouter {
  return listenerRouter(nlb, settings, clocks, clients);
}

function problemsOf({ setting, rule }: ListenerKind, settings: unknown): readonly Problem[] {
  return targetGroupSettingsProblems(settings, setting, 'listenerArn', rule);
}

function actionsOf(listeners: readonly Listener[] | undefined): Listed {
  return listeners?.map(({ DefaultActions = [] }) => DefaultActions);
}

function listenerRouter(
  kind: ListenerKind,
  settings: ListenerSettings,
  clocks: LookClocks,
  clients?: AwsClients,
): AwsRouter {
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
    clocks,
  );
}

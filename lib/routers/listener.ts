import type { AwsClients, RightsStatement } from '../aws';
import { askAws, AwsError, awsClients } from '../aws';
import type { Problem } from '../problems';
import { InvalidInput } from '../problems';
import type { AwsRouter } from './aws-router';
import type { ActionsHolder } from './forward-router';
import { ForwardRouter } from './forward-router';
import type { ElasticLoadBalancingArn, TargetGroupSettings } from './forward-settings';
import {
  elasticLoadBalancingArn,
  forwardRights,
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
  readonly words: string;
  readonly layer: 'http' | 'connections';
  readonly rule: ElasticLoadBalancingArn;
}

const alb: ListenerKind = {
  setting: 'albDefaultAction',
  words: 'ALB listener',
  layer: 'http',
  rule: elasticLoadBalancingArn('listener/app', "an Application Load Balancer's listener"),
};

const nlb: ListenerKind = {
  setting: 'nlbListener',
  words: 'NLB listener',
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
  return forwardRights('DescribeListeners', 'ModifyListener', listenerArn);
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
    new ListenerHolder(kind.words, listenerArn, used),
    targetGroupArns,
    used,
    loadBalancerSubject(kind.layer, listenerArn, settings),
    listenerRights(settings),
  );
}

class ListenerHolder implements ActionsHolder {
  public readonly name: string;
  public readonly region: string;

  public constructor(
    words: string,
    public readonly arn: string,
    private readonly clients: AwsClients,
  ) {
    this.name = `${words} ${arn}`;
    this.region = regionOf(arn);
  }

  public read: ActionsHolder['read'] = async (signal) => {
    const call = {
      action: 'elasticloadbalancing:DescribeListeners',
      subject: this.name,
      region: this.region,
    };
    const { Listeners = [] } = await askAws(call, async () =>
      (await this.clients.elasticLoadBalancing()).describeListeners(
        { ListenerArns: [this.arn] },
        { abortSignal: signal },
      ),
    );
    const [listener] = Listeners;
    if (!listener) {
      throw new AwsError(call, { kind: 'notFound' }, new Error('no such listener'));
    }
    return listener.DefaultActions ?? [];
  };

  public write: ActionsHolder['write'] = async (actions, signal) => {
    const call = { action: 'elasticloadbalancing:ModifyListener', subject: this.name, region: this.region };
    await askAws(call, async () =>
      (await this.clients.elasticLoadBalancing()).modifyListener(
        { ListenerArn: this.arn, DefaultActions: [...actions] },
        { abortSignal: signal },
      ),
    );
  };
}

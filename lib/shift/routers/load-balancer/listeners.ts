import type { Listener } from '@aws-sdk/client-elastic-load-balancing-v2';
import { awsAccess } from '../../../core/aws/access-schema';
import type { AwsAccess } from '../../../core/aws/arns';
import { sentOnce } from '../../../core/aws/requests';
import { object } from '../../../core/validation/collections';
import { forwardKind } from './forward-router';
import type { OwnerKind, Listed } from './forward-router';
import { elasticLoadBalancingArn } from './settings';

/** Settings of `albDefaultAction` and `nlbListener`. */
export interface ListenerRouterSettings extends AwsAccess {
  /** ARN of the listener. */
  readonly listenerArn: string;
}

const calls: Omit<OwnerKind, 'words'> = {
  describe: 'DescribeListeners',
  modify: 'ModifyListener',
  write: async (client, arn, actions, { before, ...options }) => {
    const { ModifyListenerCommand } = await import('@aws-sdk/client-elastic-load-balancing-v2');
    const command = sentOnce(
      new ModifyListenerCommand({ ListenerArn: arn, DefaultActions: actions }),
      before,
    );
    return actionsOf((await client.send(command, options)).Listeners);
  },
};

function actionsOf(listeners: readonly Listener[] | undefined): Listed {
  return listeners?.map(({ DefaultActions = [] }) => DefaultActions);
}

/**
 * Weights on the default action of an Application Load Balancer's listener: of the requests that no rule takes. Each write
 * keeps the action's stickiness, the other actions, and all else of the listener.
 */
export const albDefaultAction = forwardKind<'listenerArn', ListenerRouterSettings>({
  title: "the default action of an Application Load Balancer's listener",
  layer: 'http',
  arn: 'listenerArn',
  settings: object<ListenerRouterSettings>({
    listenerArn: elasticLoadBalancingArn('listener/app', "an Application Load Balancer's listener"),
    ...awsAccess,
  }),
  holder: { ...calls, words: 'ALB listener' },
});

/**
 * Weights on the listener of a Network Load Balancer. They hold for new connections: one that stands stays with its slot.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-listeners.html
 */
export const nlbListener = forwardKind<'listenerArn', ListenerRouterSettings>({
  title: "a Network Load Balancer's listener",
  layer: 'connections',
  arn: 'listenerArn',
  settings: object<ListenerRouterSettings>({
    listenerArn: elasticLoadBalancingArn('listener/net', "a Network Load Balancer's listener"),
    ...awsAccess,
  }),
  holder: { ...calls, words: 'NLB listener' },
});

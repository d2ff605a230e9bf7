import type { Action, ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsCall, AwsClients, RightsStatement } from '../aws';
import { askAws, AwsError } from '../aws';
import { regionOf } from './forward-settings';

/** What holds the forward action: a listener's rule, or a listener with its default action. */
export interface ActionsHolder {
  /** `ALB rule arn:aws:…` */
  readonly name: string;
  readonly arn: string;
  readonly region: string;

  /** @throws AwsError */
  read(signal?: AbortSignal): Promise<readonly Action[]>;

  /**
   * Writes the actions, and nothing else.
   *
   * @throws AwsError
   */
  write(actions: readonly Action[], signal?: AbortSignal): Promise<void>;
}

/** How AWS is asked for one kind of holder. */
export interface HolderKind {
  /** `ALB rule` */
  readonly words: string;
  /** Name of the call that reads. */
  readonly describe: 'DescribeRules' | 'DescribeListeners';
  /** Name of the call that writes. */
  readonly modify: 'ModifyRule' | 'ModifyListener';
  /** Reads the actions; answers undefined where AWS knows no such holder. */
  read(client: ElasticLoadBalancingV2, arn: string, options: CallOptions): Promise<Action[] | undefined>;
  write(
    client: ElasticLoadBalancingV2,
    arn: string,
    actions: Action[],
    options: CallOptions,
  ): Promise<unknown>;
}

interface CallOptions {
  readonly abortSignal: AbortSignal | undefined;
}

/** One holder. */
export function actionsHolder(kind: HolderKind, arn: string, clients: AwsClients): ActionsHolder {
  const name = `${kind.words} ${arn}`;
  const region = regionOf(arn);
  const callOf = (action: string): AwsCall => ({
    action: `elasticloadbalancing:${action}`,
    subject: name,
    region,
  });
  return {
    name,
    arn,
    region,
    read: async (signal) => {
      const call = callOf(kind.describe);
      const actions = await askAws(call, async () =>
        kind.read(await clients.elasticLoadBalancing(), arn, { abortSignal: signal }),
      );
      if (!actions) {
        throw new AwsError(call, { kind: 'notFound' }, new Error(`no such ${kind.words}`));
      }
      return actions;
    },
    write: async (actions, signal) => {
      await askAws(callOf(kind.modify), async () =>
        kind.write(await clients.elasticLoadBalancing(), arn, [...actions], { abortSignal: signal }),
      );
    },
  };
}

/** The least rights for weights on a holder. AWS knows no narrower resource for what only describes. */
export function holderRights({ describe, modify }: HolderKind, arn: string): readonly RightsStatement[] {
  return [
    {
      Sid: 'ReadWeights',
      Effect: 'Allow',
      Action: [`elasticloadbalancing:${describe}`, 'elasticloadbalancing:DescribeTargetGroupAttributes'],
      Resource: '*',
    },
    { Sid: 'WriteWeights', Effect: 'Allow', Action: [`elasticloadbalancing:${modify}`], Resource: [arn] },
  ];
}

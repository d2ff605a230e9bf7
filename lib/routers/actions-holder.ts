import type { Action, ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsCall, AwsClients, RightsStatement } from '../aws';
import { askAws, AwsError, present } from '../aws';
import { regionOf } from './forward-settings';

/** What holds the forward action: a listener's rule, or a listener with its default action. */
export interface ActionsHolder {
  /** `ALB rule arn:aws:…` */
  readonly name: string;
  readonly arn: string;
  readonly region: string;

  /**
   * @param asked is called right before each request
   * @throws AwsError
   */
  read(signal?: AbortSignal, asked?: () => void): Promise<readonly Action[]>;

  /**
   * Writes the actions, and nothing else, with one request.
   *
   * @param before is called right before it; what it throws keeps it back
   * @throws AwsError
   */
  write(actions: readonly Action[], before: () => void, signal?: AbortSignal): Promise<void>;
}

/** How AWS is asked for one kind of holder. */
export interface HolderKind {
  /** `ALB rule` */
  readonly words: string;
  /** Name of the call that reads. */
  readonly describe: 'DescribeRules' | 'DescribeListeners';
  /** Name of the call that writes. */
  readonly modify: 'ModifyRule' | 'ModifyListener';
  /** What holds the actions, as AWS lists it. */
  read(client: ElasticLoadBalancingV2, arn: string, options: ReadOptions): Promise<Listed>;
  /** Writes the actions; AWS answers with what holds them. */
  write(
    client: ElasticLoadBalancingV2,
    arn: string,
    actions: Action[],
    options: WriteOptions,
  ): Promise<Listed>;
}

/** The actions of each that was found; unset where the answer has no list. */
export type Listed = readonly (readonly Action[])[] | undefined;

interface CallOptions {
  readonly abortSignal: AbortSignal | undefined;
}

/** How a holder is read. */
export interface ReadOptions extends CallOptions {
  readonly asked: () => void;
}

/** How a holder is written. */
export interface WriteOptions extends CallOptions {
  readonly before: () => void;
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
    read: async (signal, asked = () => undefined) => {
      const call = callOf(kind.describe);
      const client = await askAws(call, () => clients.elasticLoadBalancing());
      asked();
      const found = await askAws(call, () => kind.read(client, arn, { abortSignal: signal, asked }));
      const [actions] = present(call, kind.words, found);
      if (!actions) {
        throw new AwsError(call, { kind: 'notFound' }, new Error(`no such ${kind.words}`));
      }
      return actions;
    },
    write: async (actions, before, signal) => {
      const call = callOf(kind.modify);
      const client = await askAws(call, () => clients.elasticLoadBalancing());
      before();
      const options = { abortSignal: signal, before };
      present(
        call,
        kind.words,
        (await askAws(call, () => kind.write(client, arn, [...actions], options)))?.[0],
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

import type { Action, ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsAccess } from '../../../core/aws/arns';
import { awsClients } from '../../../core/aws/clients';
import type { AwsClients } from '../../../core/aws/clients';
import { callAws, present } from '../../../core/aws/errors';
import type { AwsCall } from '../../../core/aws/errors';
import type { AllowStatement } from '../../../core/aws/iam';
import { liveActions } from '../../../core/aws/load-balancing';
import { fullWeights } from '../../engine';
import type { Router, ShiftSubject, Weights } from '../../engine';
import type { Schema } from '../../../core/validation/schema';
import { withMissingTargets } from '../attaching-router';
import { descriptionOf, isRefusal, refused, routerError, weightsOf } from '../live-weights';
import type { LiveReading, UnfitReading } from '../live-weights';
import { lookAndWrite, machineClocks } from '../look-and-write';
import type { LookClocks, MinimumWait, OpenRouter, RouterDescription, RouterKind } from '../router-kind';
import {
  forwardTo,
  forwardWithout,
  readForward,
  targetGroupAttributes,
  targetGroupWait,
} from './forward-action';
import type { TargetGroups } from './forward-action';
import { loadBalancerSubject, regionOf, regionProblems, targetGroupField } from './settings';

/** What holds the forward action: a listener's rule, or a listener with its default action. */
interface ForwardActionOwner {
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
export interface OwnerKind {
  /** `ALB rule` */
  readonly words: string;
  /** Name of the call that reads. */
  readonly describe: 'DescribeRules' | 'DescribeListeners';
  /** Name of the call that writes. */
  readonly modify: 'ModifyRule' | 'ModifyListener';
  /** Writes the actions; AWS answers with what holds them. */
  write(
    client: ElasticLoadBalancingV2,
    arn: string,
    actions: Action[],
    options: ForwardWrite,
  ): Promise<Listed>;
}

/** The actions of each that was found; unset where the answer has no list. */
export type Listed = readonly (readonly Action[])[] | undefined;

/** How a holder is written. */
export interface ForwardWrite {
  readonly abortSignal: AbortSignal | undefined;
  readonly before: () => void;
}

/** One holder. */
function actionsHolder(kind: OwnerKind, arn: string, clients: AwsClients): ForwardActionOwner {
  const name = `${kind.words} ${arn}`;
  const region = regionOf(arn);
  const call: AwsCall = { action: `elasticloadbalancing:${kind.modify}`, subject: name, region };
  return {
    name,
    arn,
    region,
    read: (signal, asked) =>
      liveActions(clients, arn, { subject: name, region, words: kind.words, asked, signal }),
    write: async (actions, before, signal) => {
      const client = await callAws(call, () => clients.elasticLoadBalancing());
      before();
      const options = { abortSignal: signal, before };
      present(
        call,
        kind.words,
        (await callAws(call, () => kind.write(client, arn, [...actions], options)))?.[0],
      );
    },
  };
}

/** The least permissions for weights on a holder. AWS knows no narrower resource for what only describes. */
function holderPermissions({ describe, modify }: OwnerKind, arn: string): readonly AllowStatement[] {
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

/** One kind of router on a load balancer. */
interface ForwardKind<Key, Settings> {
  readonly title: string;
  readonly layer: 'http' | 'connections';
  /** Setting that has the ARN of what holds the action. */
  readonly arn: Key;
  readonly settings: Schema<Settings>;
  readonly holder: OwnerKind;
}

/** A kind of router that has its weights on the forward action of a holder. */
export function forwardKind<
  Key extends 'ruleArn' | 'listenerArn',
  Settings extends AwsAccess & Readonly<Record<Key, string>>,
>({ arn: key, holder, ...kind }: ForwardKind<Key, Settings>): RouterKind<Settings, 'targetGroupArn'> {
  return {
    ...kind,
    slot: targetGroupField,
    permissions: ({ [key]: arn }) => holderPermissions(holder, arn),
    together: (settings, slots) => regionProblems(key, settings, slots),
    open: (settings, slots, { clients, clocks = machineClocks }) => {
      const { [key]: arn, roleArn } = settings;
      const used = clients ?? awsClients({ region: regionOf(arn), roleArn });
      const subject = loadBalancerSubject(kind.layer, arn, slots, settings);
      return new ForwardRouter(actionsHolder(holder, arn, used), slots, used, subject, clocks);
    },
  };
}

/**
 * What actions say of the weights that were read with others: those of all rules of a listener, say.
 *
 * @param name of the router
 * @param slots ARN of each slot's target group
 */
export function describeForward(
  name: string,
  actions: readonly Action[],
  slots: TargetGroups,
): RouterDescription {
  return descriptionOf(name, readForward(actions, slots));
}

/** Weights of the target groups of a forward action. */
class ForwardRouter implements OpenRouter {
  public readonly name: string;
  public readonly id: string;

  public constructor(
    private readonly holder: ForwardActionOwner,
    private readonly slots: TargetGroups,
    private readonly clients: AwsClients,
    public readonly subject: ShiftSubject,
    private readonly clocks: LookClocks,
  ) {
    this.name = holder.name;
    this.id = holder.arn;
  }

  public async read(signal?: AbortSignal): Promise<Weights> {
    return weightsOf(this.name, await this.look(signal));
  }

  public async write(weights: Weights, signal?: AbortSignal, expected?: readonly Weights[]): Promise<void> {
    const wanted = fullWeights(Object.keys(this.slots), weights);
    await this.rewrite((actions) => forwardTo(actions, this.slots, wanted), signal, expected);
  }

  public async describe(signal?: AbortSignal): Promise<RouterDescription> {
    return descriptionOf(this.name, await this.look(signal));
  }

  public async minimumWait(signal?: AbortSignal): Promise<MinimumWait> {
    try {
      const [actions, attributes] = await Promise.all([
        this.holder.read(signal),
        targetGroupAttributes(this.clients, this.slots, this.holder.region, signal),
      ]);
      return targetGroupWait(actions, attributes);
    } catch (error) {
      throw routerError(error);
    }
  }

  public withMissingTargets(wanted: Weights): Router {
    return withMissingTargets(this, wanted, this.clocks);
  }

  public async takeOff(slot: string, signal?: AbortSignal): Promise<void> {
    await this.rewrite((actions) => forwardWithout(actions, this.slots, slot), signal);
  }

  /** Changes the actions as they are now, so that what somebody else has changed beside the weights stays. */
  private async rewrite(
    change: (actions: readonly Action[]) => readonly Action[] | UnfitReading | undefined,
    signal: AbortSignal | undefined,
    expected?: readonly Weights[],
  ): Promise<void> {
    await lookAndWrite({
      name: this.name,
      expected,
      clocks: this.clocks,
      look: (asked) => this.holder.read(signal, asked),
      reading: (actions) => readForward(actions, this.slots),
      send: async (actions, before) => {
        const changed = change(actions);
        if (changed && isRefusal(changed)) {
          throw refused(this.name, changed);
        }
        await (changed && this.holder.write(changed, before, signal));
      },
    });
  }

  private async look(signal?: AbortSignal): Promise<LiveReading> {
    return readForward(await this.actions(signal), this.slots);
  }

  private async actions(signal?: AbortSignal): Promise<readonly Action[]> {
    try {
      return await this.holder.read(signal);
    } catch (error) {
      throw routerError(error);
    }
  }
}

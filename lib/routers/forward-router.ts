import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsClients, RightsStatement } from '../aws';
import type { ShiftSubject, Weights } from '../shift';
import { fullWeights } from '../shift';
import type { ActionsHolder } from './actions-holder';
import type { AwsRouter, LeastWait, RouterDescription } from './aws-router';
import type { TargetGroups } from './forward-action';
import { forwardTo, readForward } from './forward-action';
import type { LookClocks } from './look-age';
import { lookAndWrite } from './look-and-write';
import type { Reading } from './reading';
import { isRefusal } from './reading';
import { descriptionOf, weightsOf } from './read-weights';
import { refused, routerError } from './router-failure';
import { targetGroupAttributes, targetGroupWait } from './target-group-wait';

/** Weights of the target groups of a forward action. */
export class ForwardRouter implements AwsRouter {
  public readonly name: string;
  public readonly id: string;

  public constructor(
    private readonly holder: ActionsHolder,
    private readonly slots: TargetGroups,
    private readonly clients: AwsClients,
    public readonly subject: ShiftSubject,
    public readonly rights: readonly RightsStatement[],
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
    await lookAndWrite({
      name: this.name,
      expected,
      clocks: this.clocks,
      // Read again, so that what somebody else has changed beside the weights stays.
      look: (asked) => this.holder.read(signal, asked),
      reading: (actions) => readForward(actions, this.slots),
      send: (actions, before) => this.holder.write(this.changed(actions, wanted), before, signal),
    });
  }

  public async describe(signal?: AbortSignal): Promise<RouterDescription> {
    return descriptionOf(this.name, await this.look(signal));
  }

  public async leastWait(signal?: AbortSignal): Promise<LeastWait> {
    try {
      const client = await this.clients.elasticLoadBalancing();
      const [actions, attributes] = await Promise.all([
        this.holder.read(signal),
        targetGroupAttributes(client, this.slots, this.holder.region, signal),
      ]);
      return targetGroupWait(actions, attributes);
    } catch (error) {
      throw routerError(error);
    }
  }

  private changed(actions: readonly Action[], wanted: Weights): readonly Action[] {
    const changed = forwardTo(actions, this.slots, wanted);
    if (isRefusal(changed)) {
      throw refused(this.name, changed);
    }
    return changed;
  }

  private async look(signal?: AbortSignal): Promise<Reading> {
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

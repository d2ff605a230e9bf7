import { within } from '../../../core/async';
import type { Clock } from '../../../core/async';
import { errorLine } from '../../../core/validation/problems';
import type { ShiftEvent } from '../machine/events';
import { RouterError } from '../router';
import type { Router } from '../router';
import { RoutersDiverged } from '../router-group';
import type { Weights } from '../weights';
import type { Interruption } from './interruption';

/** Calls a router; what it throws becomes an event. `undefined` is the answer of a call that was cut short. */
export class RouterCalls {
  public constructor(
    private readonly router: Router,
    private readonly clock: Clock,
    private readonly interruption: Interruption,
  ) {}

  public async read(): Promise<ShiftEvent | undefined> {
    try {
      const weights = await this.interruption.during(false, (signal) =>
        within(undefined, signal, (own) => this.router.read(own)),
      );
      return weights && { type: 'live', at: this.clock.now(), weights };
    } catch (error) {
      return error instanceof RoutersDiverged
        ? { type: 'live', at: this.clock.now(), weights: error.members[0]!.weights, members: error.members }
        : this.failed(error);
    }
  }

  public async write(weights: Weights, expected: readonly Weights[]): Promise<ShiftEvent | undefined> {
    try {
      return await this.interruption.during(true, (signal) =>
        within(undefined, signal, async (own) => {
          await this.router.write(weights, own, expected);
          return { type: 'written', at: this.clock.now() } as const;
        }),
      );
    } catch (error) {
      return this.failed(error);
    }
  }

  private failed(error: unknown): ShiftEvent {
    const at = this.clock.now();
    return error instanceof RouterError
      ? { type: 'routerFailed', at, failure: error.failure, message: errorLine(error), live: error.live }
      : {
          type: 'routerFailed',
          at,
          failure: 'unreachable',
          message: `${this.router.name}: ${errorLine(error)}`,
        };
  }
}

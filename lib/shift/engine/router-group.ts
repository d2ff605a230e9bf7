import { formatWeights } from './format';
import type { MemberWeights } from './machine/events';
import { RouterError, refuseChanged } from './router';
import type { Router } from './router';
import { equalWeights } from './weights';
import type { Weights } from './weights';

/** The routers of a group do not have the same weights: a write was cut short, or one of them was changed. */
export class RoutersDiverged extends RouterError {
  public constructor(
    /** Each member and its live weights. */
    public readonly members: readonly MemberWeights[],
  ) {
    const each = members.map(({ name, weights }) => `${name} has ${formatWeights(weights)}`);
    super('unfit', `they do not have the same weights: ${each.join('; ')}`);
    this.name = 'RoutersDiverged';
  }
}

/**
 * Several routers that one shift moves together: the rules of a route on several listeners, the same hosts in several
 * accounts.
 *
 * It reads all, and writes to one after the other. Each member looks again right before it is changed, since the ones before
 * may have taken a while; one that has the weights already is read alone. A run that finds them apart goes on only if
 * the record of an unfinished shift explains every member.
 *
 * @param routers at least one
 */
export function routerGroup(routers: readonly [Router, ...Router[]]): Router {
  return routers.length === 1 ? routers[0] : new RouterGroup(routers);
}

class RouterGroup implements Router {
  public readonly name: string;
  private lastRead: readonly Weights[] = [];

  public constructor(private readonly routers: readonly Router[]) {
    this.name = routers.map(({ name }) => name).join(', ');
  }

  public async read(signal?: AbortSignal): Promise<Weights> {
    const all = await Promise.all(this.routers.map((router) => router.read(signal)));
    this.lastRead = all;
    const [first] = all;
    if (!all.every((weights) => equalWeights(weights, first!))) {
      throw new RoutersDiverged(all.map((weights, index) => ({ name: this.routers[index]!.name, weights })));
    }
    return first!;
  }

  public async write(weights: Weights, signal?: AbortSignal, expected?: readonly Weights[]): Promise<void> {
    for (const [index, router] of this.routers.entries()) {
      const known = this.lastRead[index];
      try {
        if (known && equalWeights(known, weights)) {
          refuseChanged(router.name, await router.read(signal), [weights]);
        } else {
          await router.write(weights, signal, expected ?? (known && [known, weights]));
        }
      } catch (error) {
        throw ofMember(error);
      }
    }
  }
}

/** What is live on one member is not what is live on all. */
function ofMember(error: unknown): unknown {
  return error instanceof RouterError && error.live
    ? new RouterError(error.failure, error.message, undefined, { cause: error })
    : error;
}

import type { MemberWeights } from './machine/events';
import type { Router } from './router';
import { RouterError } from './router';
import { describeWeights } from './texts';
import type { Weights } from './weights';
import { equalWeights } from './weights';

/** The routers of a group do not have the same weights: a write was cut short, or somebody changed one of them. */
export class RoutersApart extends RouterError {
  public constructor(
    /** Each member and its live weights. */
    public readonly members: readonly MemberWeights[],
  ) {
    const each = members.map(({ name, weights }) => `${name} has ${describeWeights(weights)}`);
    super('unfit', `they do not have the same weights: ${each.join('; ')}`);
    this.name = 'RoutersApart';
  }
}

/**
 * Several routers that one shift moves together: the rules of a route on several listeners, the same hosts in several
 * accounts.
 *
 * It reads all, and writes to one after the other. Before each write it looks again at the member that it is about to
 * change, since the ones before may have taken a while. A run that finds them apart goes on only if the record of an
 * unfinished shift explains every member.
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
      throw new RoutersApart(all.map((weights, index) => ({ name: this.routers[index]!.name, weights })));
    }
    return first!;
  }

  public async write(weights: Weights, signal?: AbortSignal): Promise<void> {
    for (const [index, router] of this.routers.entries()) {
      const known = this.lastRead[index];
      const live = index === 0 || !known ? known : await router.read(signal);
      if (live && known && !equalWeights(live, known) && !equalWeights(live, weights)) {
        throw new RouterError(
          'unfit',
          `somebody else changed ${router.name} meanwhile: from ${describeWeights(known)} to ${describeWeights(live)}`,
        );
      }
      if (!live || !equalWeights(live, weights)) {
        await router.write(weights, signal);
      }
    }
  }
}

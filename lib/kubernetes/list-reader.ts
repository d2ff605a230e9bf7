import { isMapping } from '../problems';
import { longestList, longestListing, mostObjects, mostPages } from './answer-limits';
import { KubernetesError } from './kubernetes-error';
import type { KubernetesObject, ResourceKind } from './kubernetes-object';

/** Puts the pages of a list together, within bounds: a server may answer with pages that never end. */
export class ListReader {
  public readonly objects: KubernetesObject[] = [];
  /** Token of the next page; empty where there is none. */
  public next = '';
  private readonly tokens = new Set<string>();
  private readonly begun: number;
  private length = 0;

  /** @param asked server and request, for errors */
  public constructor(
    private readonly kind: ResourceKind,
    private readonly asked: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.begun = now();
  }

  /**
   * Takes over a page.
   *
   * @param length of the answer, in characters
   * @throws KubernetesError `faulty` for what is no page, and beyond a limit
   */
  public add(page: unknown, length: number): void {
    const { items, metadata } = isMapping(page) ? page : {};
    // A list without items says so, with an empty list or null; what says nothing of them is no list.
    if (!Array.isArray(items) && items !== null) {
      throw this.faulty('the answer is no list; is this an API server?');
    }
    // One by one: a list in one page may have more items than a call takes arguments.
    for (const item of (items ?? []) as readonly unknown[]) {
      if (!isMapping(item) || !isMapping(item.metadata)) {
        throw this.faulty('an item of the list is no object; is this an API server?');
      }
      // Lists name the kind once, for all of their items.
      const { apiVersion, kind } = this.kind;
      this.objects.push({ ...(item as KubernetesObject), apiVersion, kind });
    }
    const token = (isMapping(metadata) ? metadata.continue : undefined) ?? '';
    if (typeof token !== 'string') {
      throw this.faulty('the list names its next page by something that is no text');
    }
    this.length += length;
    this.next = token;
    this.checkLimits();
    this.tokens.add(token);
  }

  private checkLimits(): void {
    if (this.objects.length > mostObjects) {
      throw this.faulty(`the list has more than ${mostObjects} objects, which is more than is read`);
    }
    if (this.next === '') {
      return;
    }
    if (this.tokens.has(this.next)) {
      throw this.faulty('the list names the same next page again');
    }
    const most = [
      [this.length, longestList, 'characters'],
      [this.tokens.size + 1, mostPages, 'pages'],
      [(this.now() - this.begun) / 1000, longestListing / 1000, 'seconds'],
    ] as const;
    for (const [value, limit, what] of most) {
      if (value >= limit) {
        throw this.faulty(`the list did not end within ${limit} ${what}`);
      }
    }
  }

  private faulty(what: string): KubernetesError {
    return new KubernetesError('faulty', `${this.asked}: ${what}`);
  }
}

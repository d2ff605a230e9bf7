import { setMaxListeners } from 'node:events';
import { Limiter } from '../../async';
import type {
  KubernetesObject,
  KubernetesReader,
  ListOptions,
  ObjectKind,
  ObjectReference,
} from '../../kubernetes/api';
import { KubernetesError, isKubernetesError } from '../../kubernetes/errors';
import type { ServedKinds, Survey } from '../../kubernetes/survey';
import { said } from '../words';

/** What was read, and what was not. */
export interface Read<Value> {
  readonly value: Value;
  /** What came to nothing, a line each, with the right that is missing: what it would have said has not passed. */
  readonly untried: readonly string[];
}

/** An API server that can be asked for everything that readiness wants to know. */
export type SurveyedApi = KubernetesReader & Survey;

/**
 * Asks one API server: so many calls at once, and each answer once, however many subjects want it. A call that is denied or
 * fails is said as untried.
 */
export class LiveReader {
  private readonly limiter: Limiter;
  private readonly kept = new Map<string, Promise<unknown>>();
  private answered = false;
  private ended: { readonly error: unknown } | undefined;

  public constructor(
    public readonly api: SurveyedApi,
    concurrency: number,
    public readonly signal: AbortSignal,
  ) {
    this.limiter = new Limiter(Math.max(concurrency, 1));
    // Every request under way listens to it, and Node.js warns of more than ten.
    setMaxListeners(Infinity, signal);
  }

  /** What was asked under this name, or is asked now. */
  public once<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
    const found = (this.kept.get(name) as Promise<Value> | undefined) ?? read();
    this.kept.set(name, found);
    return found;
  }

  /**
   * What a call answers.
   *
   * @param what names it in a line of what is untried: `CronJobs`
   * @returns undefined where it came to nothing
   * @throws KubernetesError where nobody answers at all, or the credentials are wrong; the signal's reason
   */
  public async one<Value>(what: string, ask: () => Promise<Value>): Promise<Read<Value | undefined>> {
    try {
      const value = await this.call(ask);
      return { value, untried: [] };
    } catch (error) {
      return { value: undefined, untried: [`${what}: ${said(this.tolerated(error).message)}`] };
    }
  }

  /**
   * The error of a call that others may be asked after; every further call ends with one that is none.
   *
   * @throws what is thrown by every other call, too
   */
  public tolerated(error: unknown): KubernetesError {
    const isUseless =
      !(error instanceof KubernetesError) ||
      error.reason === 'unauthenticated' ||
      (error.reason === 'unreachable' && !this.answered);
    if (isUseless) {
      this.ended ??= { error };
      throw error;
    }
    this.answered = true;
    return error;
  }

  /** One call, when there is room; its error is the caller's. */
  public async call<Value>(ask: () => Promise<Value>): Promise<Value> {
    const value = await this.limiter.run(() => {
      this.signal.throwIfAborted();
      if (this.ended) {
        throw this.ended.error;
      }
      return ask();
    });
    this.answered = true;
    return value;
  }

  /** Every kind that can be listed. */
  public served(): Promise<Read<ServedKinds | undefined>> {
    return this.once('served', () => this.one('kinds', () => this.api.servedKinds(this.signal)));
  }

  /**
   * All objects of a kind, as much of each as is needed; none where the server has no such kind.
   *
   * @returns undefined where they may not be listed
   */
  public list(kind: ObjectKind): Promise<Read<readonly KubernetesObject[] | undefined>> {
    return this.once(`list ${kind.apiVersion} ${kind.kind}`, () =>
      this.one(`${kind.kind}s`, () => noneIfUnknown(this.api.list(kind, { signal: this.signal }))),
    );
  }

  /** The same without their content, as much of each as `keep` makes of it. */
  public metadata<Kept>(
    kind: ObjectKind,
    keep: (object: KubernetesObject) => Kept | undefined,
    options: Omit<ListOptions, 'signal'> = {},
  ): Promise<Read<readonly Kept[] | undefined>> {
    return this.one(`${kind.kind}s`, () =>
      noneIfUnknown(this.api.listMetadata(kind, keep, { ...options, signal: this.signal })),
    );
  }

  /** One object; `missing` where there is none. */
  public get(
    what: string,
    reference: ObjectReference,
  ): Promise<Read<KubernetesObject | 'missing' | undefined>> {
    return this.one<KubernetesObject | 'missing'>(what, async () => {
      try {
        return await this.api.get(reference, this.signal);
      } catch (error) {
        if (isKubernetesError(error, 'notFound', 'unsupported')) {
          return 'missing';
        }
        throw error;
      }
    });
  }
}

async function noneIfUnknown<Item>(list: Promise<readonly Item[]>): Promise<readonly Item[]> {
  try {
    return await list;
  } catch (error) {
    if (isKubernetesError(error, 'unsupported', 'notFound')) {
      return [];
    }
    throw error;
  }
}

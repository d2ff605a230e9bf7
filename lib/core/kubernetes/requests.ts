import { orAborted, sleep } from '../async';
import type { CredentialSource } from './credentials';
import { KubernetesError, describeRequest, isKubernetesError, refusalOf } from './errors';
import type { Request } from './errors';
import { answerProblem, longestAnswer } from './lists';
import { TransportFailure } from './transport';
import type { Transport, TransportAnswer } from './transport';

/** How often and how patiently a call is made. */
export interface RetryLimits {
  /** Of one try, in milliseconds. @default 10000 */
  readonly timeout: number;
  /** Tries, the first one included. @default 4 */
  readonly attempts: number;
  /** Before the second try, in milliseconds; it doubles with each further one, up to 5 s. @default 250 */
  readonly pause: number;
}

export const defaultLimits: RetryLimits = { timeout: 10_000, attempts: 4, pause: 250 };

const longestPause = 5_000;

/** A server may ask for a longer pause than it would otherwise be. */
const longestAskedFor = 30_000;

/**
 * How long to wait before the next try, in milliseconds. Half of it is left to chance, so that many callers don't come
 * back at once.
 *
 * @param failed tries so far, at least one
 * @param retryAfter seconds that the server asked for
 * @param chance from 0 to 1
 */
export function pauseBefore(
  failed: number,
  limits: RetryLimits,
  retryAfter: number | undefined,
  chance: number,
): number {
  const grown = Math.min(limits.pause * 2 ** (failed - 1), longestPause);
  const asked = Math.min((retryAfter ?? 0) * 1000, longestAskedFor);
  return Math.max(grown * (0.5 + chance / 2), asked * (1 + chance / 4));
}

/** What may be asked twice: everything, or only what the server has not begun. */
type Repeatable = 'always' | 'unlessBegun';

/** Whether an answer of this status is worth another try. */
export function isPassing(status: number, repeatable: Repeatable): boolean {
  // The server sends 429 before it does anything.
  return status === 429 || (repeatable === 'always' && (status >= 500 || status === 408) && status !== 501);
}

/** One call to an API server. */
export interface Call {
  readonly request: Request;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly body?: object;
  /** @default 'application/json' */
  readonly contentType?: string;
  /** @default 'application/json' */
  readonly accept?: string;
  /** Of one try, in milliseconds. @default - that of the caller's limits */
  readonly timeout?: number;
  /** Of the answer, in bytes. @default 268435456 - see `longestAnswer` */
  readonly longest?: number;
  readonly repeatable: Repeatable;
  readonly signal?: AbortSignal;
}

/** Makes calls: with credentials, again where that may help, and with errors that a person understands. */
export class RequestSender {
  public constructor(
    public readonly server: string,
    private readonly transport: Transport,
    private readonly credentials: CredentialSource,
    private readonly limits: RetryLimits,
    private readonly chance: () => number = Math.random,
  ) {}

  /**
   * The answer of a call that succeeded, as parsed JSON.
   *
   * @throws KubernetesError; the signal's reason where that is aborted
   */
  public async call(call: Call): Promise<unknown> {
    return (await this.sized(call)).content;
  }

  /**
   * The same, with the length of the answer in characters.
   *
   * @throws as `call`
   */
  public async sized(call: Call): Promise<{ readonly content: unknown; readonly length: number }> {
    const answer = await this.answer(call);
    return { content: this.parsed(call, answer), length: answer.body.length };
  }

  /**
   * The answer of a call that succeeded, as text.
   *
   * @throws as `call`
   */
  public async text(call: Call): Promise<string> {
    return (await this.answer(call)).body;
  }

  public close(): void {
    this.transport.close();
  }

  private async answer(call: Call): Promise<TransportAnswer> {
    let renewed = false;
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.attempt(call);
      if ('answer' in outcome && outcome.answer.status < 300) {
        return outcome.answer;
      }
      if ('answer' in outcome && outcome.answer.status === 401 && !renewed && this.credentials.renew()) {
        renewed = true;
        continue;
      }
      const again =
        'answer' in outcome
          ? isPassing(outcome.answer.status, call.repeatable)
          : outcome.failure.passing && (call.repeatable === 'always' || !outcome.failure.sent);
      if (!again || tries >= this.limits.attempts) {
        throw this.error(call, outcome, tries);
      }
      const retryAfter = 'answer' in outcome ? outcome.answer.retryAfter : undefined;
      await sleep(pauseBefore(tries, this.limits, retryAfter, this.chance()), call.signal);
    }
  }

  private async attempt(call: Call): Promise<Outcome> {
    const { headers, ...client } = await orAborted(this.credentials.current(), call.signal);
    try {
      const answer = await this.transport.send({
        method: call.method,
        path: call.path,
        headers: {
          ...headers,
          accept: call.accept ?? 'application/json',
          'user-agent': 'cluster-canary',
          ...(call.body ? { 'content-type': call.contentType ?? 'application/json' } : {}),
        },
        ...(call.body ? { body: JSON.stringify(call.body) } : {}),
        ...client,
        timeout: call.timeout ?? this.limits.timeout,
        longest: call.longest ?? longestAnswer,
        ...(call.signal ? { signal: call.signal } : {}),
      });
      return { answer };
    } catch (error) {
      if (error instanceof TransportFailure) {
        return { failure: error };
      }
      throw error;
    }
  }

  private parsed(call: Call, { status, body }: TransportAnswer): unknown {
    const faulty = (what: string): KubernetesError =>
      new KubernetesError(
        'faulty',
        `${this.server}: ${describeRequest(call.request)}: the answer ${what}; is this an API server?`,
        status,
      );
    const problem = answerProblem(body);
    if (problem !== undefined) {
      throw faulty(problem);
    }
    try {
      return JSON.parse(body);
    } catch {
      throw faulty('is not JSON');
    }
  }

  private error(call: Call, outcome: Outcome, tries: number): KubernetesError {
    if ('answer' in outcome) {
      return refusalOf(this.server, call.request, outcome.answer.status, outcome.answer.body);
    }
    const often = tries > 1 ? ` (${tries} tries)` : '';
    return new KubernetesError(
      outcome.failure.beyond ? 'faulty' : 'unreachable',
      `${this.server}: ${describeRequest(call.request)}: ${outcome.failure.message}${often}`,
      undefined,
      { cause: outcome.failure },
    );
  }
}

type Outcome = { readonly answer: TransportAnswer } | { readonly failure: TransportFailure };

/** Whether a later look at an API server may go better than one that ended with this error. */
export function mayPass(error: unknown): boolean {
  return isKubernetesError(error, 'unreachable', 'throttled', 'faulty', 'conflict', 'expired');
}

import * as https from 'node:https';
import { byProxy, environmentProxy, proxyAgent } from '../proxies';
import type { Clock } from '../shift';
import { steadyClock } from '../shift';
import { endpointChoices } from './endpoint';

/** An API server and the way to it. */
export interface ReachabilityTarget {
  readonly endpoint: string;
  /** PEM in base64. */
  readonly certificateAuthority: string;
  /** @default - HTTPS_PROXY and NO_PROXY of the environment */
  readonly proxyUrl?: string;
}

/** How long to try, and who hears of it. Times are in milliseconds. */
export interface ReachabilityOptions {
  /** Whether this run has made the cluster. @default false */
  readonly isNew?: boolean;
  /**
   * @default - 30000 for a cluster that was there before; 600000 for one that this run has made, whose name resolves some
   * minutes after EKS calls the cluster active
   * @see https://github.com/aws/containers-roadmap/issues/654
   */
  readonly deadline?: number;
  /** Of one try. @default 5000 */
  readonly attempt?: number;
  /** Between two tries; a random part of up to half is added. @default 2000 */
  readonly pause?: number;
  /** Hears how it goes, every half a minute. @default - nobody does */
  readonly say?: (line: string) => void;
  /** Ends the waiting. @default - nothing does */
  readonly signal?: AbortSignal;
  /** @default - the time that passes, whatever the time of day is set to */
  readonly clock?: Clock;
  /** One try; it answers what went wrong, if anything. @default - asks the API server */
  readonly ask?: typeof ask;
}

const sayEvery = 30_000;

/**
 * Waits until the API server answers at all: any HTTP status will do, since without credentials it may refuse.
 *
 * @throws Error at the deadline, with the endpoint, the last failure and what to do; or when it was interrupted
 */
export async function waitUntilReachable(
  target: ReachabilityTarget,
  {
    isNew = false,
    deadline = isNew ? 600_000 : 30_000,
    attempt = 5_000,
    pause = 2_000,
    say = () => undefined,
    signal,
    clock = steadyClock(),
    ask: askOnce = ask,
  }: ReachabilityOptions = {},
): Promise<void> {
  const start = clock.now();
  const end = start + deadline;
  let sayAt = start + sayEvery;
  for (;;) {
    const left = end - clock.now();
    const failure = await askOnce(target, Math.min(attempt, Math.max(left, 1)));
    if (failure === undefined) {
      return;
    }
    const wait = pause * (1 + Math.random() / 2);
    // A last try of no length would only hide what went wrong before.
    if (clock.now() + wait + Math.min(deadline / 10, attempt) >= end) {
      throw new Error(unreachable(target, isNew, deadline, failure));
    }
    if (clock.now() >= sayAt) {
      sayAt += sayEvery;
      const seconds = Math.round((clock.now() - start) / 1000);
      say(
        `${what(target, isNew)} does not answer yet: ${failure}. ${seconds} s of at most ${deadline / 1000} s`,
      );
    }
    await clock.sleep(wait, signal);
    if (signal?.aborted) {
      throw new Error(`interrupted while ${what(target, isNew)} did not answer: ${failure}`);
    }
  }
}

function what({ endpoint, proxyUrl }: ReachabilityTarget, isNew: boolean): string {
  return `the Kubernetes API server ${isNew ? 'of the new cluster ' : ''}at ${endpoint}${proxyUrl ? ' through the proxy' : ''}`;
}

/** What went wrong, with the likeliest cause first. */
function unreachable(target: ReachabilityTarget, isNew: boolean, deadline: number, failure: string): string {
  const hasNoName = /ENOTFOUND|EAI_AGAIN/.test(failure);
  const hint =
    isNew || hasNoName
      ? "A new cluster's name resolves some minutes after EKS calls the cluster active, and a resolver that found none " +
        'says so for about a minute more: run up again, which goes on from here. If that does not help, the '
      : 'The ';
  return (
    `The Kubernetes API server at ${target.endpoint} could not be reached within ${deadline / 1000} s` +
    `${target.proxyUrl ? ' through the proxy' : ''}: ${failure}. ` +
    `${hint}program must run where "endpoint" says it does: ${endpointChoices}.`
  );
}

/** Answers what went wrong, if anything. */
async function ask(target: ReachabilityTarget, timeout: number): Promise<string | undefined> {
  const proxy = target.proxyUrl ?? environmentProxy(target.endpoint, process.env);
  const agent =
    proxy === undefined
      ? new https.Agent({ keepAlive: false })
      : proxyAgent(proxy, 'https:', { keepAlive: false });
  const words = (error: Error): string => (proxy === undefined ? error : byProxy(error, proxy)).message;
  return new Promise((resolve) => {
    const request = https.request(new URL('/livez', target.endpoint), {
      ca: Buffer.from(target.certificateAuthority, 'base64'),
      agent,
      timeout,
    });
    request.on('response', (response) => {
      response.resume();
      resolve(undefined);
    });
    // A timeout of the socket alone does not cover name resolution and connecting.
    const timer = setTimeout(() => {
      const error = new Error(`no answer within ${timeout / 1000} s`);
      request.destroy(error);
      // A request that still waits for its proxy does not tell that it was destroyed.
      resolve(words(error));
      agent.destroy();
    }, timeout);
    request.on('error', (error) => resolve(words(error)));
    request.on('close', () => {
      clearTimeout(timer);
      // A server that changes the protocol (101) has its connection closed without a word.
      resolve('the server ended the connection');
    });
    request.end();
  });
}

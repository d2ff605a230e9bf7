import * as https from 'node:https';
import { proxyAgent } from '../kubernetes';
import { endpointChoices } from './endpoint';

/** An API server and the way to it. */
export interface ReachabilityTarget {
  readonly endpoint: string;
  /** PEM in base64. */
  readonly certificateAuthority: string;
  readonly proxyUrl?: string;
}

/** How long to try, in milliseconds. */
export interface ReachabilityLimits {
  /** @default 30000 - long enough for a new endpoint's DNS record, short enough to watch */
  readonly deadline?: number;
  /** Of one try. @default 5000 */
  readonly attempt?: number;
  /** Between two tries; a random part of up to half is added. @default 2000 */
  readonly pause?: number;
}

/**
 * Waits until the API server answers at all: any HTTP status will do, since without credentials it may refuse.
 *
 * @throws Error at the deadline, with the endpoint, the last failure and the choices for `endpoint`
 */
export async function waitUntilReachable(
  target: ReachabilityTarget,
  { deadline = 30_000, attempt = 5_000, pause = 2_000 }: ReachabilityLimits = {},
): Promise<void> {
  const end = Date.now() + deadline;
  for (;;) {
    const left = end - Date.now();
    const failure = await ask(target, Math.min(attempt, Math.max(left, 1)));
    if (failure === undefined) {
      return;
    }
    const wait = pause * (1 + Math.random() / 2);
    // A last try of no length would only hide what went wrong before.
    if (Date.now() + wait + deadline / 10 >= end) {
      throw new Error(
        `The Kubernetes API server at ${target.endpoint} could not be reached within ${deadline / 1000} s` +
          `${target.proxyUrl ? ' through the proxy' : ''}: ${failure}. ` +
          `The program must run where "endpoint" says it does: ${endpointChoices}.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Answers what went wrong, if anything. */
async function ask(target: ReachabilityTarget, timeout: number): Promise<string | undefined> {
  const giveUp = new AbortController();
  const agent =
    target.proxyUrl === undefined
      ? new https.Agent({ keepAlive: false })
      : await proxyAgent(target.proxyUrl, { timeout, signal: giveUp.signal });
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
      resolve(error.message);
      giveUp.abort();
    }, timeout);
    request.on('error', (error) => resolve(error.message));
    request.on('close', () => clearTimeout(timer));
    request.end();
  });
}

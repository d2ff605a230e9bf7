import type { DoctorContext } from '../doctor-check';
import type { TokenRequest } from './ask-for-token';
import { askOnClock } from './ask-for-token';
import type { MeasuredClock } from './clock-verdict';
import type { GitHubHttp } from './github-http';
import { GitHubUnreachable } from './github-http';
import type { SharedCredential } from './judged-secret';
import type { Simulated } from './node-findings';
import type { TokenOutcome } from './token-outcome';

/** A credential and what came of asking with it. */
export interface Asked {
  readonly shared: SharedCredential;
  readonly request: TokenRequest;
  readonly outcome: TokenOutcome;
}

/** From how many seconds on GitHub is asked; a clock that is right is no question. */
const leastSkew = 10;
/** Each is a token. */
const mostNodes = 5;

/**
 * Asks GitHub as nodes with these clocks would, with a credential that works from here: the farthest off ones, a few. The
 * API server's clock, which nodes are measured against, is taken for right.
 */
export async function simulate(
  asked: readonly Asked[],
  clocks: readonly MeasuredClock[],
  http: GitHubHttp,
  context: Pick<DoctorContext, 'now' | 'signal'>,
): Promise<readonly Simulated[]> {
  const working = asked.find(({ outcome }) => outcome.granted !== undefined);
  if (!working) {
    return [];
  }
  const { request, outcome } = working;
  const off = clocks
    .filter(({ seconds }) => Math.abs(seconds) >= leastSkew)
    .sort((one, other) => Math.abs(other.seconds) - Math.abs(one.seconds))
    .slice(0, mostNodes);
  const simulated: Simulated[] = [];
  for (const { node, seconds } of off) {
    const right = context.now().getTime() - (outcome.ownSkewSeconds ?? 0) * 1000;
    try {
      const { status, message } = await askOnClock(
        request,
        http,
        new Date(right + seconds * 1000),
        context.signal,
      );
      simulated.push({ node, status, message });
    } catch (error) {
      if (!(error instanceof GitHubUnreachable)) {
        throw error;
      }
    }
  }
  return simulated;
}

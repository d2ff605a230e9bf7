import { setTimeout as pause } from 'node:timers/promises';
import type { GitHubAnswer, GitHubHttp, Obstacle } from './github-http';
import { GitHubUnreachable } from './github-http';

/** How often and how patiently GitHub is asked. */
export interface Patience {
  /** Tries, the first one included. @default 3 */
  readonly attempts: number;
  /** Before the second try, in milliseconds; it doubles with each further one. Half of it is left to chance. @default 500 */
  readonly pauseMs: number;
}

const passing: readonly Obstacle[] = ['slow', 'cut', 'name', 'refused'];

/**
 * Asks again where that may help: after a fault of the server, or none of its answers. A limit of calls is an answer: more
 * calls would make it worse.
 */
export function patiently(
  asked: GitHubHttp,
  { attempts, pauseMs }: Patience = { attempts: 3, pauseMs: 500 },
  chance: () => number = Math.random,
): GitHubHttp {
  return {
    send: async (request, signal) => {
      for (let tries = 1; ; tries += 1) {
        const outcome = await asked.send(request, signal).catch((error: unknown) => {
          if (error instanceof GitHubUnreachable) {
            return error;
          }
          throw error;
        });
        if (tries >= attempts || !isPassing(outcome)) {
          if (outcome instanceof GitHubUnreachable) {
            throw outcome;
          }
          return outcome;
        }
        const longest = pauseMs * 2 ** (tries - 1);
        await pause(longest * (0.5 + chance() / 2), undefined, { signal }).catch(() =>
          signal.throwIfAborted(),
        );
      }
    },
  };
}

function isPassing(outcome: GitHubAnswer | GitHubUnreachable): boolean {
  return outcome instanceof GitHubUnreachable
    ? passing.includes(outcome.obstacle)
    : outcome.status >= 500 && outcome.status !== 501;
}

import { shownLine } from '../run-command';
import type { GitHubApi, PullRequest } from './github';

/** Pull requests for one and the same change, of which all but the last were closed. */
const mostRequests = 100;

/** What is to be done about a change that is not in the branch yet. */
export type RequestChoice =
  /** One of the swap is open. */
  | { readonly use: PullRequest }
  /** It is to be made, from a branch of this name. */
  | { readonly make: string }
  /** A person has closed that of this swap. */
  | { readonly refused: PullRequest };

/**
 * Chooses among the pull requests of one change, the oldest first: a run after a kill goes on with that of the run before, and one
 * that was closed in an earlier swap is none of this one's.
 *
 * @param change names a branch for each number: the same change has the same names
 * @param swap id of the swap, which its pull requests name. @default - none of them is known to be of this swap
 * @param given numbers of those that this run has given up
 */
export function chosenRequest(
  change: (number: number) => string,
  found: readonly PullRequest[],
  swap: string | undefined,
  given: ReadonlySet<number>,
): RequestChoice {
  const last = found.at(-1);
  if (last && !given.has(last.number)) {
    if (last.state === 'open') {
      return { use: last };
    }
    const isOfPerson = !last.body.includes(closedMark);
    if (last.state === 'closed' && isOfPerson && swap !== undefined && last.body.includes(swapMark(swap))) {
      return { refused: last };
    }
  }
  return { make: change(found.length + 1) };
}

/** By this a pull request is known as that of a swap. */
function swapMark(swap: string): string {
  return `Swap ${swap} of cluster-canary`;
}

/** By this a later run knows that no person has refused it. */
const closedMark = 'The swap closed this pull request itself.';

/** What a pull request says. */
export function requestBody(title: string, swap: string | undefined): string {
  const who = swap === undefined ? 'A swap of cluster-canary' : swapMark(swap);
  return `${title}\n\n${who} made it and waits for its merge. Closed without a merge, it ends the swap.`;
}

/** A pull request was closed without a merge. */
export function closedError({ url }: PullRequest): Error {
  return new Error(`${shownLine(url)} was closed without a merge`);
}

/**
 * The pull requests of one change, the oldest first.
 *
 * @throws Error where there are too many
 */
export async function requestsOf(
  api: Pick<GitHubApi, 'find'>,
  change: (number: number) => string,
  base: string,
): Promise<readonly PullRequest[]> {
  const found: PullRequest[] = [];
  for (let number = 1; number <= mostRequests; number += 1) {
    const next = await api.find(change(number), base);
    if (next === undefined) {
      return found;
    }
    found.push(next);
  }
  throw new Error(`${mostRequests} pull requests for this change were closed: ${change(1)} and following`);
}

/**
 * Closes the open ones from branches that begin so, but one: what a swap has given up must not be merged later.
 *
 * @returns those that a person was quicker to merge
 */
export async function closeRequests(
  api: Pick<GitHubApi, 'open' | 'close'>,
  base: string,
  prefix: string,
  { but, say }: { readonly but?: string | undefined; readonly say: (line: string) => void },
): Promise<readonly PullRequest[]> {
  const merged: PullRequest[] = [];
  const others = (await api.open(base)).filter(({ head }) => head.startsWith(prefix) && head !== but);
  for (const { number, url, body } of others) {
    const now = await api.close(number, `${body}\n\n${closedMark}`);
    if (now.state === 'merged') {
      merged.push(now);
      say(`${shownLine(url)} was merged just now, and is not wanted any more: the pipeline deploys it`);
    } else {
      say(`${shownLine(url)} is closed: the swap does not ask for it any more`);
    }
  }
  return merged;
}

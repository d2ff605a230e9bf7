import { sleep } from '../../../../core/async';
import { httpClient } from '../../../../core/http';
import type { HttpClient, HttpRequest } from '../../../../core/http';
import { askGitHub, gitHubLeastPause, passingPause } from '../../../../core/github';
import type { GitHubFailure } from '../../../../core/github';
import { redacted } from '../../../../core/redaction';
import { isPlainObject } from '../../../../core/validation/problems';
import type { PlainObject } from '../../../../core/validation/problems';
import { ProgramUnreachable } from '../../program';
import { refusedLogin } from './repository';
import type { GitHubSettings } from './settings';

/** A pull request, as far as it is of use. */
export interface PullRequest {
  readonly number: number;
  /** Page for people. */
  readonly url: string;
  readonly state: 'open' | 'closed' | 'merged';
  /** The branch that is to be merged. */
  readonly head: string;
  /** Its text. */
  readonly body: string;
  /** Whether it can't be merged, since the base branch has other changes of the same lines. It takes GitHub a while to know. */
  readonly conflicts: boolean;
  /** The commit on the base branch. @default - it is not merged */
  readonly mergeCommit?: string;
}

/** What has become of a revision; `unknown`: nothing is said of it. */
export type DeploymentState = 'deployed' | 'failed' | 'running' | 'unknown';

/** What is asked of GitHub. */
export interface GitHubApi {
  /** The newest pull request from this branch to that one, whatever its state. */
  find(head: string, base: string): Promise<PullRequest | undefined>;
  create(request: {
    readonly head: string;
    readonly base: string;
    readonly title: string;
    readonly body: string;
  }): Promise<PullRequest>;
  get(number: number): Promise<PullRequest>;
  /** Those that are open to a branch, at most a thousand. */
  open(base: string): Promise<readonly PullRequest[]>;
  /** Closes one without a merge, and changes its description. One that has been merged stays merged. */
  close(number: number, body: string): Promise<PullRequest>;
  /** By the newest commit status of this name. */
  status(revision: string, context: string): Promise<DeploymentState>;
  /** By the newest deployment of exactly this revision to an environment. */
  deployment(revision: string, environment: string): Promise<DeploymentState>;
}

/** How GitHub is asked. */
export interface GitHubOptions {
  readonly http?: HttpClient;
  /** Tries of one question, the first one included. @default 5 */
  readonly tries?: number;
  /** Before the second try, in milliseconds; it doubles with each further one, and chance adds up to half of it. @default 1000 */
  readonly pauseMs?: number;
  /** Lines for a person: what is waited for. @default - nothing is said */
  readonly say?: (line: string) => void;
}

/** What chance adds to a pause at most, in milliseconds. */
const mostChance = 30_000;

/** Pages of a hundred. */
const mostPages = 10;

/**
 * GitHub's REST API for one repository.
 *
 * @param token is asked for at each request: one in a file is renewed
 * @see https://docs.github.com/en/rest/pulls/pulls
 * @see https://docs.github.com/en/rest/commits/statuses
 * @see https://docs.github.com/en/rest/deployments/deployments
 */
export function gitHub(
  { repository, api = 'https://api.github.com' }: GitHubSettings,
  token: () => string,
  signal: AbortSignal,
  options: GitHubOptions = {},
): GitHubApi {
  const { http = httpClient({ timeoutMs: 30_000 }), tries = 5, pauseMs = 1_000, say } = options;
  const root = `${api.replace(/\/$/, '')}/repos/${repository}`;

  const once = (method: HttpRequest['method'], path: string, body?: object): ReturnType<typeof askGitHub> =>
    askGitHub(http, { method, root, path, body, of: repository, token: token() }, signal);

  /** Twice the same question is the same: a pull request that is there already is refused. */
  const ask = async (method: HttpRequest['method'], path: string, body?: object): Promise<unknown> => {
    for (let turn = 1; ; turn += 1) {
      const answer = await once(method, path, body).catch((error: Error) => {
        signal.throwIfAborted();
        if (error instanceof ProgramUnreachable) {
          throw error;
        }
        return `GitHub can't be asked for ${repository}: ${redacted(error.message)}`;
      });
      if (typeof answer !== 'string' && 'content' in answer) {
        return answer.content;
      }
      const usual = pauseMs * 2 ** (turn - 1);
      const pause = typeof answer === 'string' ? usual : passingPause(answer, usual, Date.now());
      if (pause === undefined || turn >= tries) {
        throw typeof answer === 'string' ? new ProgramUnreachable(answer, true) : failure(answer, pause);
      }
      if (pause >= gitHubLeastPause) {
        say?.(
          `GitHub limits requests to ${repository}: it is asked again in ${Math.ceil(pause / 60_000)} minutes`,
        );
      }
      await sleep(pause + Math.random() * Math.min(pause / 2, mostChance), signal);
    }
  };

  const find: GitHubApi['find'] = async (head, base) => {
    const owner = repository.split('/')[0]!;
    const query = new URLSearchParams({ head: `${owner}:${head}`, base, state: 'all', per_page: '1' });
    const [newest] = listOf(await ask('GET', `pulls?${query.toString()}`));
    return newest && pullRequest(newest);
  };

  return {
    find,
    create: async (request) => {
      try {
        return pullRequest(await ask('POST', 'pulls', request));
      } catch (error) {
        // Its answer may have been lost.
        const found = error instanceof Unprocessable ? await find(request.head, request.base) : undefined;
        if (found?.state !== 'open') {
          throw error;
        }
        return found;
      }
    },
    get: async (number) => pullRequest(await ask('GET', `pulls/${number}`)),
    open: async (base) => {
      const found: PullRequest[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const query = new URLSearchParams({ base, state: 'open', per_page: '100', page: String(page) });
        const those = listOf(await ask('GET', `pulls?${query.toString()}`));
        found.push(...those.map(pullRequest));
        if (those.length < 100) {
          break;
        }
      }
      return found;
    },
    close: async (number, body) =>
      pullRequest(await ask('PATCH', `pulls/${number}`, { state: 'closed', body })),
    status: async (revision, context) => {
      const answer = await ask('GET', `commits/${revision}/status?per_page=100`);
      const statuses = listOf(isPlainObject(answer) ? answer.statuses : undefined);
      return stateOf(statuses.find((each) => each.context === context)?.state);
    },
    deployment: async (revision, environment) => {
      const query = new URLSearchParams({ sha: revision, environment, per_page: '1' });
      const [newest] = listOf(await ask('GET', `deployments?${query.toString()}`));
      if (!Number.isInteger(newest?.id)) {
        return 'unknown';
      }
      const states = listOf(await ask('GET', `deployments/${String(newest!.id)}/statuses?per_page=100`));
      // A later deployment takes the place of one that has succeeded.
      const wasDone = states[0]?.state === 'inactive' && states.some(({ state }) => state === 'success');
      // One of which nothing is said yet waits to run.
      return wasDone ? 'deployed' : states.length === 0 ? 'running' : stateOf(states[0]!.state);
    },
  };
}

/** Of commit statuses and deployments. */
function stateOf(state: unknown): DeploymentState {
  switch (state) {
    case 'success':
      return 'deployed';
    case 'failure':
    case 'error':
      return 'failed';
    case 'pending':
    case 'queued':
    case 'in_progress':
      return 'running';
    default:
      return 'unknown';
  }
}

/** GitHub does not do what it is asked for, whoever asks. */
class Unprocessable extends Error {}

function failure({ status, message }: GitHubFailure, pause: number | undefined): Error {
  if (pause === undefined && status >= 400 && ![401, 403, 404].includes(status)) {
    return new Unprocessable(message);
  }
  const hint = pause === undefined && status >= 400 ? `: ${refusedLogin}` : '';
  return new ProgramUnreachable(`${message}${hint}`, pause !== undefined);
}

function pullRequest(content: unknown): PullRequest {
  const given: PlainObject = isPlainObject(content) ? content : {};
  const { number, html_url: url, state, head, body, mergeable } = given;
  const { merged_at: mergedAt, merge_commit_sha: commit } = given;
  const ref = isPlainObject(head) ? head.ref : undefined;
  const isState = state === 'open' || state === 'closed';
  if (!Number.isInteger(number) || typeof url !== 'string' || typeof ref !== 'string' || !isState) {
    throw new Error('GitHub answers with something that is no pull request');
  }
  const isMerged = typeof mergedAt === 'string';
  const isCommit = typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit);
  return {
    ...{ number: number as number, url, head: ref, conflicts: mergeable === false },
    body: typeof body === 'string' ? body : '',
    state: isMerged ? 'merged' : state,
    ...(isMerged && isCommit && { mergeCommit: commit }),
  };
}

function listOf(content: unknown): readonly PlainObject[] {
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

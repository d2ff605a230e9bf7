import { sleep } from '../../../../core/async';
import { httpClient } from '../../../../core/http';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../../../core/http';
import { redacted, withoutSecrets } from '../../../../core/redaction';
import { isPlainObject } from '../../../../core/validation/problems';
import type { PlainObject } from '../../../../core/validation/problems';
import type { GitHubSettings } from './settings';

/** A pull request, as far as it is of use. */
export interface PullRequest {
  readonly number: number;
  /** Page for people. */
  readonly url: string;
  readonly state: 'open' | 'closed' | 'merged';
  /** The branch that is to be merged. */
  readonly head: string;
  /** The commit on the base branch. @default - it is not merged */
  readonly mergeCommit?: string;
}

/** What has become of a revision. */
export type DeploymentState = 'deployed' | 'failed' | 'notYet';

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
  /** Those that are open to a branch, at most a hundred. */
  open(base: string): Promise<readonly PullRequest[]>;
  /** Closes one without a merge. */
  close(number: number): Promise<PullRequest>;
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
  /** Before the second try, in milliseconds; it doubles with each further one. Half of it is left to chance. @default 1000 */
  readonly pauseMs?: number;
}

/** Longest pause that a server may ask for, in milliseconds. */
const longestPause = 60_000;

/** GitHub has refused a request, or could not be asked. */
class GitHubFailed extends Error {
  public constructor(
    message: string,
    public readonly status: number,
  ) {
    super(message);
    this.name = 'GitHubFailed';
  }
}

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
  const { http = httpClient({ timeoutMs: 30_000 }), tries = 5, pauseMs = 1_000 } = options;
  const root = `${api.replace(/\/$/, '')}/repos/${repository}`;

  const once = async (method: HttpRequest['method'], path: string, body?: object): Promise<unknown> => {
    const secret = token();
    const answer = await http.send(
      {
        method,
        url: new URL(`${root}/${path}`),
        headers: {
          accept: 'application/vnd.github+json',
          authorization: `Bearer ${secret}`,
          'user-agent': 'cluster-canary',
          'x-github-api-version': '2022-11-28',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      },
      signal,
    );
    const content = parsed(answer.text);
    if (answer.status < 200 || answer.status > 299 || content === undefined) {
      const said = withoutSecrets(saidIn(content), [secret]);
      const text = `GitHub answers ${answer.status}${said && ` (${said})`} to ${method} ${path.split('?')[0]} of ${repository}`;
      throw Object.assign(new GitHubFailed(`${text}${hint(answer.status)}`, answer.status), { answer });
    }
    return content;
  };

  /** Twice the same question is the same: a pull request that is there already is refused. */
  const ask = async (method: HttpRequest['method'], path: string, body?: object): Promise<unknown> => {
    for (let turn = 1; ; turn += 1) {
      try {
        return await once(method, path, body);
      } catch (error) {
        signal.throwIfAborted();
        const pause = passingPause(error, pauseMs * 2 ** (turn - 1));
        if (pause === undefined || turn >= tries) {
          throw error instanceof GitHubFailed
            ? error
            : new Error(`GitHub can't be asked for ${repository}: ${redacted((error as Error).message)}`);
        }
        await sleep(pause * (0.5 + Math.random() / 2), signal);
      }
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
        const found =
          (error as GitHubFailed).status === 422 ? await find(request.head, request.base) : undefined;
        if (found?.state !== 'open') {
          throw error;
        }
        return found;
      }
    },
    get: async (number) => pullRequest(await ask('GET', `pulls/${number}`)),
    open: async (base) => {
      const query = new URLSearchParams({ base, state: 'open', per_page: '100' });
      return listOf(await ask('GET', `pulls?${query.toString()}`)).map(pullRequest);
    },
    close: async (number) => pullRequest(await ask('PATCH', `pulls/${number}`, { state: 'closed' })),
    status: async (revision, context) => {
      const answer = await ask('GET', `commits/${revision}/status?per_page=100`);
      const statuses = listOf(isPlainObject(answer) ? answer.statuses : undefined);
      const found = statuses.find((each) => each.context === context)?.state;
      return stateOf(found);
    },
    deployment: async (revision, environment) => {
      const query = new URLSearchParams({ sha: revision, environment, per_page: '1' });
      const [newest] = listOf(await ask('GET', `deployments?${query.toString()}`));
      if (!Number.isInteger(newest?.id)) {
        return 'notYet';
      }
      const states = listOf(await ask('GET', `deployments/${String(newest!.id)}/statuses?per_page=100`));
      // A later deployment takes the place of one that has succeeded.
      const wasDone = states[0]?.state === 'inactive' && states.some(({ state }) => state === 'success');
      return wasDone ? 'deployed' : stateOf(states[0]?.state);
    },
  };
}

function stateOf(state: unknown): DeploymentState {
  return state === 'success' ? 'deployed' : state === 'failure' || state === 'error' ? 'failed' : 'notYet';
}

/** Before the next try, in milliseconds; nothing where another try is of no use. */
function passingPause(error: unknown, usual: number): number | undefined {
  if (!(error instanceof GitHubFailed)) {
    return usual;
  }
  const { headers } = (error as GitHubFailed & { answer: HttpAnswer }).answer;
  const isLimited =
    error.status === 429 ||
    (error.status === 403 &&
      (headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0'));
  if (isLimited) {
    const seconds = Number(headers['retry-after']);
    return seconds > 0 ? Math.min(2 * seconds * 1_000, longestPause) : longestPause;
  }
  return error.status >= 500 || error.status === 408 ? usual : undefined;
}

function hint(status: number): string {
  return [401, 403, 404].includes(status)
    ? ': it does not know the token, or the token lacks a right to this repository'
    : '';
}

function pullRequest(content: unknown): PullRequest {
  const given: PlainObject = isPlainObject(content) ? content : {};
  const { number, html_url: url, state, head, merged_at: mergedAt, merge_commit_sha: commit } = given;
  const ref = isPlainObject(head) ? head.ref : undefined;
  const isState = state === 'open' || state === 'closed';
  if (!Number.isInteger(number) || typeof url !== 'string' || typeof ref !== 'string' || !isState) {
    throw new Error('GitHub answers with something that is no pull request');
  }
  const isMerged = typeof mergedAt === 'string';
  const isCommit = typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit);
  return {
    ...{ number: number as number, url, head: ref },
    state: isMerged ? 'merged' : state,
    ...(isMerged && isCommit && { mergeCommit: commit }),
  };
}

function listOf(content: unknown): readonly PlainObject[] {
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** GitHub's own words for what is wrong. */
function saidIn(content: unknown): string {
  if (!isPlainObject(content)) {
    return '';
  }
  const errors = listOf(content.errors).map(({ message }) => message);
  return redacted([content.message, ...errors].filter((each) => typeof each === 'string').join('; '));
}

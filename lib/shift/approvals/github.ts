import { askGitHub, passingPause } from '../../core/github';
import type { HttpRequest } from '../../core/http';
import { parseDuration } from '../../core/durations';
import { oneLine } from '../../core/printable-text';
import { redacted } from '../../core/redaction';
import { readSecret, secretSource } from '../../core/secret-source';
import type { SecretSource } from '../../core/secret-source';
import { object, optional } from '../../core/validation/collections';
import { isPlainObject } from '../../core/validation/problems';
import type { PlainObject } from '../../core/validation/problems';
import { duration, text, that } from '../../core/validation/values';
import type { Agreed, Resume } from '../engine';
import { approvalKind } from './approval-kind';
import type { ApprovalContext, ApprovalSubject } from './approval-kind';

/**
 * Required reviewers of a deployment environment of GitHub. At a pause the shift starts a workflow of yours whose only job names the
 * environment; GitHub asks its reviewers, and the shift goes on when one of them approves.
 *
 * @see https://docs.github.com/en/actions/how-tos/deploy/configure-and-manage-deployments/review-deployments
 */
export interface GitHubApprovalSettings {
  /** `owner/name` */
  readonly repository: string;
  /** File of the workflow in `.github/workflows`, with `workflow_dispatch` and the inputs `plan`, `route` and `place`. */
  readonly workflow: string;
  /** Name of the environment, which has required reviewers. */
  readonly environment: string;
  /** Branch or tag with the workflow. @default 'main' */
  readonly ref?: string;
  /** Where the token is read from: Actions, read and write, for this repository. */
  readonly token: SecretSource;
  /** URL of the REST API, that of GitHub Enterprise Server for one. @default 'https://api.github.com' */
  readonly api?: string;
  /** How often GitHub is asked, at least 10s. @default '15s' - under 500 requests in an hour */
  readonly every?: string;
}

const shortestEvery = 10_000;

/** The token goes there: over TLS, or to this machine. */
const apiForm =
  /^(?:https:\/\/[^\s/@?#]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:\/[^\s@?#]*)?$/;

const settings = object<GitHubApprovalSettings>({
  repository: text('owner/name', /^[\w.-]+\/[\w.-]+$/, 300),
  workflow: text('the file name of a workflow, such as approve.yaml', /^[\w.-]+\.ya?ml$/, 200),
  environment: text('the name of an environment, of at most 255 characters', /^[^\r\n]+$/, 255),
  ref: optional(text('a branch or a tag', /^[\w./-]+$/, 250)),
  token: secretSource,
  api: optional(text('a URL that starts with https://, without user and password', apiForm, 500)),
  every: optional(
    that(duration, 'a duration of at least 10s', (given) => parseDuration(given)! >= shortestEvery),
  ),
});

export const github = approvalKind<GitHubApprovalSettings>({
  settings,
  open: (given, subject, context) => new GitHubApproval(given, subject, context),
});

/** A workflow run that waits for reviewers, or what came of it. */
interface Asked {
  readonly run?: number;
  /** Set once GitHub need not be asked any more: it was refused, or can't be approved. */
  readonly over?: boolean;
}

/** Before another try of what can't help soon, in milliseconds. */
const usualPause = 60_000;

class GitHubApproval implements Resume {
  public readonly how: string;
  /** The pause that it was asked for last. */
  private place: number | undefined;
  private asked: Asked | undefined;
  private nextAt = 0;
  private lastError: Error | undefined;

  public constructor(
    private readonly settings: GitHubApprovalSettings,
    private readonly subject: ApprovalSubject,
    private readonly context: ApprovalContext,
  ) {
    const { environment, repository } = settings;
    this.how = `approve the environment ${environment} of ${repository} in GitHub`;
  }

  /** A run that goes on after a kill asks anew: an approval of the earlier request is none of this one. */
  public async resumed(place: number, signal?: AbortSignal): Promise<boolean | Agreed> {
    if (this.place !== place) {
      this.place = place;
      this.asked = undefined;
      this.nextAt = 0;
    }
    const { every = '15s' } = this.settings;
    const now = this.context.clock.now();
    if (this.asked?.over === true) {
      return false;
    }
    if (now < this.nextAt) {
      if (this.lastError) {
        throw this.lastError;
      }
      return false;
    }
    this.nextAt = now + parseDuration(every)!;
    this.lastError = undefined;
    try {
      return await this.ask(place, signal ?? new AbortController().signal);
    } catch (error) {
      this.lastError = error as Error;
      throw error;
    }
  }

  private async ask(place: number, signal: AbortSignal): Promise<boolean | Agreed> {
    const run = this.asked?.run ?? (await this.dispatch(place, signal));
    const reviews = listOf(await this.send('GET', `actions/runs/${run}/approvals`, undefined, signal));
    const own = reviews.filter(({ environments }) =>
      listOf(environments).some(({ name }) => name === this.settings.environment),
    );
    const approved = own.find(({ state }) => state === 'approved');
    if (approved) {
      // It counts for this pause: if a person holds the shift at the same place once more, reviewers are asked once more.
      this.place = undefined;
      return { by: `${loginOf(approved)} by GitHub environment ${this.settings.environment}` };
    }
    const rejected = own.find(({ state }) => state === 'rejected');
    if (rejected) {
      return this.ends(place, run, `${loginOf(rejected)} has refused it`);
    }
    const state = await this.send('GET', `actions/runs/${run}`, undefined, signal);
    if (isPlainObject(state) && state.status === 'completed') {
      const conclusion = oneLine(String(state.conclusion)).slice(0, 50);
      const why =
        `it ended (${conclusion}) without an approval; ` +
        `does its job name the environment ${this.settings.environment}, and has that required reviewers?`;
      return this.ends(place, run, why);
    }
    return false;
  }

  /** The shift stays where it is: its plan says for how long. */
  private ends(place: number, run: number, why: string): false {
    this.asked = { run, over: true };
    this.context.say(
      `GitHub, run ${run} of ${this.settings.workflow}: ${why}. The shift stays at ${place} %; to ask once more, run it again.`,
    );
    return false;
  }

  private async dispatch(place: number, signal: AbortSignal): Promise<number> {
    const { workflow, ref = 'main', environment } = this.settings;
    const { plan, route } = this.subject;
    const answer = await this.send(
      'POST',
      `actions/workflows/${encodeURIComponent(workflow)}/dispatches`,
      { ref, inputs: { plan, route, place: String(place) }, return_run_details: true },
      signal,
    );
    const { workflow_run_id: run, html_url: url } = isPlainObject(answer) ? answer : ({} as PlainObject);
    if (!Number.isInteger(run)) {
      // It was started all the same: another one would ask people twice.
      this.asked = { over: true };
      throw new Error(
        `GitHub has started ${workflow} and does not say which run that is: this server is too old for approvals`,
      );
    }
    this.asked = { run: run as number };
    const link = typeof url === 'string' && /^https?:\/\/[^\s]+$/.test(url) ? `: ${oneLine(url)}` : '';
    this.context.say(`GitHub asks the reviewers of the environment ${environment}${link}`);
    return run as number;
  }

  private async send(
    method: HttpRequest['method'],
    path: string,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { repository, api = 'https://api.github.com', token: source } = this.settings;
    const token = await readSecret(this.context, 'the token of GitHub', [source]);
    const root = `${api.replace(/\/$/, '')}/repos/${repository}`;
    let answer: Awaited<ReturnType<typeof askGitHub>>;
    try {
      answer = await askGitHub(
        this.context.http,
        { method, root, path, body, of: repository, token },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`GitHub can't be asked for ${repository}: ${redacted((error as Error).message)}`, {
        cause: error,
      });
    }
    if ('content' in answer) {
      return answer.content;
    }
    const now = this.context.clock.now();
    const pause = passingPause(answer, usualPause, now) ?? usualPause;
    this.nextAt = Math.max(this.nextAt, now + pause);
    const hint =
      answer.status === 404
        ? '; a token without the right Actions (read and write) gets the same answer'
        : '';
    throw new Error(`${answer.message}${hint}`);
  }
}

function loginOf({ user }: PlainObject): string {
  const login = isPlainObject(user) ? user.login : undefined;
  return typeof login === 'string' && login !== '' ? oneLine(login).slice(0, 60) : 'someone';
}

function listOf(content: unknown): readonly PlainObject[] {
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

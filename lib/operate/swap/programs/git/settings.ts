import type { Schema } from '../../../../core/validation/schema';
import { parseDuration } from '../../../../core/durations';
import { across, list, object, oneKeyOf, optional } from '../../../../core/validation/collections';
import { holdsLogin } from '../../../../core/validation/secrets';
import { duration, secret, text, that } from '../../../../core/validation/values';
import { commandSchema } from '../run-command';
import { secretSource } from '../../../../core/secret-source';
import type { SecretSource } from '../../../../core/secret-source';

/**
 * A file in a Git repository that a pipeline deploys. Each change is a commit, on GitHub by a pull request where `github` is
 * given; else it is pushed to the branch. Comments in the file stay. What a deployment would change is not known before.
 *
 * @example
 * program:
 *   git:
 *     repository: https://github.com/acme/infra.git
 *     file: clusters.yaml
 *     slots: [apps, slots]
 *     weights: [apps, weights]
 *     github: { repository: acme/infra, token: { env: GITHUB_TOKEN } }
 *     deployed: { environment: production }
 */
export interface GitProgramSettings {
  /** URL without a login: `https://…`, `ssh://…`, `git@host:path`, `file:///…`. */
  readonly repository: string;
  /** The branch that is deployed. @default 'main' */
  readonly branch?: string;
  /** Path of a YAML or JSON file in it. */
  readonly file: string;
  /** Keys that lead to the slots, an object of versions or of settings with a `version`, by slot. */
  readonly slots: readonly string[];
  /** Keys that lead to the weights, an object of whole percents by slot. @default - `active` is given */
  readonly weights?: readonly string[];
  /** Keys that lead to the slot whose Argo CD writes. @default - `weights` is given */
  readonly active?: readonly string[];
  /**
   * A token for `https://`, sent as the password of `x-access-token`.
   *
   * @default - GitHub's, where `github` is given; else git asks the user's own credential helper or SSH agent
   */
  readonly token?: SecretSource;
  /** Who the commits are by: `NAME <ADDRESS>`. @default 'cluster-canary <cluster-canary@localhost>' */
  readonly author?: string;
  /** Pull requests in place of pushes to the branch. @default - pushes */
  readonly github?: GitHubSettings;
  /** How it is known that a revision is deployed. */
  readonly deployed: DeployedSettings;
  /** How long a revision may take to be deployed, from the merge on. @default '6h' - as long as the phase `shift` */
  readonly timeout?: string;
  /**
   * How often a pull request and a deployment are looked at, at least a second; each pause is up to half longer by chance.
   *
   * @default '15s' - under a thousand requests in an hour, which is what a token of GitHub Actions may make
   */
  readonly every?: string;
}

/** A repository of GitHub. */
export interface GitHubSettings {
  /** `owner/name` */
  readonly repository: string;
  /** A token that may write contents and pull requests, and read commit statuses or deployments. */
  readonly token: SecretSource;
  /** URL of the REST API, that of GitHub Enterprise Server for one. @default 'https://api.github.com' */
  readonly api?: string;
}

/** How it is known that a revision is deployed. */
export type DeployedSettings =
  | {
      /**
       * A program and its arguments, run without a shell in the folder of the swap file, every 15 seconds. It reads
       * `{"schemaVersion":1,"revisions":["…"]}` on stdin: commits of which one has to be deployed. Status 0: it is; 3: it never
       * will be; any other one: not yet.
       */
      readonly command: readonly string[];
    }
  | {
      /** Name (`context`) of a commit status of GitHub, which has to become `success`. */
      readonly status: string;
    }
  | {
      /** Name of an environment of GitHub: a deployment of the revision there has to become `success`. */
      readonly environment: string;
    };

const branchRule = /^(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)))[A-Za-z0-9_][\w./-]*(?<![./])$/;

const repositoryUrl = that(
  secret(
    text(
      'the URL of a Git repository: https://…, ssh://…, git@host:path or file:///…',
      /^(?:https:\/\/[^\s]+|ssh:\/\/[^-\s][^\s]*|file:\/\/\/[^\s]*|[\w.]+@[\w][\w.-]*:[^-\s][^\s]*)$/,
      2_000,
    ),
  ),
  'a URL without a login in it',
  (url) => !holdsLogin(url),
);

const path = list(text('a key', /\S/, 300), 1, 'a list of keys that lead there');

/** What a swap file may say of a Git repository. */
export const gitProgramSchema: Schema<GitProgramSettings> = across(
  object<GitProgramSettings>({
    repository: secret(repositoryUrl),
    branch: optional(text('the name of a branch', branchRule, 200)),
    file: text(
      'a path in the repository, without ".."',
      /^(?!\.git\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\s/:][^:\0]*$/,
      1_000,
    ),
    slots: path,
    weights: optional(path),
    active: optional(path),
    token: optional(secretSource),
    author: optional(text('NAME <ADDRESS>', /^[^<>\n]+ <[^<>\s]+>$/, 300)),
    github: optional(
      object<GitHubSettings>({
        repository: text('owner/name', /^[\w.-]+\/[\w.-]+$/, 300),
        token: secretSource,
        api: optional(
          text('a URL that starts with https://', /^https:\/\/[^\s@?#]+$|^http:\/\/127\.0\.0\.1:\d+$/),
        ),
      }),
    ),
    deployed: oneKeyOf<{ command: readonly string[]; status: string; environment: string }>({
      command: commandSchema,
      status: text('the name of a commit status', /\S/, 300),
      environment: text('the name of an environment', /\S/, 300),
    }),
    timeout: optional(duration),
    every: optional(that(duration, 'a time of at least 1s', (value) => (parseDuration(value) ?? 0) >= 1_000)),
  }),
  ({ weights, active, github, deployed, token, repository }, { required, conflicts }) => {
    if (weights === undefined && active === undefined) {
      required(['weights'], 'a list of keys, unless there is one in "active"');
    }
    if (weights !== undefined && active !== undefined) {
      conflicts(['active'], '"weights": a fleet takes traffic or runs Argo CD');
    }
    const isAsked = typeof deployed === 'object' && deployed !== null && !('command' in deployed);
    if (isAsked && github === undefined) {
      required(
        ['github'],
        'an object with repository and token, since "deployed" is a status or an environment of GitHub',
      );
    }
    if (token !== undefined && !/^https:/.test(String(repository))) {
      conflicts(['token'], '"repository", which is asked by another protocol than https');
    }
  },
);

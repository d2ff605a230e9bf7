import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../../../../core/process/run-program';
import { shortMessage, withoutSecrets } from '../../../../core/redaction';
import { ProgramUnreachable } from '../../program';
import { shownRepository } from './shown-repository';

/** What is asked of a repository. */
export interface RepositoryAccess {
  readonly url: string;
  readonly branch: string;
  /** `NAME <ADDRESS>` */
  readonly author: string;
  /** @default - git asks as the user does */
  readonly token?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Commits are fetched back to here, to find the one that has changed the file last. */
const depth = 50;

/** For one command of git, in milliseconds: a large repository behind a slow line. */
const patience = 10 * 60_000;

/** A file of settings is not longer, in bytes. */
const longestFile = 4 * 2 ** 20;

/**
 * The newest commit of a branch, without its content.
 *
 * @throws ProgramUnreachable where the server does not answer, or refuses; the signal's reason where that is aborted
 */
export async function branchHead(access: RepositoryAccess, signal: AbortSignal): Promise<string> {
  const git = new Git(access, tmpdir(), signal);
  const ref = `refs/heads/${access.branch}`;
  const answer = await git.remote(['ls-remote', '--exit-code', '--', access.url, ref], false);
  return answer.split('\t')[0]!;
}

/**
 * The state of a branch, in a private folder that is gone afterwards. Files are read from Git's objects and never laid out, so no
 * hook, filter or link of the repository does anything.
 *
 * @throws ProgramUnreachable where the server does not answer, or refuses; Error where git fails otherwise; the signal's reason
 *   where that is aborted
 */
export async function withBranch<T>(
  access: RepositoryAccess,
  signal: AbortSignal,
  use: (branch: BranchState) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-canary-git-'));
  try {
    const git = new Git(access, join(folder, 'repository'), signal);
    await git.clone();
    return await use(new BranchState(git, await git.line('rev-parse', 'HEAD')));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A branch as it was when it was fetched. */
export class BranchState {
  public constructor(
    private readonly git: Git,
    /** Its newest commit. */
    public readonly head: string,
  ) {}

  /** @throws Error where there is no such file, or it is a link or a folder */
  public async read(file: string): Promise<string> {
    const { mode } = await this.entry(file);
    if (!mode.startsWith('100')) {
      throw new Error(`${file} is no file in ${this.git.shown}: it has the mode ${mode}`);
    }
    return this.git.run(['cat-file', 'blob', `${this.head}:${file}`]);
  }

  /** The newest commit of the branch that has changed the file, or the oldest one that was fetched. */
  public async lastChange(file: string): Promise<string> {
    const found = await this.git.line('log', '--first-parent', '-1', '--format=%H', this.head, '--', file);
    return found || this.head;
  }

  /** Makes a commit on top of the branch with another content of one file, and answers its name. */
  public async commit(file: string, content: string, message: string): Promise<string> {
    const { mode } = await this.entry(file);
    const blob = (await this.git.run(['hash-object', '-w', '--stdin', '--no-filters'], content)).trim();
    await this.git.run(['read-tree', this.head]);
    await this.git.run(['update-index', '--cacheinfo', `${mode},${blob},${file}`]);
    const tree = await this.git.line('write-tree');
    return (await this.git.run(['commit-tree', tree, '-p', this.head, '-F', '-'], message)).trim();
  }

  /**
   * Pushes a commit.
   *
   * @param isOwn whether the branch is of our own, so that what is there may be replaced
   * @throws ProgramUnreachable where the branch has moved on: another try begins from there
   */
  public push(commit: string, branch: string, isOwn: boolean): Promise<void> {
    return this.git.push(`${isOwn ? '+' : ''}${commit}:refs/heads/${branch}`);
  }

  private async entry(file: string): Promise<{ readonly mode: string }> {
    const found = await this.git.line('ls-tree', '--full-tree', this.head, '--', file);
    const [, mode] = /^(\d{6}) blob [0-9a-f]+\t/.exec(found) ?? [];
    if (mode === undefined) {
      throw new Error(`there is no file ${file} in ${this.git.shown}`);
    }
    return { mode };
  }
}

/** A push comes too late: the branch has moved meanwhile. */
const isOvertaken =
  /\[rejected\]|\[remote rejected\][^]*(?:cannot lock|failed to update ref)|fetch first|non-fast-forward/;

/** The server refuses: git asks for another login, which nobody gives it. */
const asksForLogin =
  /could not read (?:Username|Password)|Authentication failed|returned error: 40[13]|Permission denied|Repository not found/i;

export const refusedLogin = 'it does not know the token, or the token lacks a right to this repository';

/** No connection, one that breaks, or a server that fails. */
const isAway =
  /unable to access|could not resolve|connect(?:ion)? (?:to|refused|reset|timed out)|hung up|early EOF|RPC failed|returned error: (?:429|5\d\d)|no end within|unexpected disconnect|kex_exchange|remote end/i;

/** What git says may be long: its message is cut, also where it says why. */
class GitFailed extends Error {
  public constructor(
    message: string,
    /** All that it said, which may hold a secret. */
    public readonly said: string,
  ) {
    super(message);
  }
}

class Git {
  public constructor(
    private readonly access: RepositoryAccess,
    private readonly folder: string,
    private readonly signal: AbortSignal,
  ) {}

  /** For messages. */
  public get shown(): string {
    const { url, branch } = this.access;
    return `${shownRepository(url)} (branch ${branch})`;
  }

  public async clone(): Promise<void> {
    const { url, branch } = this.access;
    const what = ['--no-checkout', '--no-tags', '--single-branch', '--template=', `--depth=${depth}`];
    await this.remote(['clone', '--quiet', ...what, `--branch=${branch}`, '--', url, this.folder], false);
  }

  public async push(refspec: string): Promise<void> {
    await this.remote(['push', '--quiet', '--no-verify', '--porcelain', 'origin', refspec]);
  }

  /** A command that asks the server. */
  public async remote(args: readonly string[], isInside = true): Promise<string> {
    try {
      return await this.run(args, '', isInside);
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof GitFailed)) {
        throw error;
      }
      const { message, said } = error;
      if (asksForLogin.test(said)) {
        throw new ProgramUnreachable(`${message}: ${refusedLogin}`, false);
      }
      throw isAway.test(said) || isOvertaken.test(said) ? new ProgramUnreachable(message, true) : error;
    }
  }

  public async line(...args: readonly string[]): Promise<string> {
    return (await this.run(args)).trim();
  }

  public async run(args: readonly string[], input = '', isInside = true): Promise<string> {
    const { env, token, url, author } = this.access;
    const end = await runProgram({
      program: 'git',
      args: [...(isInside ? ['-C', this.folder] : []), ...given(url), ...flags, ...args],
      cwd: dirname(this.folder),
      input,
      env: environment(env, { url, token, author }),
      timeoutMs: patience,
      graceMs: 1_000,
      signal: this.signal,
      stdout: { bytes: longestFile, beyond: 'stop' },
      stderr: { bytes: 20_000, beyond: 'keepEnd' },
    });
    this.signal.throwIfAborted();
    if (end.how === 'exited' && end.status === 0) {
      return end.stdout.toString('utf8');
    }
    const said = `${end.stdout.toString('utf8').slice(0, 2_000)} ${end.stderr.toString('utf8')}`;
    const why =
      end.how === 'notStarted'
        ? 'the program git is not on the PATH'
        : end.how === 'exited'
          ? shortMessage(withoutSecrets(said, token === undefined ? [] : [token, basic(token)]))
          : end.how === 'timedOut'
            ? `no end within ${patience / 60_000} minutes`
            : `it was stopped (${end.how})`;
    throw new GitFailed(`git ${args[0]} of ${this.shown}: ${why}`, end.how === 'exited' ? said : why);
  }
}

/** No hook, no monitor, no signature, and no protocol but that of the repository itself. */
function given(url: string): readonly string[] {
  const settings = {
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'core.askPass': '',
    'commit.gpgSign': 'false',
    'push.gpgSign': 'false',
    'gc.auto': '0',
    'fetch.recurseSubmodules': 'false',
    'push.recurseSubmodules': 'no',
    'http.followRedirects': 'false',
    'protocol.allow': 'never',
    [`protocol.${protocolOf(url)}.allow`]: 'always',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

const flags = ['--no-pager', '--no-replace-objects', '--literal-pathspecs'];

function protocolOf(url: string): string {
  return /^(https|file|ssh):\/\//.exec(url)?.[1] ?? 'ssh';
}

function basic(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

/** The user's own, without what names another repository, with the token where no other user can see it. */
function environment(
  env: RepositoryAccess['env'],
  { url, token, author }: Pick<RepositoryAccess, 'url' | 'token' | 'author'>,
): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(env).filter(
    ([name]) => !/^GIT_/i.test(name) || /^GIT_(?:CONFIG_|EXEC_PATH$|SSH|SSL_)/i.test(name),
  );
  const count = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const [name, address] = author.slice(0, -1).split(' <') as [string, string];
  const secrets: readonly (readonly [string, string])[] =
    token === undefined
      ? []
      : [
          // Sent to this server alone. What the user's own helpers know is left out.
          [`http.${new URL('/', url).href}.extraHeader`, `Authorization: Basic ${basic(token)}`],
          ['credential.helper', ''],
        ];
  return {
    ...Object.fromEntries(kept),
    // What it says is read, in one language.
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: protocolOf(url),
    GIT_SSH_COMMAND: env.GIT_SSH_COMMAND ?? 'ssh -oBatchMode=yes',
    SSH_ASKPASS: undefined,
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: address,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: address,
    GIT_CONFIG_COUNT: String(count + secrets.length),
    ...Object.fromEntries(
      secrets.flatMap(([key, value], position) => [
        [`GIT_CONFIG_KEY_${count + position}`, key],
        [`GIT_CONFIG_VALUE_${count + position}`, value],
      ]),
    ),
  };
}

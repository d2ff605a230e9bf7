import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { sleep } from '../../../../core/async';
import { parseDuration } from '../../../../core/durations';
import { runProgram } from '../../../../core/process/run-program';
import type { RunProgram } from '../../../../core/process/run-program';
import { redactedUrl } from '../../../../core/redaction';
import { refuseArguments } from '../../../../core/validation/arguments';
import { isPlainObject } from '../../../../core/validation/problems';
import type { FleetConfiguration } from '../../configuration';
import { sameConfiguration } from '../../configuration';
import type { FleetProgram, ProgramChange, ProgramDeployment } from '../../program';
import { checkExpected, refuseOther } from '../expected';
import { readFleet, withFleet } from '../fleet-file';
import type { FleetPlaces } from '../fleet-file';
import { runCommand, shownLine } from '../run-command';
import { readSecret } from '../secret-source';
import { gitHub } from './github';
import type { DeploymentState, GitHubApi, GitHubOptions, PullRequest } from './github';
import { PushRejected, withBranch } from './repository';
import type { BranchState, RepositoryAccess } from './repository';
import { gitProgramSchema } from './settings';
import type { GitProgramSettings } from './settings';

/** What `gitProgram` takes besides the settings. */
export interface GitProgramOptions {
  /** Folder that the command of `deployed` runs in: that of the swap file. @default - the current one */
  readonly base?: string;
  /** Where tokens are. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds between two looks at a pull request or a deployment; each has a random part of up to half. @default 15000 */
  readonly every?: number;
  /** How GitHub is asked. */
  readonly github?: GitHubOptions;
  /** Runs the command of `deployed`. @default - on this machine */
  readonly run?: RunProgram;
}

/** Pushes to a branch on which others push, too. */
const mostPushes = 5;

/** Looks at the branch after a merge. */
const mostLooks = 5;

/** Pull requests for one and the same change, of which all but the last were closed. */
const mostRequests = 100;

/** For one run of the command of `deployed`, in milliseconds. */
const commandPatience = 60_000;

/** Status by which the command of `deployed` says that a revision never will be. */
const neverStatus = 3;

/**
 * A file in a Git repository as the program of a swap, which a pipeline deploys.
 *
 * @throws InvalidInput for settings that can't be used
 */
export function gitProgram(settings: GitProgramSettings, options: GitProgramOptions = {}): FleetProgram {
  refuseArguments('git', gitProgramSchema, settings);
  return new GitProgram(settings, options);
}

/** A branch as it was found. */
interface Found {
  readonly branch: BranchState;
  readonly text: string;
  readonly configuration: FleetConfiguration;
}

class GitProgram implements FleetProgram {
  public readonly name: string;
  private readonly branch: string;
  private readonly file: string;
  private readonly places: FleetPlaces;

  public constructor(
    private readonly settings: GitProgramSettings,
    private readonly options: GitProgramOptions,
  ) {
    const { repository, branch = 'main', file, slots, weights, active } = settings;
    this.branch = branch;
    this.file = `${file} of ${redactedUrl(repository)} (branch ${branch})`;
    this.name = `Git file ${this.file}`;
    this.places = { slots, ...(weights && { weights }), ...(active && { active }) };
  }

  public read(signal: AbortSignal): Promise<FleetConfiguration> {
    return this.found(signal, ({ configuration }) => Promise.resolve(configuration));
  }

  /** A pipeline is not asked what it would do. */
  public preview(): Promise<readonly ProgramChange[]> {
    return Promise.resolve([]);
  }

  public async deploy(change: ProgramDeployment, signal: AbortSignal): Promise<void> {
    if (change.restore !== undefined) {
      // The configuration is there already: there is nothing to be committed that would start the pipeline.
      change.say(
        `${this.file}: what drain deleted in the cluster of ${change.restore.slot} comes back once the pipeline refreshes its ` +
          'state, and deploys: start it where it makes objects in the cluster',
      );
    }
    const { github } = this.settings;
    const merged = await (github ? this.requested(change, signal) : this.pushed(change, signal));
    await this.deployed(await this.revisions(change, merged, signal), change.say, signal);
  }

  /** Commits that have the configuration: that of the merge, the newest one, and the last one that has changed the file. */
  private async revisions(
    change: ProgramDeployment,
    merged: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    for (let look = 1; ; look += 1) {
      const revisions = await this.found(signal, async ({ branch, configuration }) => {
        if (sameConfiguration(configuration, change.configuration)) {
          return [merged, branch.head, await branch.lastChange(this.settings.file)];
        }
        // Git may be told of a merge a moment later than the API.
        if (look < mostLooks && change.expected.some((each) => sameConfiguration(each, configuration))) {
          return undefined;
        }
        throw refuseOther(configuration, { expected: [change.configuration] }, this.file);
      });
      if (revisions) {
        return [...new Set(revisions)].filter((each) => each !== undefined);
      }
      await this.pause(signal);
    }
  }

  /** Pushes to the branch itself. */
  private async pushed(change: ProgramDeployment, signal: AbortSignal): Promise<string | undefined> {
    for (let turn = 1; ; turn += 1) {
      try {
        return await this.found(signal, async (found) => {
          if (!checkExpected(found.configuration, change, this.file)) {
            return undefined;
          }
          const commit = await this.commit(found, change);
          await found.branch.push(commit, this.branch, false);
          change.say(`pushed ${commit.slice(0, 12)} to ${this.branch}`);
          return commit;
        });
      } catch (error) {
        if (!(error instanceof PushRejected) || turn >= mostPushes) {
          throw error;
        }
        await this.pause(signal);
      }
    }
  }

  /** Makes a pull request, or goes on with one that is open, and waits until it is merged. */
  private async requested(change: ProgramDeployment, signal: AbortSignal): Promise<string | undefined> {
    const api = this.gitHub(signal);
    const request = await this.found(signal, async (found) => {
      const isToBeWritten = checkExpected(found.configuration, change, this.file);
      const { name, open } = isToBeWritten ? await this.freeBranch(api, found, change) : {};
      await this.closeOthers(api, name, change.say);
      if (open || name === undefined) {
        if (open) {
          change.say(`${shownLine(open.url)} is open; waiting for its merge`);
        }
        return open;
      }
      await found.branch.push(await this.commit(found, change), name, true);
      const title = shownLine(change.title);
      const body = `${title}\n\nMade by a swap of cluster-canary, which waits for its merge. Closed without a merge, it ends the swap.`;
      const made = await api.create({ head: name, base: this.branch, title, body });
      change.say(`${shownLine(made.url)} is made; waiting for its merge`);
      return made;
    });
    return request && this.merged(api, request, signal);
  }

  /** What a phase has asked for that the swap has given up must not be merged later. */
  private async closeOthers(
    api: GitHubApi,
    name: string | undefined,
    say: (line: string) => void,
  ): Promise<void> {
    const others = (await api.open(this.branch)).filter(
      ({ head }) => head.startsWith(this.branchPrefix()) && head !== name,
    );
    for (const { number, url } of others) {
      await api.close(number);
      say(`${shownLine(url)} is closed: the swap asks for something else now`);
    }
  }

  /** Branches for what this file says of this fleet. */
  private branchPrefix(): string {
    return `cluster-canary/${hash([this.settings.file, this.branch, this.places])}/`;
  }

  /**
   * The same name for the same change, so that a run after a kill finds its pull request. One that was closed or merged before
   * belongs to an earlier swap.
   */
  private async freeBranch(
    api: GitHubApi,
    { configuration: before }: Found,
    { configuration, title }: ProgramDeployment,
  ): Promise<{ readonly name: string; readonly open?: PullRequest }> {
    const words = title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 40)
      .replace(/^-+|-+$/g, '');
    const base = `${this.branchPrefix()}${words || 'swap'}-${hash([before, configuration])}`;
    for (let number = 1; number <= mostRequests; number += 1) {
      const name = `${base}-${number}`;
      const found = await api.find(name, this.branch);
      if (found === undefined || found.state === 'open') {
        return { name, ...(found && { open: found }) };
      }
    }
    throw new Error(`${mostRequests} pull requests for this change of ${this.file} were closed`);
  }

  private async merged(
    api: GitHubApi,
    { number }: PullRequest,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    for (;;) {
      const { state, url, mergeCommit } = await api.get(number);
      if (state === 'merged') {
        return mergeCommit;
      }
      if (state === 'closed') {
        throw new Error(`${shownLine(url)} was closed without a merge`);
      }
      await this.pause(signal);
    }
  }

  /** Waits until one of the commits is deployed: each of them has the configuration. */
  private async deployed(
    revisions: readonly string[],
    say: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { timeout = '2h' } = this.settings;
    const short = revisions.map((each) => each.slice(0, 12)).join(', ');
    const until = performance.now() + parseDuration(timeout)!;
    say(`waiting until ${short} is deployed`);
    for (;;) {
      const state = await this.deploymentState(revisions, signal);
      if (state === 'deployed') {
        return;
      }
      if (state === 'failed') {
        throw new Error(`the deployment of ${short} has failed; ${this.file} says what was wanted`);
      }
      if (performance.now() >= until) {
        throw new Error(`${short} was not deployed within ${timeout}; ${this.file} says what was wanted`);
      }
      await this.pause(signal);
    }
  }

  private async deploymentState(revisions: readonly string[], signal: AbortSignal): Promise<DeploymentState> {
    const { deployed } = this.settings;
    if ('command' in deployed) {
      const call = {
        command: deployed.command,
        folder: resolve(this.options.base ?? '.'),
        input: { schemaVersion: 1, revisions },
        timeoutMs: commandPatience,
        graceMs: 3_000,
      };
      const { status } = await runCommand(this.options.run ?? runProgram, call, signal);
      return status === 0 ? 'deployed' : status === neverStatus ? 'failed' : 'notYet';
    }
    const api = this.gitHub(signal);
    const states: DeploymentState[] = [];
    for (const revision of revisions) {
      states.push(
        'status' in deployed
          ? await api.status(revision, deployed.status)
          : await api.deployment(revision, deployed.environment),
      );
    }
    return states.find((each) => each === 'deployed') ?? states.find((each) => each === 'failed') ?? 'notYet';
  }

  private commit({ branch, text }: Found, { configuration, title }: ProgramDeployment): Promise<string> {
    const { file } = this.settings;
    const content = withFleet(text, this.file, this.places, configuration);
    return branch.commit(file, content, `${shownLine(title)}\n`);
  }

  private found<T>(signal: AbortSignal, use: (found: Found) => Promise<T>): Promise<T> {
    return withBranch(this.access(), signal, async (branch) => {
      const text = await branch.read(this.settings.file);
      return use({ branch, text, configuration: readFleet(text, this.file, this.places) });
    });
  }

  private access(): RepositoryAccess {
    const {
      repository: url,
      token,
      github,
      author = 'cluster-canary <cluster-canary@localhost>',
    } = this.settings;
    const { env = process.env } = this.options;
    const source = token ?? (url.startsWith('https://') ? github?.token : undefined);
    return {
      ...{ url, author, env, branch: this.branch },
      ...(source && { token: readSecret('the token of the repository', source, env) }),
    };
  }

  private gitHub(signal: AbortSignal): GitHubApi {
    const { env = process.env } = this.options;
    const settings = this.settings.github!;
    return gitHub(
      settings,
      () => readSecret('the token of GitHub', settings.token, env),
      signal,
      this.options.github,
    );
  }

  private pause(signal: AbortSignal): Promise<void> {
    return sleep((this.options.every ?? 15_000) * (1 + Math.random() / 2), signal);
  }
}

function hash(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(value)))
    .digest('hex')
    .slice(0, 10);
}

/** The same data in one order of its keys. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(ordered);
  }
  if (!isPlainObject(value)) {
    return value;
  }
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, ordered(each)]));
}

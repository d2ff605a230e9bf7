import { resolve } from 'node:path';
import { sleep } from '../../../../core/async';
import { parseDuration } from '../../../../core/durations';
import { runProgram } from '../../../../core/process/run-program';
import type { RunProgram } from '../../../../core/process/run-program';
import { refuseArguments } from '../../../../core/validation/arguments';
import type { FleetConfiguration } from '../../configuration';
import { sameConfiguration } from '../../configuration';
import { DeploymentRefused } from '../../program';
import type { FleetProgram, ProgramChange, ProgramCommit, ProgramDeployment } from '../../program';
import { checkExpected, refuseOther } from '../expected';
import { isProgramThere } from '../on-path';
import { shownLine } from '../run-command';
import { deploymentState } from './deployment-state';
import { FleetBranch, githubToken } from './fleet-branch';
import type { FoundFleet } from './fleet-branch';
import { gitHub } from './github';
import type { DeploymentState, GitHubApi, GitHubOptions, PullRequest } from './github';
import { hash } from './hash';
import { patiently } from './patience';
import { chosenRequest, closedError, closeRequests, requestBody, requestsOf } from './pull-requests';
import { shortNames, withRevisions } from './revisions';
import { gitProgramSchema } from './settings';
import type { GitProgramSettings } from './settings';

/** What `gitProgram` takes besides the settings. */
export interface GitProgramOptions {
  /** Folder that the command of `deployed` runs in: that of the swap file. @default - the current one */
  readonly base?: string;
  /** Where tokens are. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds between two looks at a pull request or a deployment, for tests. @default - as the settings say */
  readonly every?: number;
  /** How long a server that is away is waited for while nothing is asked for yet, in milliseconds. @default 120000 */
  readonly patience?: number;
  /** How GitHub is asked. */
  readonly github?: GitHubOptions;
  /** Runs the command of `deployed`. @default - on this machine */
  readonly run?: RunProgram;
}

/** Looks at the branch after a merge. */
const mostLooks = 5;

/** At every how many looks at an open pull request it is asked whether its change may still be made: every minute by default. */
const looksBeforeAsking = 4;

/** Looks in a row by which a deployment has failed. */
const looksThatFail = 2;

/**
 * A file in a Git repository as the program of a swap, which a pipeline deploys.
 *
 * @throws InvalidInput for settings that can't be used
 */
export function gitProgram(settings: GitProgramSettings, options: GitProgramOptions = {}): FleetProgram {
  refuseArguments('git', gitProgramSchema, settings);
  return new GitProgram(settings, options);
}

class GitProgram implements FleetProgram {
  public readonly name: string;
  /** A pipeline is not asked what it would do. */
  public readonly canPreview = false;
  public readonly commit: ProgramCommit;
  private readonly target: FleetBranch;

  public constructor(
    private readonly settings: GitProgramSettings,
    private readonly options: GitProgramOptions,
  ) {
    this.target = new FleetBranch(settings, options.env ?? process.env);
    this.name = `Git file ${this.target.file}`;
    this.commit = this.target.commitPlace;
  }

  public problems(): readonly string[] {
    const { env, base = '.' } = this.options;
    const folder = resolve(base);
    const { deployed } = this.settings;
    const [command] = 'command' in deployed ? deployed.command : [];
    return [
      ...(isProgramThere('git', folder, env) ? [] : ['program.git: the program git is not on the PATH']),
      ...this.target.missingTokens(),
      ...(command === undefined || isProgramThere(command, folder)
        ? []
        : [
            `program.git.deployed.command: ${shownLine(command)}: no program of that name in ${folder} or PATH`,
          ]),
    ];
  }

  public read(signal: AbortSignal): Promise<FleetConfiguration> {
    return this.target.found(signal, ({ configuration }) => Promise.resolve(configuration));
  }

  /** Nothing is known before. */
  public preview(): Promise<readonly ProgramChange[]> {
    return Promise.resolve([]);
  }

  public async deploy(change: ProgramDeployment, signal: AbortSignal): Promise<void> {
    if (change.restore !== undefined) {
      // The configuration is there already: there is nothing to be committed that would start the pipeline.
      change.say(
        `${this.target.file}: what drain deleted in the cluster of ${change.restore.slot} comes back once the pipeline refreshes its ` +
          'state, and deploys: start it where it makes objects in the cluster',
      );
    }
    const { github } = this.settings;
    const merged = await (github
      ? this.requested(change, signal)
      : this.beforeAny(change, signal, () => this.pushed(change, signal)));
    await this.deployed(change, merged, signal);
  }

  public async withdraw(say: (line: string) => void, signal: AbortSignal): Promise<void> {
    if (this.settings.github) {
      await closeRequests(this.gitHub(say, signal), this.target.branch, this.branchPrefix(), { say });
    }
  }

  /** Commits that have the configuration: the newest one, the last one that has changed the file, that of the merge. */
  private async revisions(
    change: ProgramDeployment,
    merged: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly (string | undefined)[]> {
    for (let look = 1; ; look += 1) {
      const revisions = await this.afterIt(change, signal, () =>
        this.target.found(signal, async (found) => {
          const { branch, configuration } = found;
          if (sameConfiguration(configuration, change.configuration)) {
            return [branch.head, await this.target.lastChange(found), merged];
          }
          // Git may know of a merge a moment later than the API.
          if (look < mostLooks && change.expected.some((each) => sameConfiguration(each, configuration))) {
            return undefined;
          }
          const what =
            'It was merged or changed since by another one, and the pipeline may have deployed it.';
          throw refuseOther(configuration, { expected: [change.configuration] }, this.target.file, what);
        }),
      );
      if (revisions) {
        return revisions;
      }
      await this.pause(signal);
    }
  }

  /** Pushes to the branch itself. */
  private pushed(change: ProgramDeployment, signal: AbortSignal): Promise<string | undefined> {
    return this.target.found(signal, async (found) => {
      if (!checkExpected(found.configuration, change, this.target.file)) {
        return undefined;
      }
      const commit = await this.target.commit(found, change);
      await found.branch.push(commit, this.target.branch, false);
      change.say(`pushed ${commit.slice(0, 12)} to ${this.target.branch}`);
      return commit;
    });
  }

  /** Waits until the change is merged; a pull request that can't be merged any more is made anew. */
  private async requested(change: ProgramDeployment, signal: AbortSignal): Promise<string | undefined> {
    const api = this.gitHub(change.say, signal);
    const given = new Set<number>();
    for (;;) {
      const request = await this.beforeAny(change, signal, () => this.request(api, change, given, signal));
      if (request === undefined) {
        return undefined;
      }
      for (let [isOpen, look] = [true, 1]; isOpen; look += 1) {
        const now = await this.afterIt(change, signal, () => api.get(request.number));
        if (now.state === 'merged') {
          return now.mergeCommit;
        }
        if (now.state === 'closed') {
          // A bot may have pushed it by itself.
          if (await this.isThere(change, signal)) {
            return undefined;
          }
          throw closedError(now);
        }
        if (now.conflicts) {
          change.say(`${shownLine(now.url)} conflicts with ${this.target.branch}: it is made anew`);
          given.add(now.number);
          isOpen = false;
        } else {
          if ((look - 1) % looksBeforeAsking === 0) {
            await this.refuseLate(api, change, signal);
            // Before the first look it was not.
            if (look > 1 && (await this.isThere(change, signal))) {
              await this.afterIt(change, signal, () =>
                closeRequests(api, this.target.branch, this.branchPrefix(), { say: change.say }),
              );
              return undefined;
            }
          }
          await this.pause(signal);
        }
      }
    }
  }

  /** Whether the branch has the configuration, by whatever way it got there. */
  private isThere(change: ProgramDeployment, signal: AbortSignal): Promise<boolean> {
    return this.afterIt(change, signal, async () =>
      sameConfiguration(await this.read(signal), change.configuration),
    );
  }

  /** Closes the pull request once its change must not be deployed any more. */
  private async refuseLate(api: GitHubApi, change: ProgramDeployment, signal: AbortSignal): Promise<void> {
    const { refusedSince, say } = change;
    const reason = await refusedSince?.(signal);
    if (reason !== undefined) {
      const merged = await this.afterIt(change, signal, () =>
        closeRequests(api, this.target.branch, this.branchPrefix(), { say }),
      );
      const late = merged.map(({ url }) => `; ${shownLine(url)} was merged all the same: stop its pipeline`);
      throw new DeploymentRefused(`${reason}${late.join('')}`);
    }
  }

  /** Makes a pull request, or finds that of a run before; undefined where the branch has the configuration. */
  private request(
    api: GitHubApi,
    change: ProgramDeployment,
    given: ReadonlySet<number>,
    signal: AbortSignal,
  ): Promise<PullRequest | undefined> {
    const { say, swap, asksAnew = false } = change;
    const prefix = this.branchPrefix();
    return this.target.found(signal, async (found) => {
      if (!checkExpected(found.configuration, change, this.target.file)) {
        await closeRequests(api, this.target.branch, prefix, { say });
        return undefined;
      }
      const name = this.branchNames(found, change);
      const requests = await requestsOf(api, name, this.target.branch);
      const choice = chosenRequest(name, requests, asksAnew ? undefined : swap, given);
      if ('refused' in choice) {
        throw closedError(choice.refused);
      }
      const head = 'use' in choice ? choice.use.head : choice.make;
      await closeRequests(api, this.target.branch, prefix, { but: head, say });
      if ('use' in choice) {
        say(`${shownLine(choice.use.url)} is open; waiting for its merge`);
        return choice.use;
      }
      await found.branch.push(await this.target.commit(found, change), head, true);
      const title = shownLine(change.title);
      const made = await api.create({
        head,
        base: this.target.branch,
        title,
        body: requestBody(title, swap),
      });
      say(`${shownLine(made.url)} is made; waiting for its merge`);
      return made;
    });
  }

  /** Branches for what this file says of this fleet. */
  private branchPrefix(): string {
    return `cluster-canary/${hash([this.settings.file, this.target.branch, this.target.places])}/`;
  }

  /** The same names for the same change, so that a run after a kill finds its pull request. */
  private branchNames(
    { configuration: before }: FoundFleet,
    { configuration, title }: ProgramDeployment,
  ): (number: number) => string {
    const words = title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 40)
      .replace(/^-+|-+$/g, '');
    const base = `${this.branchPrefix()}${words || 'swap'}-${hash([before, configuration])}`;
    return (number) => `${base}-${number}`;
  }

  /** Waits until a commit that has the configuration is deployed, whatever else is merged meanwhile. */
  private async deployed(
    change: ProgramDeployment,
    merged: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { timeout = '6h' } = this.settings;
    const until = performance.now() + parseDuration(timeout)!;
    let revisions: readonly string[] = [];
    let head: string | undefined;
    for (let failures = 0; ;) {
      const newest = await this.afterIt(change, signal, () => this.target.head(signal));
      if (newest !== head) {
        revisions = withRevisions(revisions, await this.revisions(change, merged, signal));
        change.say(`waiting until ${shortNames(revisions)} is deployed`);
        head = newest;
      }
      const state = await this.afterIt(change, signal, () =>
        this.deploymentState(revisions, change.say, signal),
      );
      if (state === 'deployed') {
        return;
      }
      failures = state === 'failed' ? failures + 1 : 0;
      // A deployment that gives way to a newer one has failed a moment before the newer one is known.
      if (failures >= looksThatFail) {
        throw new Error(
          `the deployment of ${shortNames(revisions)} has failed; ${this.target.file} says what was wanted`,
        );
      }
      if (performance.now() >= until) {
        const what = `${shortNames(revisions)} was not deployed within ${timeout}`;
        throw new Error(`${what}; ${this.target.file} says what was wanted`);
      }
      await this.pause(signal);
    }
  }

  private deploymentState(
    revisions: readonly string[],
    say: (line: string) => void,
    signal: AbortSignal,
  ): Promise<DeploymentState> {
    const { base = '.', run = runProgram } = this.options;
    const ways = { run, folder: resolve(base), gitHub: () => this.gitHub(say, signal), say };
    return deploymentState(this.settings.deployed, revisions, ways, signal);
  }

  private gitHub(say: (line: string) => void, signal: AbortSignal): GitHubApi {
    const settings = this.settings.github!;
    return gitHub(settings, () => this.target.secret(githubToken, settings.token), signal, {
      say,
      ...this.options.github,
    });
  }

  /** Nothing is asked for yet: without an answer it is given up. */
  private beforeAny<T>({ say }: ProgramDeployment, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    const { patience: away = 120_000 } = this.options;
    const pause = (ends: AbortSignal): Promise<void> => this.pause(ends);
    return patiently({ away, refused: 0, pause, say }, signal, ask);
  }

  /** What was asked for is under way: it is looked at until the time of the phase is over. */
  private afterIt<T>({ say }: ProgramDeployment, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    const pause = (ends: AbortSignal): Promise<void> => this.pause(ends);
    return patiently({ pause, say }, signal, ask);
  }

  private pause(signal: AbortSignal): Promise<void> {
    const every = this.options.every ?? parseDuration(this.settings.every ?? '15s')!;
    return sleep(every * (1 + Math.random() / 2), signal);
  }
}

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { CommandResult, RunningCommand } from './command';
import { startCommand } from './command';
import { EksUpgrade } from './eks-upgrade';
import { emptyCluster } from './empty-cluster';
import { eventually } from './eventually';
import type { PipelineReport } from './git-pipeline';
import { GitPipeline } from './git-pipeline';
import type { MergeMethod } from './git-server';
import { GitHub } from './github';
import type { Pull } from './github';
import type { Moto } from './moto';
import { moto } from './moto';
import type { FleetWish } from './moto-fleet';
import { MotoFleet } from './moto-fleet';
import type { ClusterAccess } from './pulumi-clusters';
import { clusterEnvironment } from './pulumi-clusters';
import { temporaryFolder } from './temporary';

const file = 'clusters.yaml';

/** What a person does with a pull request. */
export type Answer =
  | MergeMethod
  /** Closes it without a merge. */
  | 'close'
  /** Nothing yet. */
  | 'wait'
  | ((pull: Pull) => void);

/** A fleet in moto that a pipeline deploys from a file on a Git server, a person who merges, and the real command. */
export class GitSwapWorld {
  /** What the person does with the next pull requests; after those, each is merged at once. */
  public readonly answers: Answer[] = [];
  private swaps = 0;
  private readonly folder = temporaryFolder('git-swap');

  public constructor(
    private readonly aws: Moto,
    public readonly hosting: GitHub,
    public readonly fleet: MotoFleet,
    public readonly pipeline: GitPipeline,
    private readonly fleetName: string,
    private readonly report: PipelineReport,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    hosting.onPull = (pull) => this.answer(pull, this.answers.shift() ?? 'merge');
  }

  /** Does with a pull request what a person does. */
  public answer(pull: Pull, answer: Answer): void {
    if (answer === 'close') {
      this.hosting.close(pull);
    } else if (typeof answer === 'function') {
      answer(pull);
    } else if (answer !== 'wait') {
      this.hosting.merge(pull, answer);
    }
  }

  /** What the file says of the fleet. */
  public get configuration(): FleetWish {
    return (parse(this.hosting.repository.text(file)) as { apps: FleetWish }).apps;
  }

  /** A person's commit to a branch, past pull requests, that a pipeline deploys where it is `main`. */
  public commit(change: (text: string) => string, message: string, branch = 'main'): string {
    const { repository } = this.hosting;
    const commit = repository.commit({ [file]: change(repository.text(file, branch)) }, message, branch);
    if (branch === 'main') {
      this.pipeline.begin(commit);
    }
    return commit;
  }

  /** A commit to `main` that has nothing to do with the fleet. */
  public otherCommit(): string {
    const commit = this.hosting.repository.commit({ 'README.md': String(Math.random()) }, 'readme');
    this.pipeline.begin(commit);
    return commit;
  }

  /** A command that knows what the pipeline has deployed. */
  public get deployedCommand(): readonly string[] {
    const log = join(this.folder, 'deployed');
    const script = `const { readFileSync } = require('node:fs');
      const done = readFileSync(${JSON.stringify(log)}, 'utf8');
      process.exit(JSON.parse(readFileSync(0, 'utf8')).revisions.some((each) => done.includes(each)) ? 0 : 1);`;
    writeFileSync(log, '');
    this.pipeline.onDeployed = (commit) => appendFileSync(log, `${commit}\n`);
    return [process.execPath, '-e', script];
  }

  /** Starts `cluster-canary swap` with a swap file of these settings. */
  public start(settings: SwapSettings, ...args: string[]): RunningCommand {
    const path = join(this.folder, `swap-${++this.swaps}.yaml`);
    const { git, phases, env, ...rest } = settings;
    writeFileSync(
      path,
      stringify({
        fleet: this.fleetName,
        region: this.aws.settings.region,
        program: {
          git: {
            ...this.hosting.settings,
            ...{ file, slots: ['apps', 'slots'], weights: ['apps', 'weights'], every: '1s' },
            deployed: this.report,
            ...git,
          },
        },
        phases: {
          ready: { subjects: ['eks-versions'] },
          deliver: { skip: true },
          soak: { for: '1s', every: '1s' },
          drain: { idleFor: '0s' },
          ...phases,
        },
        ...rest,
      }),
    );
    return startCommand({ ...this.aws.env, ...this.env, ...this.hosting.env, ...env }, 'swap', path, ...args);
  }

  /** Runs it to its end. */
  public swap(settings: SwapSettings, ...args: string[]): Promise<CommandResult> {
    return this.start(settings, ...args).result;
  }

  /** Kills a run once it has said this, and lets its lease expire. */
  public async killAt(run: RunningCommand, words: RegExp): Promise<void> {
    await eventually(`"${words.source}"`, () => words.test(run.printed.stderr), { every: 20 });
    run.kill();
    await run.result;
    await this.fleet.letLeaseExpire();
  }
}

/** What a swap file says besides, or otherwise. */
export interface SwapSettings {
  readonly to: string;
  readonly git?: object;
  readonly phases?: object;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly [key: string]: unknown;
}

/** AWS, for the worlds of a test file. */
export class GitSwapBench {
  private worlds = 0;

  private constructor(
    private readonly aws: Moto,
    private readonly cluster: ClusterAccess,
  ) {}

  public static async start(): Promise<GitSwapBench> {
    const aws = await moto();
    new EksUpgrade(aws);
    // moto's clusters have no API server: one stands for all of them.
    return new GitSwapBench(aws, await emptyCluster());
  }

  /** A fleet with all traffic on `blue` (1.33), with a Git server and a pipeline of its own. */
  public async world(report: PipelineReport = { environment: 'production' }): Promise<GitSwapWorld> {
    const name = `apps${++this.worlds}`;
    const clusters = { [`${name}-blue`]: this.cluster, [`${name}-green`]: this.cluster };
    const env = clusterEnvironment(temporaryFolder('git-swap-clusters'), clusters);
    const fleet = new MotoFleet(this.aws, name, this.cluster);
    const wish = { slots: { blue: '1.33' }, weights: { blue: 100 } };
    await fleet.deploy(wish);
    const text = `# What the pipeline deploys.\n${stringify({ apps: wish })}# The rest belongs to others.\n`;
    const hosting = await GitHub.start({ [file]: text, 'README.md': 'infra\n' });
    const pipeline = new GitPipeline(hosting, { file, report }, (content) =>
      fleet.deploy((parse(content) as { apps: FleetWish }).apps),
    );
    pipeline.begin(hosting.repository.head('main')!);
    return new GitSwapWorld(this.aws, hosting, fleet, pipeline, name, report, env);
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineEvent, ProjectSettings, PulumiFn, Stack } from '@pulumi/pulumi/automation';
import { LocalWorkspace, PulumiCommand } from '@pulumi/pulumi/automation';
import { programPath } from '../tools/go-tools';
import type { Moto } from './moto';
import type { ClusterAccess } from './pulumi-clusters';
import { clusterEnvironment } from './pulumi-clusters';
import type { Outcome } from './pulumi-outcome';
import { outcome } from './pulumi-outcome';
import { withProgramErrors } from './pulumi-program-errors';
import { pluginSettings, programEnvironment } from './pulumi-providers';
import { temporaryFolder } from './temporary';

/** What a stack's program meets. */
export interface PulumiStackOptions {
  /** The AWS that the test's provider calls. */
  readonly aws: Moto;
  /** The control planes that stand for EKS clusters, by the clusters' names. @default - none */
  readonly planes?: Readonly<Record<string, ClusterAccess>>;
  /** Configuration, keys with their namespace: `fleet:host`; what is no text is written as JSON. @default - none */
  readonly config?: Readonly<Record<string, unknown>>;
  /** @default 'e2e' */
  readonly project?: string;
  /** @default 'dev' */
  readonly stack?: string;
  /** Folder of the states; stacks that name the same one can refer to each other. @default - one of its own */
  readonly states?: string;
  /** More environment of the engine and its providers. @default - none */
  readonly env?: Readonly<Record<string, string>>;
}

/** A resource in the engine's state. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly parent?: string;
  readonly provider?: string;
  readonly inputs: Readonly<Record<string, any>>;
  readonly outputs: Readonly<Record<string, any>>;
  readonly ignoreChanges?: readonly string[];
  readonly [field: string]: unknown;
}

/**
 * A program: a function that runs in the test's process (an inline program of the Automation API), or the path of a file
 * that runs in a process of its own, as with plain `pulumi up`.
 */
export type Program = PulumiFn | string;

/** How one operation is run. */
export interface RunOptions {
  /** Runs in place of the stack's program, from now on. */
  readonly program?: Program;
  /** Interrupts the engine. */
  readonly signal?: AbortSignal;
  /** Whether an `up` refreshes the state first. @default false */
  readonly refresh?: boolean;
}

/**
 * How long the engine may go on after an error of the program, in milliseconds. An inline program that fails in an
 * `apply` often never ends: the SDK waits for resources that wait for one that was never registered. (`pulumi up`
 * itself ends then, since nothing is left to do for the program's process.)
 */
const patience = 5_000;

/** Makes a stack of a program on the real engine; its state lives in a folder that is gone when the test file ends. */
export async function pulumiStack(program: Program, options: PulumiStackOptions): Promise<PulumiStack> {
  const { aws, planes = {}, config = {}, project = 'e2e', stack = 'dev', states, env } = options;
  // Inline programs run in this process.
  Object.assign(process.env, aws.env);
  // The type does not know `plugins`, the engine does.
  const settings = { name: project, runtime: 'nodejs', plugins: pluginSettings() } as ProjectSettings;
  const folder = temporaryFolder('pulumi');
  for (const each of ['bin', 'work', 'home', 'state']) {
    mkdirSync(join(folder, each));
  }
  symlinkSync(programPath('pulumi'), join(folder, 'bin', 'pulumi'));
  const made = await LocalWorkspace.createStack(
    { stackName: stack, projectName: project, program: () => Promise.resolve() },
    {
      pulumiCommand: await PulumiCommand.get({ root: folder }),
      workDir: join(folder, 'work'),
      pulumiHome: join(folder, 'home'),
      projectSettings: settings,
      envVars: {
        PULUMI_BACKEND_URL: `file://${states ?? join(folder, 'state')}`,
        PULUMI_CONFIG_PASSPHRASE: 'test',
        PULUMI_SKIP_UPDATE_CHECK: 'true',
        // It would look for them outside.
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
        ...programEnvironment(),
        ...aws.env,
        ...clusterEnvironment(folder, planes),
        ...env,
      },
    },
  );
  await made.setAllConfig(
    Object.fromEntries(
      Object.entries({ 'aws:region': aws.settings.region, ...config }).map(([key, value]) => [
        key,
        { value: typeof value === 'string' ? value : JSON.stringify(value) },
      ]),
    ),
  );
  return new PulumiStack(made, settings, program);
}

/** A stack on the real engine. */
export class PulumiStack {
  public constructor(
    /** The stack of the Automation API. */
    public readonly stack: Stack,
    private readonly settings: ProjectSettings,
    private program: Program,
  ) {}

  /** As `pulumi up --yes --skip-preview`. */
  public async up(options: RunOptions = {}): Promise<Outcome> {
    return this.run(options, async (common) => {
      const { outputs } = await this.stack.up({ ...common, refresh: options.refresh });
      return Object.fromEntries(Object.entries(outputs).map(([key, { value }]) => [key, value as unknown]));
    });
  }

  public async preview(options: RunOptions = {}): Promise<Outcome> {
    return this.run(options, (common) => this.stack.preview(common));
  }

  /** As `pulumi up --yes`: a preview, and where it succeeds, the update. Its events are not recorded. */
  public async previewAndUp(options: RunOptions = {}): Promise<Outcome> {
    if (typeof (options.program ?? this.program) !== 'string') {
      throw new Error('only a program in a file can be run by plain pulumi up');
    }
    const { workDir, envVars, pulumiCommand } = this.stack.workspace as LocalWorkspace;
    const args = ['up', '--yes', '--stack', this.stack.name, '--color', 'never', '--suppress-progress'];
    return this.run(options, async ({ onOutput, signal }) => {
      const child = spawn(pulumiCommand.command, [...args, '--non-interactive'], {
        cwd: workDir,
        env: { ...process.env, ...envVars },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      // An interrupted engine has something to finish: its end is waited for.
      signal.addEventListener('abort', () => child.kill('SIGINT'));
      [child.stdout, child.stderr].forEach((stream) => stream.setEncoding('utf8').on('data', onOutput));
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) {
        throw new Error(`pulumi up ended with ${code}`);
      }
    });
  }

  public async refresh(options: RunOptions = {}): Promise<Outcome> {
    return this.run(options, (common) => this.stack.refresh(common));
  }

  public async destroy(options: RunOptions = {}): Promise<Outcome> {
    return this.run(options, (common) => this.stack.destroy(common));
  }

  /** The resources in the engine's state, in the order of creation. */
  public async state(): Promise<StateResource[]> {
    const { deployment } = await this.stack.exportStack();
    return (deployment as { resources?: StateResource[] }).resources ?? [];
  }

  private async choose(program: Program): Promise<void> {
    this.program = program;
    const inline = typeof program !== 'string';
    this.stack.workspace.program = inline ? program : undefined;
    await this.stack.workspace.saveProjectSettings(
      inline ? this.settings : { ...this.settings, main: program },
    );
  }

  private async run(options: RunOptions, operation: (common: Common) => Promise<unknown>): Promise<Outcome> {
    await this.choose(options.program ?? this.program);
    const events: EngineEvent[] = [];
    const stuck = new AbortController();
    let log = '';
    const write = (text: string) => void (log += text);
    const common: Common = {
      onEvent: (event) => void events.push(event),
      onOutput: write,
      onError: write,
      color: 'never',
      suppressProgress: true,
      signal: AbortSignal.any([...(options.signal ? [options.signal] : []), stuck.signal]),
    };
    let timer: NodeJS.Timeout | undefined;
    const watch = () => {
      timer ??= setTimeout(() => stuck.abort(), patience);
    };
    try {
      const outputs = await withProgramErrors(() => operation(common), watch);
      return outcome(true, log, events, outputs as Outcome['outputs']);
    } catch (error) {
      return outcome(false, `${log}\n${(error as Error).message}`, events);
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Common {
  readonly onEvent: (event: EngineEvent) => void;
  readonly onOutput: (text: string) => void;
  readonly onError: (text: string) => void;
  readonly color: 'never';
  readonly suppressProgress: boolean;
  readonly signal: AbortSignal;
}

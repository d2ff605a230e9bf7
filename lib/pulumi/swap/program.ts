import { resolve } from 'node:path';
import { sleep } from '../../core/async';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { takeBackVariable } from '../../core/names';
import { object, optional } from '../../core/validation/collections';
import { callback, number, text } from '../../core/validation/values';
import { ShiftAborted } from '../../operate/planned-shift';
import { saysAborted } from '../../shift/engine';
import {
  checkExpected,
  holdsWeights,
  isProgramThere,
  pulumiProgramSchema,
} from '../../operate/swap/programs';
import type {
  DrainedSlot,
  FleetConfiguration,
  FleetProgram,
  ProgramChange,
  ProgramDeployment,
  PulumiProgramSettings,
} from '../../operate/swap/programs';
import { PreviewedChanges } from './changes';
import { clusterObjects } from './cluster-objects';
import { commandError, interruptedOnce, isLocked, killSignal, openStack, stackState } from './engine';
import type { StackApi } from './engine';
import { resourcesOf } from './stack-state';
import { areLeftOver, isAlive, locksIn, nextMark, runMarks, thisMachine } from './locks';
import type { RunMarks } from './locks';
import { EngineProgress, safe } from './progress';
import { repairState } from './repair';
import { StackFile, stackFilePath } from './stack-file';

/** What `pulumiProgram` takes besides the settings. */
export interface PulumiProgramOptions {
  /** The folder that `folder` starts from: that of the swap file. @default - the current one */
  readonly base?: string;
  /** Opens the stack. @default - by Pulumi's Automation API */
  readonly open?: (folder: string, stack: string) => Promise<StackApi>;
  /** Where it remembers that it deploys. @default - a file in the user's folder for states */
  readonly marks?: RunMarks;
  /** How long another update of the stack is waited for, in milliseconds. @default 900000 - a cluster takes 10 to 15 minutes */
  readonly lockPatience?: number;
  /** Milliseconds between two tries; each pause has a random part of up to half. @default 15000 */
  readonly lockPause?: number;
  /** Milliseconds between two looks at a cluster that AWS was making when an engine was killed. @default 30000 - it takes minutes */
  readonly makingPause?: number;
}

const programOptions = object<PulumiProgramOptions>({
  base: optional(text('the path of a folder')),
  open: optional(callback),
  marks: optional(opaque('a place for marks, as RunMarks has it')),
  lockPatience: optional(number('a number of milliseconds', { min: 0 })),
  lockPause: optional(number('a number of milliseconds', { min: 0 })),
  makingPause: optional(number('a number of milliseconds', { min: 0 })),
});

/**
 * A stack of Pulumi as the program of a swap, run by Pulumi's Automation API in the user's own folder. The configuration stays in
 * `Pulumi.STACK.yaml`, where a preview changes nothing.
 *
 * An engine that was killed can leave two things behind. A lock of a backend of one's own goes where it is certain that a run of
 * this machine made it and that its process is gone; every other lock is waited for. Operations that were not finished are
 * refreshed first. Of resources that were being created, clusters, node groups and others with a known ID are taken into the state
 * and waited for; the rest are named, since Pulumi can't know whether they are there.
 *
 * @example
 * const program = pulumiProgram({ stack: 'production', slots: 'talk:apps', weights: 'talk:weights' });
 *
 * @throws InvalidInput for settings that can't be used
 * @see https://www.pulumi.com/docs/iac/operations/troubleshooting/interrupted-updates/
 */
export function pulumiProgram(
  settings: PulumiProgramSettings,
  options: PulumiProgramOptions = {},
): FleetProgram {
  refuseArguments('pulumiProgram', programOptions, options);
  refuseArguments('pulumi', pulumiProgramSchema, settings);
  return new PulumiProgram(settings, options);
}

class PulumiProgram implements FleetProgram {
  public readonly name: string;
  private readonly folder: string;
  private readonly marks: RunMarks;
  private opened: Promise<StackApi> | undefined;

  public constructor(
    private readonly settings: PulumiProgramSettings,
    private readonly options: PulumiProgramOptions,
  ) {
    const { folder = '.', stack } = settings;
    this.folder = resolve(options.base ?? '.', folder);
    this.name = `Pulumi stack ${stack}${folder === '.' ? '' : ` of ${folder}`}`;
    this.marks = options.marks ?? runMarks(this.folder, stack);
  }

  public problems(): readonly string[] {
    return this.options.open !== undefined || isProgramThere('pulumi', this.folder)
      ? []
      : ['program.pulumi: the program pulumi is not on the PATH'];
  }

  public read(): Promise<FleetConfiguration> {
    return Promise.resolve().then(() => this.file().read());
  }

  public async preview(
    configuration: FleetConfiguration,
    signal: AbortSignal,
    restore?: DrainedSlot,
  ): Promise<readonly ProgramChange[]> {
    const file = this.file();
    const stack = await this.stack();
    const extent = await this.extent(stack, restore);
    if (extent === undefined) {
      return [];
    }
    const changes = new PreviewedChanges();
    const progress = new EngineProgress(() => undefined);
    try {
      await file.withCopy(configuration, (configFile) =>
        interruptedOnce(
          signal,
          (event) => {
            changes.add(event);
            progress.add(event);
          },
          (common) => stack.preview({ ...common, configFile, ...extent }),
        ),
      );
    } catch (error) {
      throw this.failure('preview', error, progress, signal);
    }
    return changes.all;
  }

  /** Pulumi's state says what was deployed last, which a refresh of the rules and records brings in line. */
  public async takeOverWeights(say: (line: string) => void, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const stack = await this.stack();
    await this.unlocked(stack, say, signal, async () => {
      await this.repaired(stack, say, signal);
      const { deployment } = await stackState(stack);
      const urns = resourcesOf(deployment).filter(({ type }) => holdsWeights(String(type)));
      if (urns.length > 0) {
        await this.refresh(
          stack,
          urns.map(({ urn }) => urn),
          say,
          signal,
        );
      }
    });
  }

  public async deploy(change: ProgramDeployment, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const file = this.file();
    const stack = await this.stack();
    if (checkExpected(file.read(), change, file.file)) {
      file.write(change.configuration);
    }
    await this.unlocked(stack, change.say, signal, async () => this.up(stack, change, signal));
  }

  /**
   * What an operation is about: the whole stack, or the objects in the cluster of a slot that was drained, of which the state says
   * that they are there.
   *
   * @returns nothing where the program has made none there
   */
  private async extent(
    stack: StackApi,
    restore: DrainedSlot | undefined,
  ): Promise<{ readonly refresh: boolean; readonly target?: string[] } | undefined> {
    if (restore === undefined) {
      return { refresh: this.settings.refresh ?? false };
    }
    const target = await clusterObjects(stack, restore);
    return target.length === 0 ? undefined : { refresh: true, target: [...target] };
  }

  private async up(
    stack: StackApi,
    { title, say, back = false, restore }: ProgramDeployment,
    signal: AbortSignal,
  ): Promise<void> {
    const unknown = await this.repaired(stack, say, signal);
    const extent = await this.extent(stack, restore);
    if (extent === undefined) {
      say(`the state has no Kubernetes objects of slot ${restore?.slot}: none is made again`);
      return;
    }
    const progress = new EngineProgress(say);
    stack.workspace.envVars[takeBackVariable] = String(back);
    try {
      await interruptedOnce(
        signal,
        (event) => progress.add(event),
        (common) => stack.up({ ...common, ...extent, message: safe(title) }),
      );
    } catch (error) {
      throw this.failure('up', error, progress, signal, this.creates(unknown));
    }
  }

  private repaired(
    stack: StackApi,
    say: (line: string) => void,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { makingPause: pause = 30_000 } = this.options;
    const refresh = (urns: readonly string[]): Promise<void> => this.refresh(stack, urns, say, signal);
    return repairState(stack, { say, refresh, pause, signal });
  }

  private async refresh(
    stack: StackApi,
    target: readonly string[],
    say: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const progress = new EngineProgress(say);
    try {
      await interruptedOnce(
        signal,
        (event) => progress.add(event),
        (common) => stack.refresh({ ...common, target: [...target] }),
      );
    } catch (error) {
      throw this.failure('refresh', error, progress, signal);
    }
  }

  private creates(urns: readonly string[]): string {
    return urns.length === 0
      ? ''
      : ` An earlier deployment was killed while it created ${safe(urns.join(', '))}. Look whether it is there; then run ` +
          `"pulumi refresh --stack ${this.settings.stack}" in ${this.folder} and answer with its ID, or let Pulumi forget it.`;
  }

  /** Deploys once no other update has the stack. */
  private async unlocked(
    stack: StackApi,
    say: (line: string) => void,
    signal: AbortSignal,
    deploy: () => Promise<void>,
  ): Promise<void> {
    const { lockPatience = 900_000, lockPause = 15_000 } = this.options;
    const here = thisMachine();
    const until = performance.now() + lockPatience;
    let killed = this.marks.read();
    const mark = nextMark(killed, here, Date.now());
    if (mark) {
      this.marks.write(mark);
    }
    for (let told = ''; ;) {
      const error = await lockOf(deploy).catch((failure: unknown) => {
        // An engine that has ended by itself has given back its lock.
        if (killSignal((failure as { cause?: unknown }).cause) === undefined) {
          this.marks.remove();
        }
        throw failure;
      });
      if (error === undefined) {
        this.marks.remove();
        return;
      }
      const locks = locksIn(error.message);
      if (areLeftOver(locks, killed, here, isAlive)) {
        say('the lock of an earlier run that was killed is taken away, as pulumi cancel does');
        await stack.cancel();
        // Once: what is locked after that is locked by another one.
        killed = undefined;
        continue;
      }
      const who = locks.map(({ user, host, pid }) => `${user}@${host} (process ${pid})`).join(', ');
      const line = `another update has the stack${who && `: ${safe(who)}`}; waiting for it`;
      if (line !== told) {
        told = line;
        say(line);
      }
      try {
        this.refuseAfter(until, who);
        await sleep(lockPause * (1 + Math.random() / 2), signal);
      } catch (failure) {
        if (killed === undefined) {
          this.marks.remove();
        }
        throw failure;
      }
    }
  }

  private refuseAfter(until: number, who: string): void {
    const { stack } = this.settings;
    if (performance.now() >= until) {
      throw new Error(
        `${this.name} is locked${who && ` by ${safe(who)}`}. If no update of it runs, ` +
          `"pulumi cancel --stack ${stack}" in ${this.folder} takes the lock away.`,
      );
    }
  }

  private failure(
    verb: string,
    error: unknown,
    { errors }: EngineProgress,
    signal: AbortSignal,
    advice = '',
  ): unknown {
    const isInterrupted = signal.aborted && error === signal.reason && !saysAborted(errors.join('; '));
    if ((isLocked(error) && verb !== 'preview') || isInterrupted) {
      return error;
    }
    const why = errors.length > 0 ? safe(errors.join('; ')) : commandError(error);
    const text = `pulumi ${verb} of ${this.name} failed: ${why.replace(/[.:]$/, '')}.${advice}`;
    return saysAborted(why) ? new ShiftAborted(text, { cause: error }) : new Error(text, { cause: error });
  }

  private file(): StackFile {
    const { stack, slots, weights, active } = this.settings;
    return new StackFile(stackFilePath(this.folder, stack), {
      slots: ['config', slots],
      ...(weights !== undefined && { weights: ['config', weights] }),
      ...(active !== undefined && { active: ['config', active] }),
    });
  }

  /** One that could not be opened is tried again at the next call. */
  private stack(): Promise<StackApi> {
    const { open = openStack } = this.options;
    this.opened ??= open(this.folder, this.settings.stack).catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }
}

/** The error that tells of a lock, where that is why it fails. */
async function lockOf(deploy: () => Promise<void>): Promise<Error | undefined> {
  try {
    await deploy();
    return undefined;
  } catch (error) {
    if (isLocked(error)) {
      return error as Error;
    }
    throw error;
  }
}

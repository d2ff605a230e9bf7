import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { programPath } from '../tools/go-tools';
import type { RunningCommand } from './command';
import { eventually } from './eventually';
import type { RunningProcess } from './listeners';
import { descendants, runningProcesses } from './listeners';
import type { SwapWorld } from './swap-world';

/** What is killed: the command with its engine and all that this runs, as when a container ends; or one of the two alone. */
export type Killed = 'both' | 'command' | 'engine';

/** What a command has come to: it has said this, or this is so. */
export type Boundary = RegExp | (() => boolean);

/** When something is killed: once one of these has come, or after so many milliseconds; whichever comes first. */
export interface KillMoment {
  readonly said: readonly Boundary[];
  /** @default - once one of these has come */
  readonly after?: number | undefined;
}

/** Engines of a world's stack that run. */
export function engines({ env }: Pick<SwapWorld, 'env'>, all = runningProcesses()): RunningProcess[] {
  const program = realpathSync(programPath('pulumi'));
  return all.filter(({ pid, command }) => {
    try {
      return (
        readlinkSync(`/proc/${pid}/exe`) === program &&
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PULUMI_HOME=${env.PULUMI_HOME}`) &&
        / (up|preview|refresh) /.test(command)
      );
    } catch {
      // Ended in the meantime.
      return false;
    }
  });
}

/** Kills a command of a swap, its engine, or both, as `kill -9` does. An engine that is killed alone is waited for. */
export async function killSwap(world: SwapWorld, run: RunningCommand, what: Killed): Promise<void> {
  if (what === 'engine') {
    // As the kernel does where memory is short: what the engine started ends by itself.
    const found = await eventually('an engine', () => {
      const running = engines(world);
      return running.length > 0 && running;
    });
    found.forEach(({ pid }) => kill(pid));
    return;
  }
  const all = runningProcesses();
  const found = what === 'command' ? [] : engines(world, all);
  run.kill();
  // As a container ends: all of it.
  found.flatMap((engine) => [engine, ...descendants(engine.pid, all)]).forEach(({ pid }) => kill(pid));
  await run.result;
  await world.letLeaseExpire();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}

/**
 * Waits for the moment of a kill.
 *
 * @returns what came first: one of the boundaries, by its place; the time; or the end of the command
 */
export async function killMoment(
  run: RunningCommand,
  { said, after = Infinity }: KillMoment,
): Promise<number | 'after' | 'ended'> {
  const begun = Date.now();
  let ended = false;
  void run.result.then(() => (ended = true));
  return eventually(
    `one of ${said.join(', ')}`,
    () => {
      const found = said.findIndex((each) =>
        typeof each === 'function' ? each() : each.test(run.printed.stderr),
      );
      if (found >= 0) {
        return found;
      }
      return ended ? ('ended' as const) : Date.now() - begun >= after ? ('after' as const) : undefined;
    },
    { within: 400_000, every: 10 },
  );
}

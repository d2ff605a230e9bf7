import type { EngineEvent, Stack } from '@pulumi/pulumi/automation';
import { sleep } from '../../core/async';
import { safe } from './progress';

/** What is asked of a stack of Pulumi's Automation API. */
export type StackApi = Pick<
  Stack,
  'preview' | 'up' | 'refresh' | 'cancel' | 'exportStack' | 'importStack'
> & {
  /** Environment variables of the engine and the program, beside those of this process. */
  readonly workspace: Pick<Stack['workspace'], 'envVars'>;
};

/**
 * Opens the stack of a folder by the `pulumi` program on the PATH, with its login and environment. It is the folder's current
 * stack afterwards, as `pulumi stack select` makes it.
 *
 * @throws Error where there is no such stack, or no such program
 */
export async function openStack(folder: string, stack: string): Promise<StackApi> {
  const { LocalWorkspace } = await import('@pulumi/pulumi/automation');
  try {
    return await LocalWorkspace.selectStack({ stackName: stack, workDir: folder });
  } catch (error) {
    throw new Error(`Pulumi stack ${stack} of ${folder} can't be opened: ${commandError(error)}`);
  }
}

/** The state of a stack as `pulumi stack export` prints it; what is in `deployment` depends on the engine's version. */
export async function stackState(
  stack: Pick<StackApi, 'exportStack'>,
): Promise<{ readonly version: number; readonly deployment: unknown }> {
  return stack.exportStack();
}

/** Whether another update has the stack. */
export function isLocked(error: unknown): boolean {
  return (error as Error | undefined)?.name === 'ConcurrentUpdateError';
}

/** The signal that has ended the engine from outside: it could not give back its lock. */
export function killSignal(error: unknown): string | undefined {
  return error instanceof Error ? /Command was killed with (SIG[A-Z]+)/.exec(error.message)?.[1] : undefined;
}

/** What the `pulumi` program said, without its output and the command's arguments. */
export function commandError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/\bENOENT\b/.test(message) && /spawn \S*pulumi/.test(message)) {
    return 'the program pulumi is not on the PATH, or the folder is not there';
  }
  const signal = killSignal(error);
  if (signal !== undefined) {
    return `the program pulumi was ended by ${signal}`;
  }
  const said = message.match(/^\s*error: .*$/gm) ?? [];
  const texts = said.length > 0 ? said.map((line) => line.trim().replace(/^error: /, '')) : [message];
  return safe([...new Set(texts)].slice(0, 3).join('; '));
}

/** What one operation of the engine is given. */
export interface EngineOptions {
  readonly onEvent: (event: EngineEvent) => void;
  readonly signal: AbortSignal;
  readonly color: 'never';
  readonly suppressProgress: true;
  readonly suppressOutputs: true;
}

/** An interrupt of the terminal reaches the engine by itself. In milliseconds. */
const ownInterrupt = 1_000;

/**
 * Runs an operation of the engine, and interrupts it at most once: on the first interrupt it ends what it has begun, on a second
 * one it leaves that behind. So where the terminal has interrupted it already, it is not done here.
 *
 * @param operate answers when the engine has ended
 * @throws what `operate` throws; the signal's reason where it was interrupted
 */
export async function interruptedOnce<T>(
  signal: AbortSignal,
  onEvent: (event: EngineEvent) => void,
  operate: (options: EngineOptions) => Promise<T>,
  patience = ownInterrupt,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const ended = new AbortController();
  let isInterrupted = false;
  const interrupt = (): void => {
    sleep(patience, ended.signal).then(
      () => isInterrupted || own.abort(signal.reason),
      () => undefined,
    );
  };
  signal.addEventListener('abort', interrupt);
  try {
    return await operate({
      onEvent: (event) => {
        // The engine's own words for an interrupt: "^C received; cancelling."
        isInterrupted ||= /received; cancel/.test(event.stdoutEvent?.message ?? '');
        onEvent(event);
      },
      signal: own.signal,
      color: 'never',
      suppressProgress: true,
      suppressOutputs: true,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    ended.abort();
    signal.removeEventListener('abort', interrupt);
  }
}

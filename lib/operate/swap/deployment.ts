import { oneLine } from '../../core/printable-text';
import { InvalidInput, errorLine } from '../../core/validation/problems';
import type { TrafficMover } from '../planned-shift';
import type { FleetConfiguration } from './configuration';
import { unexpectedChanges, weightChanges } from './expected-changes';
import type { SwapAction, SwapEvent } from './machine/events';
import { checkExpected } from './programs/expected';
import { ProgramChanged, ProgramUnreachable } from './program';
import type { DrainedSlot, FleetProgram, ProgramChange } from './program';

type DeployAction = Extract<SwapAction, { type: 'deploy' }>;

/** What came of a deployment, without its time. */
export type Deployed =
  | { readonly type: 'deployed' }
  | Omit<Extract<SwapEvent, { type: 'notDeployed' }>, 'at'>;

/** What a deployment asks on its way. */
export interface DeploymentHelp {
  /** Name of the fleet. */
  readonly fleet: string;
  readonly say: (line: string) => void;
  /** Id of the swap. @default - not known */
  readonly swap?: string;
  /** Moves the traffic, once the program has deployed its weights. @default - the program does so itself */
  readonly mover?: TrafficMover;
  /** Waits before another try, in milliseconds; an abort ends it. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Makes sure that the lease is still held, just before something is written. Answers why it is not. */
  readonly holds: () => Promise<string | undefined>;
}

/** As many as a line of a log holds. */
const mostNamed = 5;

/**
 * Deploys a configuration: a preview before it may show nothing that the phase does not mean, and one after it nothing
 * that is left to be done to what holds weights.
 */
export async function deployConfiguration(
  program: FleetProgram,
  action: DeployAction,
  help: DeploymentHelp,
  signal: AbortSignal,
): Promise<Deployed> {
  const { configuration, expected, phase, back, old, new: fresh, restore } = action;
  const failed = (reason: string, changed = false): Deployed => ({ type: 'notDeployed', reason, changed });
  const { say, holds, swap, fleet, mover } = help;
  try {
    if (back && phase === 'shift') {
      await program.takeOverWeights?.(say, signal);
      signal.throwIfAborted();
    }
    const due = await previewed(program, { configuration, restore }, help, signal);
    const unmeant = unexpectedChanges(due, { phase, back, fleet, old: old.name, new: fresh.name });
    if (unmeant.length > 0) {
      return failed(`${program.name}: nothing was deployed: ${named(unmeant)}`, true);
    }
    const lost = await holds();
    if (lost !== undefined) {
      return failed(`nothing was deployed: ${lost}`, true);
    }
    signal.throwIfAborted();
    if (mover && phase === 'delete') {
      // What the program would refuse must not have been changed elsewhere by then.
      checkExpected(await program.read(signal), { configuration, expected }, program.name);
      await mover.takeOff((back ? fresh : old).name, signal);
      signal.throwIfAborted();
    }
    const change = {
      configuration,
      expected,
      ...(back && { back }),
      ...(restore !== undefined && { restore }),
    };
    const title = deploymentTitle(action);
    await program.deploy({ ...change, title, say, ...(swap !== undefined && { swap }) }, signal);
    signal.throwIfAborted();
    const { weights } = configuration;
    if (mover && weights && !back && phase === 'create') {
      // Later, a plan that can't be used would take back what has been made for it.
      await mover.putOn(fresh.name, Object.keys(weights), signal);
    }
    if (mover && weights && phase === 'shift') {
      await mover.move(weights, { back, say }, signal);
      signal.throwIfAborted();
    }
    const left = weightChanges(await previewed(program, { configuration }, help, signal));
    return left.length === 0
      ? { type: 'deployed' }
      : failed(`${program.name}: it was deployed, and it does not hold: ${named(left)}`);
  } catch (error) {
    const stops = error instanceof ProgramChanged || (error instanceof ProgramUnreachable && !signal.aborted);
    return failed(`${program.name}: ${errorLine(signal.aborted ? signal.reason : error)}`, stops);
  }
}

/** How often a preview is tried: it writes nothing, and a shift of hours is not to be undone since the last one had no answer. */
const tries = 4;

/** The pause after the first one that failed; each further one is twice as long. */
const firstPauseMs = 5_000;

async function previewed(
  program: FleetProgram,
  { configuration, restore }: { readonly configuration: FleetConfiguration; readonly restore?: DrainedSlot },
  { say, pause }: DeploymentHelp,
  signal: AbortSignal,
): Promise<readonly ProgramChange[]> {
  for (let tried = 1; ; tried += 1) {
    try {
      const changes = await program.preview(configuration, signal, restore);
      signal.throwIfAborted();
      return changes;
    } catch (error) {
      if (
        signal.aborted ||
        tried >= tries ||
        error instanceof ProgramChanged ||
        error instanceof InvalidInput
      ) {
        throw error;
      }
      say(`${program.name}: the preview is tried again: ${errorLine(error)}`);
      await pause(firstPauseMs * 2 ** (tried - 1), signal);
    }
  }
}

/** `Swap 1.35 to 1.36: slot green gets the traffic` */
export function deploymentTitle({ phase, back, old, new: to, configuration }: DeployAction): string {
  const gets = configuration.weights ? 'the traffic' : 'the right to write';
  const what = {
    create: `slot ${to.name} with ${to.version} comes`,
    drain: `slot ${old.name} gets back what drain deleted`,
    shift: `slot ${(back ? old : to).name} gets ${gets}`,
    delete: `slot ${(back ? to : old).name} goes`,
  }[phase as 'create' | 'drain' | 'shift' | 'delete'];
  const way = back ? `Swap back to ${old.version}` : `Swap ${old.version} to ${to.version}`;
  return oneLine(`${way}: ${what}`);
}

function named(lines: readonly string[]): string {
  const more = lines.length - mostNamed;
  return `${lines.slice(0, mostNamed).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

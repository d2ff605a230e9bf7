import { oneLine } from '../../core/printable-text';
import { InvalidInput, errorLine } from '../../core/validation/problems';
import type { Weights } from '../../shift/engine';
import { NotBegun, NotMoved, ShiftAborted } from '../planned-shift';
import type { TrafficMover } from '../planned-shift';
import { again } from './again';
import type { FleetConfiguration } from './configuration';
import { unexpectedChanges, weightChanges } from './expected-changes';
import type { SwapAction, SwapEvent } from './machine/events';
import { checkExpected } from './programs/expected';
import { DeploymentRefused, ProgramChanged, ProgramUnreachable } from './program';
import type { DrainedSlot, FleetProgram, ProgramChange } from './program';
import type { SwapSeen } from './seen';

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
  /** Live traffic by slot, in percent. */
  readonly live: (signal: AbortSignal) => Promise<SwapSeen['live']>;
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
  // A deployment, or a wait for the lease of a shift, may take hours: another run may swap the fleet by then.
  const confirm = (): Promise<void> => confirmed(holds, 'no traffic was moved');
  const moved = async (weights: Weights, by: TrafficMover): Promise<void> => {
    await confirm();
    await by.move(weights, { back, say, confirm }, signal);
  };
  try {
    const missing = program.problems?.() ?? [];
    if (back && phase === 'shift' && missing.length === 0) {
      await program.takeOverWeights?.(say, signal);
      signal.throwIfAborted();
    }
    const { weights } = configuration;
    if (mover && weights && phase === 'shift' && back) {
      // The program holds no traffic: what it refuses, or can't be asked, must not keep traffic where it is.
      await tried('the way back', () => moved(weights, mover), help, signal);
    }
    // No later try helps, and what there is must not be undone for that: another machine may have it.
    if (missing.length > 0) {
      return failed(missing.join('; '), true);
    }
    const due = await previewed(program, { configuration, restore }, help, signal);
    const unmeant = unexpectedChanges(due, { phase, back, fleet, old: old.name, new: fresh.name });
    if (unmeant.length > 0) {
      return failed(`${program.name}: nothing was deployed: ${named(unmeant)}`, true);
    }
    await confirmed(holds, 'nothing was deployed');
    signal.throwIfAborted();
    if (mover && phase === 'delete') {
      // What the program would refuse must not have been changed elsewhere by then.
      checkExpected(await program.read(signal), { configuration, expected }, program.name);
      await tried(
        `taking ${(back ? fresh : old).name} off the weights`,
        async () => {
          await confirm();
          await mover.takeOff((back ? fresh : old).name, signal);
        },
        help,
        signal,
      );
      signal.throwIfAborted();
    }
    const change = {
      configuration,
      expected,
      ...(back && { back }),
      ...((back || phase === 'delete') && { asksAnew: true }),
      ...(restore !== undefined && { restore }),
      ...(phase === 'delete' && { refusedSince: trafficOn((back ? fresh : old).name, help) }),
    };
    const title = deploymentTitle(action);
    await program.deploy({ ...change, title, say, ...(swap !== undefined && { swap }) }, signal);
    signal.throwIfAborted();
    if (mover && weights && !back && phase === 'create') {
      // Later, a plan that can't be used would take back what has been made for it.
      const slots = Object.keys(configuration.slots);
      await tried(
        `putting ${fresh.name} on the weights`,
        async () => {
          await confirm();
          await mover.putOn(fresh.name, slots, { say, confirm }, signal);
        },
        help,
        signal,
      );
    }
    if (mover && weights && phase === 'shift' && !back) {
      await tried('the shift', () => moved(weights, mover), help, signal);
    }
    const left = weightChanges(await previewed(program, { configuration }, help, signal));
    return left.length === 0
      ? { type: 'deployed' }
      : failed(`${program.name}: it was deployed, and it does not hold: ${named(left)}`);
  } catch (error) {
    if (error instanceof LeaseLost) {
      return failed(error.message, true);
    }
    const stops =
      error instanceof ProgramChanged ||
      error instanceof DeploymentRefused ||
      error instanceof ShiftAborted ||
      (error instanceof ProgramUnreachable && !signal.aborted);
    return failed(`${program.name}: ${errorLine(signal.aborted && !stops ? signal.reason : error)}`, stops);
  }
}

/** A person may have moved traffic to the slot that goes. Where that can't be read, nothing is known against its deletion. */
function trafficOn(
  slot: string,
  { live, say }: Pick<DeploymentHelp, 'live' | 'say'>,
): (signal: AbortSignal) => Promise<string | undefined> {
  let said = '';
  return async (signal) => {
    try {
      const { [slot]: share = 0 } = await live(signal);
      return share > 0 ? `${slot} has ${share} % of the live traffic: it must not go` : undefined;
    } catch (error) {
      signal.throwIfAborted();
      const line = `Whether ${slot} has traffic could not be read: ${errorLine(error)}`;
      if (line !== said) {
        say(line);
      }
      said = line;
      return undefined;
    }
  };
}

class LeaseLost extends Error {}

async function confirmed(holds: DeploymentHelp['holds'], what: string): Promise<void> {
  const lost = await holds();
  if (lost !== undefined) {
    throw new LeaseLost(`${what}: ${lost}`);
  }
}

function previewed(
  program: FleetProgram,
  { configuration, restore }: { readonly configuration: FleetConfiguration; readonly restore?: DrainedSlot },
  help: Pick<DeploymentHelp, 'say' | 'pause'>,
  signal: AbortSignal,
): Promise<readonly ProgramChange[]> {
  const preview = () => program.preview(configuration, signal, restore);
  return tried(`${program.name}: the preview`, preview, help, signal);
}

/** What no later try changes. */
const finals = [ProgramChanged, InvalidInput, ShiftAborted, NotMoved, LeaseLost];

function tried<T>(
  what: string,
  call: () => Promise<T>,
  { say, pause }: Pick<DeploymentHelp, 'say' | 'pause'>,
  signal: AbortSignal,
): Promise<T> {
  const isFinal = (error: unknown): boolean =>
    finals.some((kind) => error instanceof kind) && !(error instanceof NotBegun);
  const onRetry = (error: unknown): void => say(`${what} is tried again: ${errorLine(error)}`);
  return again(call, { isFinal, onRetry, pause, firstPauseMs: 5_000 }, signal);
}

/** `Swap 1.35 to 1.36: shift traffic to green` */
export function deploymentTitle({ phase, back, old, new: to, configuration }: DeployAction): string {
  const shift = configuration.weights ? 'shift traffic' : 'hand over';
  const what = {
    create: `add slot ${to.name} (${to.version})`,
    drain: `restore in ${old.name} what drain deleted`,
    shift: `${shift} to ${(back ? old : to).name}`,
    delete: `remove slot ${(back ? to : old).name}`,
  }[phase as 'create' | 'drain' | 'shift' | 'delete'];
  const way = back ? `Swap back to ${old.version}` : `Swap ${old.version} to ${to.version}`;
  return oneLine(`${way}: ${what}`);
}

function named(lines: readonly string[]): string {
  const more = lines.length - mostNamed;
  return `${lines.slice(0, mostNamed).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

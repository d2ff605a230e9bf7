import { HookRefusal } from '../../bridge';
import { formatDuration } from '../../durations';
import { isKubernetesError } from '../../kubernetes';
import { busyApplications } from './busy';
import type { HubApplication } from './hub-application';
import { handoverObstacles } from './obstacles';
import type { HubReader } from './parts';
import type { Patience } from './wait';
import { untilClear } from './wait';

/** A hub by its slot's name. */
export interface NamedHub {
  readonly slot: string;
  readonly reader: HubReader;
}

/** What tells a person how far a handover is. */
export interface HandoverLog {
  info(text: string): void;
  warn(text: string): void;
}

/**
 * Waits until one hub is ready to take over from another.
 *
 * @throws HookRefusal where it is not in time; nothing has been changed yet
 */
export async function waitUntilComparable(
  what: string,
  from: NamedHub,
  to: NamedHub,
  patience: Patience,
  log: HandoverLog,
): Promise<void> {
  const { signal } = patience;
  const notReady = (lines: readonly string[]): HookRefusal => {
    const ended = signal.aborted ? 'interrupted' : `not within ${formatDuration(patience.within)}`;
    return new HookRefusal(
      `${what}: ${to.slot} is not ready to take over from ${from.slot} (${ended}); nothing has changed.` +
        lines.map((line) => `\n  ${line}`).join(''),
    );
  };
  const look = async (): Promise<readonly string[]> => {
    const old = await from.reader.applications(signal).catch((error: Error) => {
      throw new HookRefusal(
        `${what}: the hub ${from.slot} can't be asked for its Applications: ${error.message}. ` +
          `If it is gone, name it in lost: ['${from.slot}'].`,
      );
    });
    const own = await applicationsOrWhy(to, signal);
    return typeof own === 'string' ? [own] : handoverObstacles(old, own);
  };
  const left = await untilClear(look, patience, (lines) =>
    log.info(`${what}: ${to.slot} is not ready to write: ${lines.join('; ')}`),
  ).catch((error: Error) => {
    throw signal.aborted ? notReady(['it was not asked to the end']) : error;
  });
  if (left.length > 0) {
    throw notReady(left);
  }
}

/**
 * Waits until nothing is synchronised on a hub any more. Time that is up, and a hub that does not answer, are told and
 * passed: what keeps it from writing is the managed clusters' refusal.
 *
 * @throws HookRefusal where it is interrupted
 */
export async function waitUntilQuiet(
  what: string,
  hub: NamedHub,
  sets: readonly string[],
  patience: Patience,
  log: HandoverLog,
): Promise<void> {
  const { signal } = patience;
  const goesOn = 'the handover goes on: from now on the managed clusters refuse what it writes';
  const look = async () => busyApplications(await hub.reader.applications(signal), sets);
  try {
    const left = await untilClear(look, patience, (lines) =>
      log.info(`${what}: waits for ${hub.slot}: ${lines.join('; ')}`),
    );
    if (left.length > 0 && !signal.aborted) {
      log.warn(
        `${what}: ${hub.slot} is not quiet after ${formatDuration(patience.within)}: ${left.join('; ')}; ${goesOn}`,
      );
    }
  } catch (error) {
    if (!signal.aborted) {
      log.warn(
        `${what}: ${hub.slot} does not say whether a sync runs: ${(error as Error).message}; ${goesOn}`,
      );
    }
  }
  if (signal.aborted) {
    throw new HookRefusal(
      `${what}: interrupted. Automated sync is off on ${hub.slot}, which still has the right to write. ` +
        'Run pulumi up again to go on, or with the former "active" to go back.',
    );
  }
}

async function applicationsOrWhy(
  { slot, reader }: NamedHub,
  signal: AbortSignal,
): Promise<readonly HubApplication[] | string> {
  try {
    return await reader.applications(signal);
  } catch (error) {
    if (isKubernetesError(error)) {
      return `the hub ${slot} can't be asked for its Applications: ${(error as Error).message}`;
    }
    throw error;
  }
}

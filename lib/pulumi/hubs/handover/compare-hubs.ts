import { untilClear } from '../../../core/async';
import type { WaitLimits } from '../../../core/async';
import { formatDuration } from '../../../core/durations';
import { isKubernetesError } from '../../../core/kubernetes/errors';
import { HookError } from '../../hooks';
import type { HubApplication } from './applications';
import type { HubReader } from './dependencies';

/**
 * What keeps one hub from taking over from another: it does not have the same Applications, has not compared them with the
 * same revisions, or finds differences that the other one does not. All of it, one line each; none where it is ready.
 *
 * @param from Applications of the hub that writes
 * @param to Applications of the hub that is to write
 */
export function handoverBlockers(
  from: readonly HubApplication[],
  to: readonly HubApplication[],
): readonly string[] {
  const there = new Map(to.map((each) => [each.name, each]));
  const here = new Set(from.map(({ name }) => name));
  return [
    ...from.flatMap((old) => {
      const own = there.get(old.name);
      return own ? differences(old, own) : [`${old.name}: is not there`];
    }),
    ...to.filter(({ name }) => !here.has(name)).map(({ name }) => `${name}: the hub that writes has no such`),
  ];
}

function differences(old: HubApplication, own: HubApplication): readonly string[] {
  const elsewhere =
    place(own) === place(old) ? [] : [`${own.name}: deploys to ${place(own)}, not to ${place(old)}`];
  // What the old hub can't compare either says nothing about the new one, say a cluster that is down.
  const known = old.sync !== undefined && old.sync !== 'Unknown';
  if (own.sync === undefined || (own.sync === 'Unknown' && known)) {
    const why = own.error === undefined ? '' : `: ${shortened(own.error)}`;
    return [...elsewhere, `${own.name}: is not compared yet${why}`];
  }
  if (known && own.revisions.join() !== old.revisions.join()) {
    return [...elsewhere, `${own.name}: is compared with ${revisions(own)}, not with ${revisions(old)}`];
  }
  return known && old.sync === 'Synced' && own.sync !== 'Synced'
    ? [
        ...elsewhere,
        `${own.name}: finds differences that the hub that writes does not: ${few(own.differing)}`,
      ]
    : elsewhere;
}

function place({ cluster, namespace }: HubApplication): string {
  return `${cluster}${namespace === undefined ? '' : ` ${namespace}`}`;
}

function revisions({ revisions: all }: HubApplication): string {
  return all.length === 0 ? 'no revision' : all.map((each) => each.slice(0, 12)).join(' and ');
}

function few(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown || 'no object is named';
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

/**
 * Which Applications of a hub may still write, one line each: those that are synchronised by themselves, and those whose
 * sync runs or waits to run.
 *
 * @param sets ApplicationSets of the hub; of other Applications nobody switches the automated sync off, so that they count
 *   only while a sync of theirs runs
 */
export function busyApplications(
  applications: readonly HubApplication[],
  sets: readonly string[],
): readonly string[] {
  return applications.flatMap(({ name, set, automated, operating }) => {
    const reasons = [
      ...(automated && set !== undefined && sets.includes(set) ? ['is synchronised by itself'] : []),
      ...(operating ? ['a sync runs'] : []),
    ];
    return reasons.length > 0 ? [`${name}: ${reasons.join(', ')}`] : [];
  });
}

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
 * @throws HookError where it is not in time; nothing has been changed yet
 */
export async function waitUntilComparable(
  what: string,
  from: NamedHub,
  to: NamedHub,
  patience: WaitLimits,
  log: HandoverLog,
): Promise<void> {
  const { signal } = patience;
  const notReady = (lines: readonly string[]): HookError => {
    const ended = signal.aborted ? 'interrupted' : `not within ${formatDuration(patience.within)}`;
    return new HookError(
      `${what}: ${to.slot} is not ready to take over from ${from.slot} (${ended}); nothing has changed.` +
        lines.map((line) => `\n  ${line}`).join(''),
    );
  };
  const look = async (): Promise<readonly string[]> => {
    const old = await from.reader.applications(signal).catch((error: Error) => {
      throw new HookError(
        `${what}: the hub ${from.slot} can't be asked for its Applications: ${error.message}. ` +
          `If it is gone, name it in lost: ['${from.slot}'].`,
      );
    });
    const own = await applicationsOrWhy(to, signal);
    return typeof own === 'string' ? [own] : handoverBlockers(old, own);
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
 * @throws HookError where it is interrupted
 */
export async function waitUntilQuiet(
  what: string,
  hub: NamedHub,
  sets: readonly string[],
  patience: WaitLimits,
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
    throw new HookError(
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

import { parseDuration } from '../../core/durations';
import { fleetTag, slotTag } from '../../core/names';
import { argumentProblems } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { dnsLabel, goDuration } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Entries } from '../../core/validation/schema';
import { following, oneOf } from '../../core/validation/values';

/** The cluster that is emptied. */
export interface DrainTarget {
  /** Name of the EKS cluster. */
  readonly clusterName: string;
  /** Name of the fleet, which its slot is of. */
  readonly fleet: string;
  /** Name of the slot. */
  readonly slot: string;
}

/**
 * The slot of a cluster: as its tags say, which this library gives to the clusters it makes; else as the user says; else as
 * a name of the form FLEET-SLOT says, by what is before and after the last `-`.
 *
 * @returns undefined for a name without `-` of which nothing else is known
 */
export function targetOf(
  clusterName: string,
  tags: Readonly<Record<string, string>> = {},
  given: { readonly fleet?: string; readonly slot?: string } = {},
): DrainTarget | undefined {
  const at = clusterName.lastIndexOf('-');
  const [before, after] =
    at < 1 ? [undefined, undefined] : [clusterName.slice(0, at), clusterName.slice(at + 1)];
  const fleet = tags[fleetTag] ?? given.fleet ?? before;
  const slot = tags[slotTag] ?? given.slot ?? after;
  return fleet === undefined || slot === undefined || slot === '' ? undefined : { clusterName, fleet, slot };
}

/** What is wrong with a target that a user gave. */
export function targetProblems({ clusterName, fleet, slot }: DrainTarget): readonly Problem[] {
  const problems = new Problems('cluster');
  problems.check('fleet', fleet, dnsLabel);
  problems.check('slot', slot, dnsLabel);
  problems.check('clusterName', clusterName, {
    allowed: 'the name of an EKS cluster: letters, digits, "-" and "_", at most 100 characters',
    accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(value),
  });
  return problems.all;
}

/** How a cluster is emptied. */
export interface DrainSettings {
  /**
   * What becomes of PersistentVolumeClaims and their volumes. With `delete`, Deployments and StatefulSets that mount claims
   * are scaled to 0 and the claims are deleted, with the data. With `keep`, they stay, and are not counted as left behind.
   *
   * @default - they stay, and are counted as left behind: data goes or stays only on request
   */
  readonly volumes?: 'delete' | 'keep';
  /**
   * How long controllers may take to remove what they made in AWS.
   * @default '15m' - load balancers go within minutes, nodes within their pods' termination
   */
  readonly within?: string;
  /**
   * How long the slot must have had no traffic before anything is deleted.
   * @default '1m' - clients that know an old DNS answer, and connections that end
   */
  readonly idleFor?: string;
}

/** A schema for each of them. */
export const drainSettingsEntries: Entries<DrainSettings> = {
  volumes: optional(oneOf('delete', 'keep')),
  within: optional(following(goDuration)),
  idleFor: optional(following(goDuration)),
};

const drainSettings = object<DrainSettings>(drainSettingsEntries);

/** The same with defaults; durations in milliseconds. */
export interface DrainTimes {
  /** What becomes of volumes; `untouched` ones are counted as left behind. */
  readonly volumes: 'delete' | 'keep' | 'untouched';
  /** How long controllers may take. */
  readonly withinMs: number;
  /** How long there must have been no traffic. */
  readonly quietMs: number;
}

/** The settings that a user left out are the defaults. */
export function drainTimes({ volumes, within = '15m', idleFor: quiet = '1m' }: DrainSettings): DrainTimes {
  return {
    volumes: volumes ?? 'untouched',
    withinMs: parseDuration(within)!,
    quietMs: parseDuration(quiet)!,
  };
}

/** What is wrong with settings that a user gave. */
export function drainSettingsProblems(settings: DrainSettings): readonly Problem[] {
  return argumentProblems(drainSettings, settings);
}

import { minorVersion } from '../../../core/readiness';
import type { CheckWindow } from '../../engine';

/** Which slots give their traffic to which. */
export interface ShiftedSlots {
  /** The slots that lose, the one that loses most first; none before a first shift. What runs in any of them moves. */
  readonly losing: readonly string[];
  /** The slots that gain, the one that gains most first: the version of each is one that runs after the shift. */
  readonly gaining: readonly string[];
}

/** The slots that an upgrade is between. */
export function shiftedSlots({ origin, wanted }: Pick<CheckWindow, 'origin' | 'wanted'>): ShiftedSlots {
  const changes = Object.keys({ ...origin, ...wanted })
    .map((slot) => ({ slot, change: (wanted[slot] ?? 0) - (origin[slot] ?? 0) }))
    .sort((one, other) => one.change - other.change);
  return {
    losing: changes.filter(({ change }) => change < 0).map(({ slot }) => slot),
    gaining: changes
      .filter(({ change }) => change > 0)
      .map(({ slot }) => slot)
      .reverse(),
  };
}

/** Whether it is no upgrade: the losing slot's version is the wanted one, or a newer one. */
export function isNoUpgrade(running: string | undefined, to: string): boolean {
  const [from, wanted] = [minorVersion(running ?? ''), minorVersion(to)];
  return from !== undefined && wanted !== undefined && from >= wanted;
}

/** Whether a slot's version is newer than the one that is asked about. */
export function isBeyond(running: string, to: string): boolean {
  const [is, asked] = [minorVersion(running), minorVersion(to)];
  return is !== undefined && asked !== undefined && is > asked;
}

/** `1.36` of `v1.36.2-eks-1a2b3c4` */
export function minorRelease(version: string): string | undefined {
  const minor = minorVersion(version);
  return minor === undefined ? undefined : `1.${minor}`;
}

import { chanceOfSoMany } from './odds';
import { vitalKinds, vitals } from './vitals';
import type { CountedVital, VitalCount } from './vitals';

/** What is no matter, and how sure it has to be. */
export interface VitalBounds {
  /** By how much more of its units may be affected than of the old cluster's: a share. */
  readonly tolerance: number;
  /** Chance of a false alarm in a whole shift. */
  readonly alpha: number;
}

/**
 * `ill`: more is affected than beside it. `starting`: it would be, if what has only begun stays as it is. `well`: neither, which of
 * a vital without any units says nothing, as `missing.ts` knows.
 */
export type VitalVerdict = 'well' | 'starting' | 'ill';

/**
 * Looks of a shift that tell something new: what is affected stays so for minutes, and the default shift has seven steps and a
 * bake.
 */
const looks = 10;

/**
 * A vital of the new cluster beside the same of the old one. It is ill where the share that is affected is larger by more than
 * the tolerance, and such a difference has hardly a chance in clusters that are equal: each vital and look has its part of
 * `alpha`. Of CoreDNS's few pods, the most have to be affected.
 *
 * @param beside of the old cluster; undefined where it is not known, so that absolute limits count alone
 */
export function compareVital(
  vital: CountedVital,
  count: VitalCount,
  beside: VitalCount | undefined,
  bounds: VitalBounds,
): VitalVerdict {
  if (isIll(vital, count.affected, count.of, beside, bounds)) {
    return 'ill';
  }
  return isIll(vital, count.affected + count.waiting, count.of, beside, bounds) ? 'starting' : 'well';
}

function isIll(
  vital: CountedVital,
  affected: number,
  of: number,
  beside: VitalCount | undefined,
  { tolerance, alpha }: VitalBounds,
): boolean {
  if (affected === 0 || of === 0) {
    return false;
  }
  if (vital === 'dns') {
    return 2 * affected > of;
  }
  const { least, usual } = vitalKinds[vital];
  const other = {
    affected: (beside?.affected ?? 0) + (beside?.waiting ?? 0),
    of: beside?.of ?? 0,
  };
  const share = affected / of;
  const difference = share - (other.of === 0 ? 0 : other.affected / other.of);
  return (
    difference >= tolerance &&
    share >= (least ?? tolerance) &&
    chanceOfSoMany({ affected, of }, other, usual) <= alpha / (vitals.length * looks)
  );
}

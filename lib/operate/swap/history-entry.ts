import { centsAnHour } from '../../core/readiness/eks';
import type { VersionSupport } from '../../core/readiness/eks';
import type { HistoryCost, HistoryEntry, HistoryPhase, OpenSwap } from '../history';
import type { SwapRecord } from './record';
import type { SwappedFleet } from './store/swap-store';

/** How EKS supports versions of Kubernetes: `{ '1.35': 'standard' }`. */
export type SupportByVersion = Readonly<Record<string, VersionSupport>>;

/** Milliseconds. */
const hour = 3_600_000;

/**
 * An ended swap as an entry of the history.
 *
 * @param support of both versions; without it, the hours with two control planes have no price
 * @returns nothing where it has not ended
 */
export function swapHistory(
  record: SwapRecord,
  { fleet, region }: SwappedFleet,
  support: SupportByVersion = {},
): HistoryEntry | undefined {
  const { id, by, startedAt, old, new: next, back, ended } = record;
  if (!ended) {
    return undefined;
  }
  const cost = costOf(record, support);
  return {
    ...{ id, kind: 'swap', fleet, region, by, startedAt, endedAt: ended.at },
    old: { name: old.name, version: old.version },
    new: { name: next.name, version: next.version },
    verdict: ended.verdict,
    ...(back && { why: back.why }),
    phases: phasesOf(record),
    ...(cost && { cost }),
  };
}

/**
 * A swap that has not ended, for the same list.
 *
 * @returns nothing where it has ended
 */
export function unfinishedSwap(record: SwapRecord, { fleet, region }: SwappedFleet): OpenSwap | undefined {
  const { id, by, startedAt, old, new: next, back, phase, stopped, ended } = record;
  return ended
    ? undefined
    : {
        ...{ id, kind: 'swap', fleet, region, by, startedAt },
        old: { name: old.name, version: old.version },
        new: { name: next.name, version: next.version },
        verdict: 'unfinished',
        phase,
        ...(back && { why: back.why }),
        ...(stopped && { stopped: stopped.reason }),
        phases: phasesOf(record),
      };
}

function phasesOf({ done }: SwapRecord): readonly HistoryPhase[] {
  return done.map((each) => ({
    phase: each.phase,
    startedAt: each.startedAt,
    endedAt: each.endedAt,
    verdict: each.verdict,
    ...(each.reason !== undefined && { reason: each.reason }),
    ...(each.approvedBy !== undefined && { approvedBy: each.approvedBy }),
  }));
}

/** From the begin of `create` to the end of the swap, which is that of `delete` where a cluster has gone. */
function costOf(
  { done, old, new: next, ended }: SwapRecord,
  support: SupportByVersion,
): HistoryCost | undefined {
  const created = done.find(({ phase, verdict }) => phase === 'create' && verdict !== 'skipped');
  if (!created || !ended) {
    return undefined;
  }
  const hours = Math.round((Math.max(0, ended.at - created.startedAt) / hour) * 100) / 100;
  // The control plane that was one too many: without it, the fleet would have what it has at the end.
  const { version } = ended.verdict === 'completed' ? old : next;
  const known = support[version];
  return {
    hours,
    ...(known !== undefined && known !== 'none' && { centsAnHour: centsAnHour[known] }),
  };
}

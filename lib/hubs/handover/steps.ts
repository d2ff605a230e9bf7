import { formatDuration } from '../../durations';
import type { HandoverTimes } from './settings';

/** A handover that is due. */
export interface DueHandover {
  /** For people: `ArgoCdHub "argocd"`. */
  readonly what: string;
  /** Slot of the hub that writes; unset where it can't be reached, or is no longer in the program. */
  readonly from?: string;
  /** Slot of the hub that is to write. */
  readonly to: string;
  /** Slots that can't be reached. */
  readonly lost: readonly string[];
  /** Names of the managed clusters. */
  readonly targets: readonly string[];
  /** How long each part may take. */
  readonly times: HandoverTimes;
}

/** What a handover does, in order; for a preview. */
export function handoverSteps({ what, from, to, lost, targets, times }: DueHandover): readonly string[] {
  const span = (milliseconds: number): string => formatDuration(milliseconds);
  const gone = lost.length === 0 ? 'a hub that is no longer in the program' : lost.join(', ');
  const old = from ?? gone;
  const quiet =
    from === undefined
      ? [`${old} can't be asked: it is not compared with ${to}, and nothing is waited for`]
      : [
          `${to} must have the Applications of ${from}, compared with the same revisions and without a difference of its own, within ${span(times.compareWithin)}`,
          `automated sync off on ${from}`,
          `running syncs on ${from} are waited for, at most ${span(times.finishWithin)}`,
        ];
  const steps = [
    ...quiet,
    `in each managed cluster (${targets.join(', ') || 'none'}) ${old} loses the right to write; ${span(times.settle)} later ${to} gets it`,
    `automated sync on on ${to}`,
  ];
  return [
    `${what}: the right to write goes from ${old} to ${to}`,
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ];
}

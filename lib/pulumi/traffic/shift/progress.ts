import { formatRoundedDuration, formatFigure, formatWeights } from '../../../shift/engine';
import type { CheckRecord, ShiftObserver, ShiftProgress } from '../../../shift/engine';

/** Where a shift says what it does. */
export interface ShiftLog {
  info(text: string): void;
  warn(text: string): void;
  /** A line that the next one takes the place of. */
  progress(text: string): void;
}

/** Where lines are not drawn anew, each stays: so often at most is only the time left told, in milliseconds. */
const timeOnlyEveryMs = 30_000;

/** Tells a log how a shift goes. */
export function observerOf(log: ShiftLog): ShiftObserver {
  let last = { words: '', at: 0 };
  return {
    logged: ({ text }) => log.info(text),
    progress: (progress) => {
      const words = whereItIs(progress);
      if (words !== last.words || progress.at - last.at >= timeOnlyEveryMs) {
        last = { words, at: progress.at };
        log.progress(progressLine(progress));
      }
    },
  };
}

/**
 * Where a shift is, in one line: `step 3 of 7, blue 95, green 5, watching, targetHealth pass [healthy share of green 100 %
 * (at least 90 %)], 12m to go`.
 */
export function progressLine(progress: ShiftProgress): string {
  const { endsAt, at } = progress;
  const left = endsAt !== null && endsAt > at ? `, ${formatRoundedDuration(endsAt - at)} to go` : '';
  return whereItIs(progress) + left;
}

function whereItIs({ step, steps, weights, activity, checks, pausedAt }: ShiftProgress): string {
  return [
    ...(steps > 0 ? [`step ${step} of ${steps}`] : []),
    ...(weights ? [formatWeights(weights)] : []),
    activityWords(activity, pausedAt),
    ...checks.map(lastFigures),
  ].join(', ');
}

function activityWords(activity: ShiftProgress['activity'], pausedAt: number | null): string {
  switch (activity) {
    case 'starting':
      return 'reading the live weights';
    case 'preparing':
      return 'asking the checks before the next step';
    case 'writing':
      return 'writing';
    case 'standing':
      return 'watching';
    case 'baking':
      return 'baking';
    case 'paused':
      return `waiting for a person at ${pausedAt ?? 0} %`;
    case 'rollingBack':
      return 'rolling back';
    case 'ending':
      return 'ending';
  }
}

function lastFigures({ name, status, figures }: CheckRecord): string {
  const known = figures.map(formatFigure).join('; ');
  return `${name} ${status}${known ? ` [${known}]` : ''}`;
}

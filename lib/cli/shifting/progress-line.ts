import { oneLine } from '../../problems';
import type { CheckRecord, Figure, ShiftProgress } from '../../shift';
import { describeDuration, describeFigure, describeWeights } from '../../shift';

/**
 * Where a shift is, in one line: `step 3/7 | blue 95, green 5 | stands, 1m20s left | errorShare 0.1 % | 18m to go`.
 *
 * @param now milliseconds since 1970
 */
export function progressLine(progress: ShiftProgress, now: number): string {
  const { step, steps, weights, checks, endsAt } = progress;
  const parts = [
    steps === 0 ? '' : `step ${step}/${steps}`,
    weights === null ? '' : describeWeights(weights),
    activity(progress, now),
    ...checks.map(checkWord),
    endsAt === null ? '' : `${describeDuration(Math.max(0, endsAt - now))} to go`,
  ];
  return oneLine(parts.filter(Boolean).join(' | '));
}

function activity({ activity: doing, standsUntil, pausedAt }: ShiftProgress, now: number): string {
  const left =
    standsUntil === null || standsUntil <= now ? '' : `, ${describeDuration(standsUntil - now)} left`;
  switch (doing) {
    case 'starting':
      return 'reads the live weights';
    case 'preparing':
      return 'asks the checks before the next step';
    case 'writing':
      return 'writes';
    case 'standing':
      return `stands${left}`;
    case 'baking':
      return `bakes${left}`;
    case 'paused':
      return `paused at ${pausedAt ?? 0} % of the way`;
    case 'rollingBack':
      return 'rolls back';
    case 'ending':
      return 'ends';
  }
}

/** `errorShare 0.12 %`, `errorShare 4 % FAIL`, `targetHealth ?` */
function checkWord({ name, status, figures }: CheckRecord): string {
  const figure = telling(figures);
  const value =
    figure === undefined ? '' : describeFigure({ name: '', value: figure.value, unit: figure.unit });
  const words = { pass: value === '' ? 'ok' : '', fail: 'FAIL', inconclusive: '?' };
  return [name, value.trim(), words[status]].filter(Boolean).join(' ');
}

/** The figure beyond its bound, else the first with a bound, else the first. */
function telling(figures: readonly Figure[]): Figure | undefined {
  const known = figures.filter(({ value }) => value !== null);
  const isBeyond = ({ value, min, max }: Figure): boolean =>
    value! < (min ?? -Infinity) || value! > (max ?? Infinity);
  const isBound = ({ min, max }: Figure): boolean => min !== undefined || max !== undefined;
  return known.find(isBeyond) ?? known.find(isBound) ?? known[0];
}

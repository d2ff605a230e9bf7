import { countingTimesOf, metricDefaults, variablesIn } from '../../checks';
import { formatDuration, parseDuration } from '../../durations';
import type { Problems } from '../../problems';
import type { ReadCheck } from './shared-check';

/** The times of a check, in milliseconds. */
export interface CheckTimes {
  /** How far back it looks. */
  readonly overMs: number;
  /** Length of a period of counts. */
  readonly periodMs: number;
  /** From the end of a period until its figures are taken. */
  readonly delayMs: number;
  /**
   * From a change of the weights until the figures that it looks at are all younger. A shift looks back as far as the
   * change and no farther; a template can't, so it waits.
   */
  readonly settledMs: number;
}

/** The times of a check, with the defaults of the shift. */
export function timesOf({ kind, args }: ReadCheck): CheckTimes {
  const overMs = milliseconds(args.over) ?? metricDefaults.overMs;
  const counting = countingTimesOf(kind);
  const times = {
    overMs,
    periodMs: ('period' in args ? milliseconds(args.period) : undefined) ?? counting.periodMs,
    delayMs: ('delay' in args ? milliseconds(args.delay) : undefined) ?? counting.delayMs,
  };
  if (kind === 'prometheus.query' || kind === 'datadog.query') {
    const settleMs = milliseconds(args.settle) ?? metricDefaults.settleMs;
    // One moment of Prometheus; what a user's own range looks back at is not known.
    const isMoment = kind === 'prometheus.query' && args.aggregate === undefined && !hasWindow(args.query);
    return { ...times, settledMs: isMoment ? settleMs : Math.max(overMs, settleMs) };
  }
  if (kind === 'cloudWatch.metric') {
    const queries = args.queries ?? [];
    const periods = queries.map(({ MetricStat, Period }) => MetricStat?.Period ?? Period ?? 60);
    const periodMs = 1000 * Math.max(60, ...periods);
    return { ...times, periodMs, settledMs: Math.max(overMs, times.delayMs + 2 * periodMs) };
  }
  const isUpToNow = kind === 'datadog.errorShare' || kind === 'datadog.slowShare';
  return { ...times, settledMs: isUpToNow ? overMs : overMs + times.delayMs + times.periodMs };
}

function hasWindow(query: string): boolean {
  return variablesIn(query).includes('window');
}

/** Adds a problem where a check looks back less than one period: it would never find figures. */
export function checkTimes(problems: Problems, path: string, { kind, args }: ReadCheck): void {
  const { overMs, periodMs } = timesOf({ kind, args } as ReadCheck);
  if (kind.endsWith('Share') && overMs < periodMs) {
    problems.add(`${path}.${kind}.over`, args.over, `at least one period, which is ${text(periodMs)}`);
  }
}

/** A time as the service's own words have it: whole seconds. */
export function secondsText(milliseconds: number): string {
  return `${Math.max(1, Math.round(milliseconds / 1000))}s`;
}

/** A time as Flagger's definition takes it, which refuses hours. */
export function minutesAndSecondsText(milliseconds: number): string {
  const all = Math.max(1, Math.round(milliseconds / 1000));
  const [minutes, seconds] = [Math.floor(all / 60), all % 60];
  return `${minutes > 0 ? `${minutes}m` : ''}${seconds > 0 ? `${seconds}s` : ''}`;
}

/** A time as Go reads it. */
export function text(milliseconds: number): string {
  return formatDuration(milliseconds);
}

function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

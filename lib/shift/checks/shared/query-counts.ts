import type { ShiftSubject } from '../../engine';
import { isCount } from '../../evaluation';
import type { CountSource, SlotCount } from '../../evaluation';
import { settledUntil } from '../cloudwatch/counts';
import type { Missing } from './metric-settings';
import type { Point } from './query-check';
import { fillTemplate } from './query-template';

/** Queries that count requests by period, for each slot. */
export interface CountQueries {
  readonly requests: string;
  /** @default - errors are not counted */
  readonly errors?: string;
  /** @default - slow requests are not counted */
  readonly slow?: string;
}

export interface QueryCountsSettings {
  readonly queries: CountQueries;
  readonly periodMs: number;
  /** From the end of a period until its figures are taken, in milliseconds. */
  readonly delayMs: number;
  /** The period in the words of the service: `{{period}}`. */
  readonly periodText: string;
  /** What it means that there is no figure of errors or slow requests beside requests. */
  readonly missing: Missing;
}

/**
 * Counts by period and slot from queries of a user. Of several series of a query, the sum counts. A period without
 * requests has no counts. What is missing beside requests is not known, unless it means zero; what is no count never is.
 *
 * @throws InvalidInput where a query asks for a name that is not known
 */
export function queryCounts(
  subject: ShiftSubject,
  service: MetricService,
  settings: QueryCountsSettings,
): CountSource {
  const { queries, periodMs, delayMs, periodText, missing } = settings;
  const counted = (figures: ReadonlyMap<number, number>, at: number): number | null => {
    const value = figures.get(at) ?? (missing === 'zero' ? 0 : null);
    return isCount(value) ? Math.max(0, value) : null;
  };
  const filled = Object.keys(subject.slots).map((slot) => {
    const fill = (query: string): string => fillTemplate(query, subject, slot, { period: periodText });
    return {
      slot,
      requests: fill(queries.requests),
      errors: queries.errors && fill(queries.errors),
      slow: queries.slow && fill(queries.slow),
    };
  });
  return {
    counts: async (from, to, signal) => {
      const start = Math.floor(from / periodMs) * periodMs;
      const until = settledUntil(to, delayMs, periodMs);
      if (until <= start) {
        return { counts: [], until, periodMs };
      }
      const ask = async (query: string | undefined): Promise<ReadonlyMap<number, number>> =>
        query === undefined || query === ''
          ? new Map()
          : sums(
              await service.series(query, start, until, periodMs, signal),
              service,
              periodMs,
              start,
              until,
            );
      const counts = await Promise.all(
        filled.map(async (of) => {
          const [requests, errors, slow] = await Promise.all([
            ask(of.requests),
            ask(of.errors),
            ask(of.slow),
          ]);
          return [...requests].map(([at, number]): SlotCount => {
            const isSound = isCount(number);
            return {
              slot: of.slot,
              at,
              requests: isSound ? Math.max(0, number) : 0,
              errors: queries.errors === undefined ? 0 : isSound ? counted(errors, at) : null,
              ...(queries.slow !== undefined && { slow: isSound ? counted(slow, at) : null }),
            };
          });
        }),
      );
      return { counts: counts.flat(), until, periodMs };
    },
  };
}

/** How many figures a query of one slot or several gave that are counts. */
export async function countFigures(
  subject: ShiftSubject,
  service: MetricService,
  query: string,
  { periodMs, periodText }: Pick<QueryCountsSettings, 'periodMs' | 'periodText'>,
  [from, to]: readonly [from: number, to: number],
  signal?: AbortSignal,
): Promise<number> {
  const start = Math.floor(from / periodMs) * periodMs;
  const found = await Promise.all(
    Object.keys(subject.slots).map((slot) =>
      service.series(fillTemplate(query, subject, slot, { period: periodText }), start, to, periodMs, signal),
    ),
  );
  return found.flat(2).filter(([, value]) => isCount(value)).length;
}

/** Sum of the series for each whole period, by the period's start; NaN where one of them has no count. */
function sums(
  series: Awaited<ReturnType<MetricService['series']>>,
  service: MetricService,
  periodMs: number,
  start: number,
  until: number,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const [time, value] of series.flat()) {
    const at = Math.floor((time - service.pointCovers(periodMs)) / periodMs) * periodMs;
    if (value !== null && at >= start && at + periodMs <= until) {
      found.set(at, (found.get(at) ?? 0) + (isCount(value) ? value : NaN));
    }
  }
  return found;
}

/** A metric service of the kind that takes queries as text. */
export interface MetricService {
  /**
   * The series of a query between two times, each a list of points.
   *
   * @param stepMs from one point to the next, where the service lets one choose
   * @throws SourceError
   */
  series(
    query: string,
    from: number,
    to: number,
    stepMs: number,
    signal?: AbortSignal,
  ): Promise<readonly (readonly Point[])[]>;
  /** From the start of what a point of {@link series} covers to its time; 0 where its time is the start. */
  readonly pointCovers: (stepMs: number) => number;
}

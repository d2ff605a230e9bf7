import type { CountSource, ShiftSubject, SlotCount } from '../shift';
import { settledUntil } from './cloudwatch-counts';
import type { MetricService } from './metric-service';
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
}

/**
 * Counts by period and slot from queries of a user. Of several series of a query, the sum counts. A period without
 * requests has no counts, and what is missing beside requests is 0.
 *
 * @throws InvalidInput where a query asks for a name that is not known
 */
export function queryCounts(
  subject: ShiftSubject,
  service: MetricService,
  settings: QueryCountsSettings,
): CountSource {
  const { queries, periodMs, delayMs, periodText } = settings;
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
          return [...requests].map(([at, number]): SlotCount => ({
            slot: of.slot,
            at,
            requests: number,
            errors: errors.get(at) ?? 0,
            ...(queries.slow !== undefined && { slow: slow.get(at) ?? 0 }),
          }));
        }),
      );
      return { counts: counts.flat(), until, periodMs };
    },
  };
}

/** Sum of the series for each whole period, by the period's start. */
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
    if (value !== null && Number.isFinite(value) && at >= start && at + periodMs <= until) {
      found.set(at, (found.get(at) ?? 0) + value);
    }
  }
  return found;
}

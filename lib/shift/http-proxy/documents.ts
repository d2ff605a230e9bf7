import { isPlainObject } from '../../core/validation/problems';

/** What an answer has in place of what it should have, for a person. */
export class NotAnAnswer extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'NotAnAnswer';
  }
}

/** No proxy has more upstreams; an answer that does is none of this API. */
const mostUpstreams = 1_000;

/**
 * The weights of upstreams, by name, on any scale: `{ "weights": { "blue": 90, "green": 10 } }`.
 *
 * @throws NotAnAnswer
 */
export function readWeights(body: string): Readonly<Record<string, number>> {
  const { weights } = objectIn(body);
  const entries = isPlainObject(weights) ? Object.entries(weights) : [];
  const isSound = entries.every(
    ([, weight]) => typeof weight === 'number' && Number.isFinite(weight) && weight >= 0,
  );
  if (entries.length === 0 || entries.length > mostUpstreams || !isSound) {
    throw new NotAnAnswer('the answer has no weights: numbers from 0 on by upstream');
  }
  return Object.fromEntries(entries) as Readonly<Record<string, number>>;
}

/** Requests of one upstream that ended in one period. */
export interface PeriodCount {
  /** Name of the upstream. */
  readonly slot: string;
  /** Start of the period, in milliseconds since 1970. */
  readonly at: number;
  /** All requests that the weights led here; those of a preview are not counted. */
  readonly requests: number;
  /** Those that got no answer, or one with a status from 500 on. */
  readonly errors: number;
  /** Those whose answer took longer than `slowAbove`. @default - it was not asked for */
  readonly slow?: number;
}

/** What a proxy has counted. */
export interface ProxyCounts {
  /** Until when all that has ended is counted, in milliseconds since 1970. */
  readonly until: number;
  readonly counts: readonly PeriodCount[];
}

/**
 * Counts by upstream and period.
 *
 * @param countsSlow whether slow requests were asked for
 * @throws NotAnAnswer
 */
export function readCounts(body: unknown, countsSlow: boolean): ProxyCounts {
  const { until, counts } = isPlainObject(body) ? body : {};
  if (!isTime(until) || !Array.isArray(counts)) {
    throw new NotAnAnswer('the answer has no "until" or no list "counts"');
  }
  return { until, counts: counts.map((each: unknown) => readCount(each, countsSlow)) };
}

function readCount(each: unknown, countsSlow: boolean): PeriodCount {
  const { slot, at, requests, errors, slow } = isPlainObject(each) ? each : {};
  const isSound =
    typeof slot === 'string' &&
    isTime(at) &&
    isAmount(requests) &&
    isAmount(errors) &&
    (isAmount(slow) || !countsSlow);
  if (!isSound) {
    const keys = `slot, at, requests, errors${countsSlow ? ', slow' : ''}`;
    throw new NotAnAnswer(`an entry of "counts" lacks one of ${keys}, or it is no count`);
  }
  return { slot, at, requests, errors, ...(countsSlow && { slow: slow as number }) };
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(body);
    return isPlainObject(content) ? content : {};
  } catch {
    return {};
  }
}

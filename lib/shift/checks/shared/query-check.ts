import { oneOf } from '../../../core/validation/values';
import { worstStatus } from '../../engine';
import type { Check, CheckResult, CheckStatus, CheckWindow, Figure, ShiftSubject } from '../../engine';
import { isCount, slotsWithBounds } from '../../evaluation';
import type { OnNoData } from '../../evaluation';
import { metricDefaults } from './metric-settings';
import type { Missing } from './metric-settings';
import type { SeenQuery } from './seen-before';

/** How the points of a series become one value. */
export type Aggregate = 'last' | 'avg' | 'sum' | 'max' | 'min';

export const aggregateSchema = oneOf('last', 'avg', 'sum', 'max', 'min');

/** A point of a series: when, in milliseconds since 1970, and a value, or none. */
export type Point = readonly [at: number, value: number | null];

/** The value of a series; points without a value don't count. NaN, which is no figure, where none has one. */
export function aggregate(points: readonly Point[], how: Aggregate): number {
  const known = points.flatMap(([at, value]) =>
    value === null || Number.isNaN(value) ? [] : [{ at, value }],
  );
  if (known.length === 0) {
    return NaN;
  }
  const values = known.map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  switch (how) {
    case 'last':
      return known.reduce((newest, point) => (point.at >= newest.at ? point : newest)).value;
    case 'avg':
      return sum / values.length;
    case 'sum':
      return sum;
    case 'max':
      return Math.max(...values);
    case 'min':
      return Math.min(...values);
  }
}

/**
 * A value for each series, NaN for one of several that has no figure; none at all where no series has a point with a
 * value, which is silence.
 */
export function aggregateAll(series: readonly (readonly Point[])[], how: Aggregate): readonly number[] {
  const isSilent = series.every((points) => points.every(([, value]) => value === null));
  return isSilent ? [] : series.map((points) => aggregate(points, how));
}

/** Values that a query of a user gives. */
export interface ValueSource {
  /**
   * One value for each series that the query gives between two times, NaN for a series without a figure; none where it
   * gives none.
   *
   * @throws SourceError
   */
  values(
    slot: string | undefined,
    from: number,
    to: number,
    signal?: AbortSignal,
  ): Promise<readonly number[]>;
  /**
   * The same without what late figures may still change. @default - late figures change nothing
   */
  settledValues?(
    slot: string | undefined,
    from: number,
    to: number,
    signal?: AbortSignal,
  ): Promise<readonly number[]>;
  /** Requests in that time; `null` where the source knows of none. @default - nobody asks */
  requests?(slot: string | undefined, from: number, to: number, signal?: AbortSignal): Promise<number | null>;
}

export interface QuerySettings {
  readonly min?: number;
  readonly max?: number;
  readonly minRequests?: number;
  readonly onNoData?: OnNoData;
  /** What it means that the query gives no figure. @default 'inconclusive' */
  readonly missing?: Missing;
  /** How far back, in milliseconds; never beyond the last change of the weights. @default 300000 */
  readonly overMs?: number;
  /** Whether the weights have stood long enough for a first question. */
  readonly isReady: (from: number, to: number) => boolean;
  readonly slots?: readonly string[];
  /** Whether the query is asked for each evaluated slot. */
  readonly ofSlots: boolean;
}

type Bounds = Pick<QuerySettings, 'min' | 'max'>;

/** The sum of what several series count; `null` where there is none, NaN where one of them gives no count. */
export function sumOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + (isCount(value) ? value : NaN), 0);
}

/**
 * A query to look for before the first step: one that is asked of each slot, unless silence says something. A query of no
 * slot may be one of the new slot, which has no traffic yet.
 */
export function seenQueries(
  { missing, onNoData }: Pick<QuerySettings, 'missing' | 'onNoData'>,
  source: string,
  query: string,
  ofSlots: boolean,
  subject: ShiftSubject,
  values: ValueSource['values'],
): readonly SeenQuery[] {
  if (!ofSlots || missing === 'zero' || onNoData === 'pass') {
    return [];
  }
  const figures: SeenQuery['figures'] = async (from, to, signal) => {
    const slots = Object.keys(subject.slots);
    const found = await Promise.all(slots.map((slot) => values(slot, from, to, signal)));
    return found.flat().filter((value) => Number.isFinite(value)).length;
  };
  return [{ source, what: 'the query', query, figures }];
}

/** Ready when the weights have stood for some time. */
export function settled(settleMs: number = metricDefaults.settleMs): QuerySettings['isReady'] {
  return (from, to) => to - from >= settleMs;
}

/** A query of a user, held against bounds, as a check. */
export function queryCheck(name: string, source: ValueSource, settings: QuerySettings): Check {
  return {
    name,
    stages: ['after'],
    evaluate: async (window, signal) => {
      const slots = settings.ofSlots ? slotsWithBounds(window, settings.slots) : [undefined];
      if (!settings.isReady(window.from, window.to)) {
        return notYet(slots, settings);
      }
      const found = await Promise.all(
        slots.map((slot) => evaluateSlot(slot, source, settings, window, signal)),
      );
      return {
        status: worstStatus(
          found.map(({ status }) => status),
          'pass',
        ),
        reason: found.map(({ reason }) => reason).join('; ') || 'no slot that it evaluates has weight',
        figures: found.flatMap(({ figures }) => figures),
      };
    },
  };
}

function notYet(slots: readonly (string | undefined)[], settings: QuerySettings): CheckResult {
  const figures = slots.map((slot) => figureOf(slot, null, settings));
  return { status: 'inconclusive', reason: 'the weights have not stood long enough yet', figures };
}

async function evaluateSlot(
  slot: string | undefined,
  source: ValueSource,
  settings: QuerySettings,
  window: CheckWindow,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const from = Math.max(window.from, window.to - (settings.overMs ?? metricDefaults.overMs));
  const [values, requests] = await Promise.all([
    source.values(slot, from, window.to, signal),
    source.requests?.(slot, from, window.to, signal),
  ]);
  const result = evaluateValues(slot, values, requests, settings);
  const isBeyond = result.status === 'fail' && values.some((value) => excess(value, settings) > 0);
  const settled = isBeyond ? await source.settledValues?.(slot, from, window.to, signal) : undefined;
  return settled === undefined || settled.some((value) => excess(value, settings) > 0)
    ? result
    : {
        ...result,
        status: 'inconclusive',
        reason: `${ofSlot(slot)}beyond the bounds by the newest period alone, whose figures may not all be there yet`,
      };
}

/** Evaluates what a query gave: of several series, the worst one counts; what is no figure is neither good nor bad. */
export function evaluateValues(
  slot: string | undefined,
  values: readonly number[],
  requests: number | null | undefined,
  settings: Omit<QuerySettings, 'ofSlots' | 'isReady'>,
): CheckResult {
  const { minRequests, onNoData = 'inconclusive', missing } = settings;
  const finite = values.filter((value) => Number.isFinite(value));
  const isSilent = values.every((value) => Number.isNaN(value));
  const value = worstValue(values.length === 0 && missing === 'zero' ? [0] : finite, settings);
  const figures = [figureOf(slot, value, settings)];
  if (minRequests !== undefined) {
    const name = 'requests';
    figures.push({
      name,
      ...(slot !== undefined && { slot }),
      value: isCount(requests) ? requests : null,
      unit: 'count',
      min: minRequests,
    });
  }
  const of = ofSlot(slot);
  if (value === null) {
    return isSilent
      ? { status: onNoData, reason: `${of}the query gives no figure`, figures }
      : { status: 'inconclusive', reason: `${of}the query gives a value that is not finite`, figures };
  }
  if (minRequests !== undefined && typeof requests === 'number' && !isCount(requests)) {
    return { status: 'inconclusive', reason: `${of}the number of requests is no count`, figures };
  }
  if (minRequests !== undefined && (requests ?? 0) < minRequests) {
    return { status: onNoData, reason: `${of}${requests ?? 0} of at least ${minRequests} requests`, figures };
  }
  const status: CheckStatus = excess(value, settings) <= 0 ? 'pass' : 'fail';
  if (status === 'pass' && finite.length < values.length) {
    const without = values.length - finite.length;
    return {
      status: 'inconclusive',
      reason: `${of}${without} of ${values.length} series without a figure`,
      figures,
    };
  }
  const among = values.length > 1 ? `, the worst of ${values.length} series` : '';
  const where = status === 'pass' ? 'within the bounds' : excessText(value, settings);
  return { status, reason: `${of}${where}${among}`, figures };
}

/** `0.81 is above 0.5`, with as many digits as it takes to see it. */
function excessText(value: number, { min, max }: Bounds): string {
  const isAbove = max !== undefined && value > max;
  const bound = (isAbove ? max : min) ?? value;
  const texts = [3, 6, 17].map((digits) => [value, bound].map((number) => withDigits(number, digits)));
  const [is, limit] = texts.find(([one, other]) => one !== other) ?? [value, bound];
  return `${is} is ${isAbove ? 'above' : 'below'} ${limit}`;
}

function withDigits(value: number, digits: number): string {
  const isWhole = Number.isInteger(value);
  return value.toLocaleString('en-US', isWhole ? {} : { maximumSignificantDigits: digits });
}

function ofSlot(slot: string | undefined): string {
  return slot === undefined ? '' : `${slot}: `;
}

/** How far a value is beyond its bounds, of which there is one at least; within them it is 0 or less. */
function excess(value: number, { min, max }: Bounds): number {
  return Math.max(...(min === undefined ? [] : [min - value]), ...(max === undefined ? [] : [value - max]));
}

function worstValue([first, ...others]: readonly number[], bounds: Bounds): number | null {
  return first === undefined
    ? null
    : others.reduce((worst, value) => (excess(value, bounds) > excess(worst, bounds) ? value : worst), first);
}

function figureOf(slot: string | undefined, value: number | null, { min, max }: Bounds): Figure {
  return {
    name: 'value',
    ...(slot !== undefined && { slot }),
    value,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
}

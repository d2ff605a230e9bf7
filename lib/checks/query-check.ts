import type { Check, CheckResult, CheckStatus, CheckWindow, Figure, OnNoData } from '../shift';
import { judgedSlots, worstStatus } from '../shift';
import { metricDefaults } from './metric-defaults';

/** Values that a query of a user gives. */
export interface ValueSource {
  /**
   * One value for each series that the query gives between two times; none where it gives none.
   *
   * @throws SourceError
   */
  values(
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
  /** How far back, in milliseconds; never beyond the last change of the weights. @default 300000 */
  readonly overMs?: number;
  /** Whether the weights have stood long enough for a first question. */
  readonly isReady: (from: number, to: number) => boolean;
  readonly slots?: readonly string[];
  /** Whether the query is asked for each judged slot. */
  readonly ofSlots: boolean;
}

type Bounds = Pick<QuerySettings, 'min' | 'max'>;

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
      const slots = settings.ofSlots ? judgedSlots(window, settings.slots) : [undefined];
      if (!settings.isReady(window.from, window.to)) {
        return notYet(slots, settings);
      }
      const found = await Promise.all(slots.map((slot) => judgeSlot(slot, source, settings, window, signal)));
      return {
        status: worstStatus(
          found.map(({ status }) => status),
          'pass',
        ),
        reason: found.map(({ reason }) => reason).join('; ') || 'no slot that it judges has weight',
        figures: found.flatMap(({ figures }) => figures),
      };
    },
  };
}

function notYet(slots: readonly (string | undefined)[], settings: QuerySettings): CheckResult {
  const figures = slots.map((slot) => figureOf(slot, null, settings));
  return { status: 'inconclusive', reason: 'the weights have not stood long enough yet', figures };
}

async function judgeSlot(
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
  return judgeValues(slot, values, requests, settings);
}

/** Judges what a query gave: of several series, the worst one counts. */
export function judgeValues(
  slot: string | undefined,
  values: readonly number[],
  requests: number | null | undefined,
  settings: Omit<QuerySettings, 'ofSlots' | 'isReady'>,
): CheckResult {
  const { minRequests, onNoData = 'inconclusive' } = settings;
  const value = worstValue(values, settings);
  const figures = [figureOf(slot, value, settings)];
  if (minRequests !== undefined) {
    const name = 'requests';
    figures.push({
      name,
      ...(slot !== undefined && { slot }),
      value: requests ?? null,
      unit: 'count',
      min: minRequests,
    });
  }
  const of = slot === undefined ? '' : `${slot}: `;
  if (value === null) {
    return { status: onNoData, reason: `${of}the query gives no figure`, figures };
  }
  if (minRequests !== undefined && (requests ?? 0) < minRequests) {
    return { status: onNoData, reason: `${of}${requests ?? 0} of at least ${minRequests} requests`, figures };
  }
  const status: CheckStatus = excess(value, settings) <= 0 ? 'pass' : 'fail';
  const among = values.length > 1 ? `, the worst of ${values.length} series` : '';
  return { status, reason: `${of}${status === 'pass' ? 'within' : 'beyond'} the bounds${among}`, figures };
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

import { AwsError } from '../../core/aws/errors';
import { RouterError, formatWeights } from '../engine';
import type { RouterFailure, Weights } from '../engine';
import type { RawWeights, RouterDescription } from './router-kind';

/** What was read of what stands there: weights that a shift can work on, or why it can't. */
export type LiveReading = FitReading | UnfitReading;

export interface FitReading {
  /** Whole percents of every slot. */
  readonly weights: Weights;
  /** Slots that are not there yet. */
  readonly missing: readonly string[];
  /** A line each for what every write keeps. */
  readonly notes: readonly string[];
}

/** Why a shift can't work on what stands there. */
export interface UnfitReading {
  readonly failure: Extract<RouterFailure, 'unfit' | 'notFound'>;
  /** What is there, and what to do. */
  readonly why: string;
  /** Weights of every slot on another scale than percents. @default - what is there has none */
  readonly raw?: RawWeights;
}

/** A refusal for what is there but does not fit. */
export function unfit(why: string, raw?: RawWeights): UnfitReading {
  return { failure: 'unfit', why, ...(raw && { raw }) };
}

/** Whether it is a refusal. */
export function isRefusal(value: object): value is UnfitReading {
  return 'failure' in value;
}

const failureOf: Readonly<Record<AwsError['failure']['kind'], RouterFailure>> = {
  throttled: 'throttled',
  denied: 'denied',
  credentials: 'denied',
  notFound: 'notFound',
  region: 'unreachable',
  unreachable: 'unreachable',
  cancelled: 'unreachable',
  other: 'unfit',
};

/** What a router throws for an error; the live weights are added where they are known. */
export function routerError(error: unknown, live?: Weights): unknown {
  if (error instanceof RouterError && !error.live && live) {
    return new RouterError(error.failure, error.message + liveWords(live), live, { cause: error });
  }
  if (!(error instanceof AwsError)) {
    return error;
  }
  const failure = failureOf[error.failure.kind];
  return new RouterError(failure, error.message + liveWords(live), live, { cause: error });
}

/** What a router throws where what stands there is nothing to work on. */
export function refused(name: string, { failure, why }: UnfitReading, live?: Weights): RouterError {
  return new RouterError(failure, `${name}: ${why}${liveWords(live)}`, live);
}

function liveWords(live: Weights | undefined): string {
  return live ? `; the live weights are ${formatWeights(live)}` : '';
}

/**
 * The weights of a reading.
 *
 * @throws RouterError where a shift can't work on what was read
 */
export function weightsOf(name: string, reading: LiveReading): Weights {
  if (isRefusal(reading)) {
    throw refused(name, reading);
  }
  return reading.weights;
}

/** A reading in plain data, also where a shift can't work on it. */
export function descriptionOf(name: string, reading: LiveReading): RouterDescription {
  return isRefusal(reading)
    ? { name, weights: null, missing: [], notes: [reading.why], ...(reading.raw && { raw: reading.raw }) }
    : { name, ...reading, raw: reading.weights };
}

/**
 * Weights of any scale as whole percents: `{ blue: 500, green: 500 }` is 50 and 50.
 *
 * @returns undefined where they are no whole percents, as `{ blue: 1, green: 2 }`, or all are 0
 */
export function wholePercents(raw: RawWeights): Weights | undefined {
  const sum = total(raw);
  const percents = Object.entries(raw).map(([slot, weight]) => [slot, (weight * 100) / sum] as const);
  return sum > 0 && percents.every(([, percent]) => Number.isInteger(percent))
    ? Object.fromEntries(percents)
    : undefined;
}

/**
 * The whole percents that are closest to weights of any scale: what is over goes to the largest remainders, the first
 * slot first among equals.
 *
 * @param raw not all 0
 */
export function nearestPercents(raw: RawWeights): Weights {
  const sum = total(raw);
  const shares = Object.entries(raw).map(([slot, weight]) => ({
    slot,
    whole: Math.floor((weight * 100) / sum),
    remainder: (weight * 100) % sum,
  }));
  const over = 100 - shares.reduce((all, { whole }) => all + whole, 0);
  const up = new Set(
    [...shares]
      .sort((one, other) => other.remainder - one.remainder)
      .slice(0, over)
      .map(({ slot }) => slot),
  );
  return Object.fromEntries(shares.map(({ slot, whole }) => [slot, whole + (up.has(slot) ? 1 : 0)]));
}

/** Why a shift can't begin from weights that are no whole percents, and how to patch them. */
export function noWholePercents(raw: RawWeights, allZero: string): string {
  const sum = total(raw);
  if (sum === 0) {
    return `${allZero}; set the weights to where the traffic is meant to be first, such as 100 for one slot`;
  }
  const exact = Object.entries(raw).map(([slot, weight]) => [slot, (weight * 100) / sum] as const);
  const nearest = nearestPercents(raw);
  const moved = exact.reduce((all, [slot, percent]) => all + Math.max(0, nearest[slot]! - percent), 0);
  const percents = exact.map(([slot, percent]) => `${slot} ${Number(percent.toFixed(2))} %`).join(', ');
  return (
    `the live weights ${formatWeights(raw)} are no whole percents (${percents}), and a shift moves in whole percents; ` +
    `set them once to ${formatWeights(nearest)}, which moves ${Number(moved.toFixed(2))} % of the traffic, and begin again`
  );
}

function total(raw: RawWeights): number {
  return Object.values(raw).reduce((sum, weight) => sum + weight, 0);
}

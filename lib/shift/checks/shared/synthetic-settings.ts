import { parseDuration } from '../../../core/durations';
import { list, object, optional } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { duration, flag, number, text, that, whole } from '../../../core/validation/values';
import type { ProberSettings } from '../../probes';
import { milliseconds } from './metric-settings';
import { timeSpan } from './schemas';

/**
 * Requests that the shift itself sends to every slot by the slot's preview, the same to each at the same moment, so that it can
 * be evaluated where hardly a visitor comes. They are load, and count in the figures of the load balancer.
 */
export interface SyntheticArgs {
  /**
   * Requests a second to each slot, from 0.5 to 50.
   *
   * @default 5 - finds an outage in half a minute and one percent of errors in ten; any pod serves as many
   */
  readonly rate?: number;
  /** Paths behind the preview's URL, asked in turn by GET. @default ['/'] */
  readonly paths?: readonly string[];
  /** For one request. @default '5s' */
  readonly timeout?: string;
  /** Statuses that are well. @default - those below 400: a redirect is not followed */
  readonly expectedStatus?: readonly number[];
  /** How long requests are sent before the first percent. @default '30s' */
  readonly before?: string;
  /**
   * How long each look sends requests, from 1s to 10s; at least ten are sent.
   *
   * @default '10s' - fits between two looks with the default of `checkEvery`; take less with a shorter one
   */
  readonly round?: string;
}

/** The same for figures by queries of a user, which may leave such requests out. */
export interface QuerySyntheticArgs extends SyntheticArgs {
  /** Whether the queries count these requests, which are taken out of the figures then. */
  readonly inQueries: boolean;
}

const shortTime = (most: number, allowed: string): Schema<string> =>
  that(timeSpan, allowed, (value) => !((parseDuration(value) ?? 0) > most));

const entries = {
  rate: optional(number('a number of requests a second, from 0.5 to 50', { min: 0.5, max: 50 })),
  paths: optional(
    list(
      text('a path that starts with one /, without spaces and a fragment', /^\/(?!\/)[!"$-~]*$/, 2_048),
      1,
      'a list of at least one path: /healthz',
    ),
  ),
  timeout: optional(shortTime(20_000, 'a duration above zero, at most 20s: "5s"')),
  expectedStatus: optional(list(whole(100, 599), 1, 'a list of at least one status: 200')),
  before: optional(
    that(duration, 'a duration, at most 10m: "30s"', (value) => !((parseDuration(value) ?? 0) > 600_000)),
  ),
  round: optional(
    that(timeSpan, 'a duration from 1s to 10s: "5s"', (value) => {
      const ms = parseDuration(value) ?? 0;
      return ms >= 1_000 && ms <= 10_000;
    }),
  ),
};

/** Schema of {@link SyntheticArgs}. */
export const syntheticSchema: Schema<SyntheticArgs> = object<SyntheticArgs>(entries);

/** Schema of {@link QuerySyntheticArgs}. */
export const querySyntheticSchema: Schema<QuerySyntheticArgs> = object<QuerySyntheticArgs>({
  ...entries,
  inQueries: flag,
});

const defaultRate = 5;

const defaultTimeoutMs = 5_000;

const defaultBeforeMs = 30_000;

/** Own requests, in the words of the prober. */
export interface SyntheticSettings extends ProberSettings {
  /** Pairs before the first write. */
  readonly pairsBefore: number;
}

/** The settings in the words of the prober. */
export function syntheticSettings(args: SyntheticArgs, slowAboveMs: number | undefined): SyntheticSettings {
  const { rate = defaultRate, paths = ['/'], expectedStatus } = args;
  return {
    rate,
    paths,
    timeoutMs: milliseconds(args.timeout) ?? defaultTimeoutMs,
    ...(expectedStatus && { expectedStatus }),
    ...(args.round !== undefined && { roundMs: milliseconds(args.round)! }),
    ...(slowAboveMs !== undefined && { slowAboveMs }),
    pairsBefore: Math.ceil((rate * (milliseconds(args.before) ?? defaultBeforeMs)) / 1_000),
  };
}

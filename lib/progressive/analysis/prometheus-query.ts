import { metricDefaults } from '../../checks';
import { parseDuration } from '../../durations';
import type { ReadCheck } from './shared-check';
import { secondsText, timesOf } from './times';

/** A check that asks Prometheus. */
export type PrometheusCheck = Extract<ReadCheck, { readonly kind: `prometheus.${string}` }>;

/** Whether a check asks Prometheus. */
export function asksPrometheus(check: ReadCheck): check is PrometheusCheck {
  return check.kind.startsWith('prometheus.');
}

/** Puts texts in place of a query's variables; `own` are those that the check itself has. */
export type Spell = (query: string, own: Readonly<Record<string, string>>) => string;

/** Requests that a share is judged with, where its settings don't say. */
export const defaultMinRequests = 100;

/**
 * One query of Prometheus for the figure that a check is judged by: one series with the worst value, or none where there
 * are no figures or too few requests. So no system that asks it has to count requests or choose between series.
 *
 * `-Inf` and `+Inf` as bounds leave out what is no number, since a comparison with NaN holds for nothing.
 */
export function prometheusQuery(check: PrometheusCheck, spell: Spell): string {
  return check.kind === 'prometheus.query' ? valueQuery(check, spell) : shareQuery(check, spell);
}

/** The bounds that the figure of {@link prometheusQuery} is held against. */
export function boundsOf({ kind, args }: PrometheusCheck): { readonly min?: number; readonly max?: number } {
  const { min, max } = kind === 'prometheus.query' ? args : { min: undefined, max: args.max };
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

/** Counts of whole periods, those that the shift's check adds up: a subquery has its points where periods end. */
function shareQuery(check: Exclude<PrometheusCheck, { kind: 'prometheus.query' }>, spell: Spell): string {
  const { overMs, periodMs, delayMs } = timesOf(check);
  const period = secondsText(periodMs);
  const range = secondsText(Math.floor(overMs / periodMs) * periodMs);
  const offset = delayMs > 0 ? ` offset ${secondsText(delayMs)}` : '';
  const sum = (query: string): string =>
    `sum(sum_over_time(((${inBrackets(spell(query, { period }))} > -Inf) < +Inf)[${range}:${period}]${offset}))`;
  const counted = check.kind === 'prometheus.errorShare' ? check.args.errors : check.args.slow;
  const { requests, minRequests = defaultMinRequests } = check.args;
  return `(${sum(counted)} or vector(0)) / (${sum(requests)} >= ${minRequests})`;
}

function valueQuery({ args }: Extract<PrometheusCheck, { kind: 'prometheus.query' }>, spell: Spell): string {
  const { overMs } = timesOf({ kind: 'prometheus.query', args });
  const window = secondsText(overMs);
  const figures = (query: string): string => `${inBrackets(spell(query, { window }))} >= -Inf`;
  const { aggregate, min, max, requests, minRequests } = args;
  const step = secondsText(args.step === undefined ? metricDefaults.stepMs : parseDuration(args.step)!);
  const values =
    aggregate === undefined
      ? figures(args.query)
      : `${aggregate}_over_time((${figures(args.query)})[${window}:${step}])`;
  const worst = worstOf(values, min, max);
  return minRequests === undefined
    ? worst
    : `(${worst}) and on() (sum(${figures(requests!)}) >= ${minRequests})`;
}

/** Of several series the one that is out of the bounds. */
function worstOf(values: string, min: number | undefined, max: number | undefined): string {
  if (min === undefined) {
    return `max(${values})`;
  }
  return max === undefined
    ? `min(${values})`
    : `(max(${values}) > ${max}) or (min(${values}) < ${min}) or max(${values})`;
}

/** A comment ends where its line does. */
function inBrackets(query: string): string {
  return query.includes('#') ? `(${query}\n)` : `(${query})`;
}

import { formatDuration, parseDuration } from '../core/durations';
import { isPlainObject } from '../core/validation/problems';
import type { Problem, PlainObject } from '../core/validation/problems';
import type { Schema } from '../core/validation/schema';
import { following, text, that } from '../core/validation/values';
import {
  checkKinds,
  fillTexts,
  kindOf,
  metricDefaults,
  settingsProblems,
  subjectVariables,
} from '../shift/checks';
import type { AnyCheckKind, CanaryTimes, CheckArguments, MetricWord, CheckSettingsOf } from '../shift/checks';
import type { ShiftSubject } from '../shift/engine';
import type { OnNoData } from '../shift/evaluation';

/**
 * A check on a metric, as a shift has it: `checks.prometheus.errorShare({ … })`. In its texts, `{{slot}}` means what
 * tells the new version from the old one, such as the hash of the new pods.
 */
export type SharedCheck = { [Kind in MetricWord]: CheckSettingsOf<Kind> }[MetricWord];

/** A check that was read, with its kind. */
export type ReadCheck = {
  [Kind in MetricWord]: { readonly kind: Kind; readonly args: CheckArguments[Kind] };
}[MetricWord];

/** A check in props; {@link shiftCheckProblems} says what is wrong with it. */
export const sharedCheck: Schema<SharedCheck> = following({ allowed: oneCheck(), accepts: () => true });

/** Variables of the checks themselves. */
const ownNames = ['window', 'period'];

/**
 * Reads a check; undefined for what is not one check on a metric.
 *
 * @param instead settings that are in place of the check's own, such as an address
 */
export function readCheck(
  check: unknown,
  instead: Readonly<Record<string, unknown>> = {},
): ReadCheck | undefined {
  const entries = isPlainObject(check) ? Object.entries(check) : [];
  const [word = '', given] = entries[0] ?? [];
  return entries.length === 1 && kindOf(word)?.canaryTimes
    ? ({ kind: word, args: { ...(given as PlainObject | undefined), ...instead } } as unknown as ReadCheck)
    : undefined;
}

/**
 * What is wrong with a check that is given, by the rules that a shift holds it against.
 *
 * @param path of the check
 * @param variables names of further variables
 * @param instead settings that are in place of the check's own
 */
export function shiftCheckProblems(
  path: string,
  check: unknown,
  variables: readonly string[],
  instead?: Readonly<Record<string, unknown>>,
): readonly Problem[] {
  const read = readCheck(check, instead);
  if (check === undefined) {
    return [];
  }
  if (read === undefined) {
    const words = isPlainObject(check) ? Object.keys(check) : [];
    const [word] = words.length === 1 ? words : [];
    const value = word ?? check;
    return [{ path, value, allowed: refusal(word === undefined ? undefined : kindOf(word)) }];
  }
  const { kind, args } = read;
  const slots = Array.isArray(args.slots) ? (args.slots as unknown[]).map(String) : [];
  const subject: ShiftSubject = {
    layer: 'http',
    slots: Object.fromEntries([...slots, 'canary'].map((slot) => [slot, {}])),
  };
  const further = variables.filter((name) => !isTaken(name));
  const plain = fillTexts(args, (name) => (further.includes(name) ? name : `{{${name}}}`));
  const found = settingsProblems(kindOf(kind)!, plain as PlainObject, subject);
  return found.length > 0
    ? found.map((problem) => ({ ...problem, path: `${path}.${kind}.${problem.path}` }))
    : timesProblems(path, read);
}

function refusal(kind: AnyCheckKind | undefined): string {
  return kind?.withoutMemory === undefined
    ? oneCheck()
    : `a check without a memory, such as ${kind.withoutMemory}: a comparison bets on all of a shift, and an analysis keeps nothing between two measurements`;
}

function oneCheck(): string {
  const words = Object.keys(checkKinds).filter((word) => kindOf(word)?.canaryTimes !== undefined);
  return `one check on a metric: { KIND: SETTINGS } with one of ${words.join(', ')}`;
}

/** Name of a further variable. */
export const furtherVariable: Schema<string> = that(
  text('a name such as "service": a small letter, then letters and digits', /^[a-z][A-Za-z0-9]{0,62}$/),
  'left out: there is a variable of that name',
  (name) => !isTaken(name),
);

function isTaken(name: string): boolean {
  return [...subjectVariables, ...ownNames].includes(name);
}

/** The times of a check, with the defaults of the shift. */
export function timesOf({ kind, args }: ReadCheck): CanaryTimes {
  return kindOf(kind)!.canaryTimes!(args);
}

/** A check that looks back less than one period would never find figures. */
function timesProblems(path: string, check: ReadCheck): readonly Problem[] {
  const { overMs, periodMs, countsPeriods } = timesOf(check);
  return countsPeriods && overMs < periodMs
    ? [
        {
          path: `${path}.${check.kind}.over`,
          value: check.args.over,
          allowed: `at least one period, which is ${goTime(periodMs)}`,
        },
      ]
    : [];
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
export function goTime(milliseconds: number): string {
  return formatDuration(milliseconds);
}

/**
 * What Argo Rollouts makes of a measurement. Neither of them is inconclusive.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/analysis/#inconclusive-runs
 */
export interface AnalysisConditions {
  readonly successCondition: string;
  readonly failureCondition: string;
}

/**
 * The conditions of a measurement, in the words of expr.
 *
 * @param known holds where there are figures enough; nothing else is asked where it does not
 * @param within holds where the figures are within the bounds
 * @param onNoData what it means that `known` does not hold
 * @see https://expr-lang.org/docs/language-definition
 */
export function conditions(
  known: string,
  within: string,
  onNoData: OnNoData = 'inconclusive',
): AnalysisConditions {
  const outside = `!(${within})`;
  return {
    successCondition: onNoData === 'pass' ? `!(${known}) || ${within}` : `${known} && ${within}`,
    failureCondition: onNoData === 'fail' ? `!(${known}) || ${outside}` : `${known} && ${outside}`,
  };
}

/** A value within its bounds, which are allowed themselves. */
export function isWithin(
  value: string,
  { min, max }: { readonly min?: number; readonly max?: number },
): string {
  const bounds = [
    ...(min === undefined ? [] : [`${value} >= ${min}`]),
    ...(max === undefined ? [] : [`${value} <= ${max}`]),
  ];
  return bounds.length === 1 ? bounds[0]! : `(${bounds.join(' && ')})`;
}

/** A check that queries Prometheus. */
export type PrometheusCheck = Extract<ReadCheck, { readonly kind: `prometheus.${string}` }>;

/** Whether a check queries Prometheus. */
export function asksPrometheus(check: ReadCheck): check is PrometheusCheck {
  return check.kind.startsWith('prometheus.');
}

/** Puts texts in place of a query's variables; `own` are those that the check itself has. */
export type Spell = (query: string, own: Readonly<Record<string, string>>) => string;

/** Requests that a share is evaluated with, where its settings don't say. */
export const defaultMinRequests = 100;

/**
 * One query of Prometheus for the figure that a check is evaluated by: one series with the worst value, or none where there
 * are no figures or too few requests. So no system that queries it has to count requests or choose between series.
 *
 * `-Inf` and `+Inf` as bounds leave out what is no number, since a comparison with NaN holds for nothing.
 */
export function prometheusCheckQuery(check: PrometheusCheck, spell: Spell): string {
  return check.kind === 'prometheus.query' ? valueQuery(check, spell) : shareQuery(check, spell);
}

/** The bounds that the figure of {@link prometheusCheckQuery} is held against. */
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

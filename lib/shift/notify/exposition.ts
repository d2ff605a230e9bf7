import { optional } from '../../core/validation/collections';
import { text } from '../../core/validation/values';
import { isBeyond } from '../engine';
import type { CheckRecord, CheckStatus, Figure, Verdict, Weights } from '../engine';
import type { FleetEvent } from './event';
import { sinkEntries } from './sink';
import type { CommonSinkSettings } from './sink';

/** What sinks of metrics take. */
export interface MetricsSettings extends CommonSinkSettings {
  /**
   * Label `fleet` of all series.
   *
   * @default - the name of the fleet or, where that is not known, the plan file or Pulumi stack
   */
  readonly fleet?: string;
}

/** Schemas of {@link MetricsSettings}. */
export const metricsEntries = {
  fleet: optional(text('a name of at most 100 characters', /\S/, 100)),
  ...sinkEntries,
};

/** What a shift is doing, as far as events say. */
const phases = ['shifting', 'waiting', 'paused', 'rollingBack', 'ended'] as const;

type Phase = (typeof phases)[number];

const verdicts = ['completed', 'rolledBack', 'held', 'aborted'] as const satisfies readonly Verdict[];

const statuses = ['pass', 'inconclusive', 'fail'] as const satisfies readonly CheckStatus[];

/** What is known of a check. */
interface CheckSeries {
  readonly last: CheckRecord;
  readonly answers: Readonly<Record<CheckStatus, number>>;
}

/** What is known of the shifts of one route. */
export interface RouteSeries {
  readonly fleet: string;
  readonly route: string;
  readonly weights: Weights | null;
  readonly wanted: Weights;
  readonly phase: Phase;
  readonly step: number;
  /** @default - it has not started */
  readonly steps?: number;
  /** @default - it has not started */
  readonly startedAt?: string;
  /** @default - it has not ended */
  readonly ended?: { readonly at: string; readonly verdict: Verdict };
  readonly stepsWritten: number;
  readonly rollbacksWritten: number;
  readonly rollbacks: number;
  readonly checks: ReadonlyMap<string, CheckSeries>;
}

/** What events have said so far, by route. */
export type Exposition = ReadonlyMap<string, RouteSeries>;

/** Before the first event. */
export const noSeries: Exposition = new Map();

/**
 * What is known after an event. Counts are of this process.
 *
 * @param fleet see {@link MetricsSettings}
 */
export function nextExposition(
  all: Exposition,
  event: FleetEvent,
  fleet = event.fleet ?? event.source,
): Exposition {
  const { route, weights, wanted } = event;
  const key = JSON.stringify([fleet, route]);
  const before: RouteSeries = all.get(key) ?? {
    ...{ fleet, route, weights, wanted, phase: 'shifting', step: 0 },
    ...{ stepsWritten: 0, rollbacksWritten: 0, rollbacks: 0, checks: new Map() },
  };
  return new Map(all).set(key, after({ ...before, weights, wanted }, event));
}

function after({ ended, ...series }: RouteSeries, event: FleetEvent): RouteSeries {
  switch (event.type) {
    case 'started':
      return { ...series, phase: 'shifting', step: 0, steps: event.steps, startedAt: event.at };
    case 'stepWritten':
      return event.rollback === true
        ? { ...series, phase: 'rollingBack', rollbacksWritten: series.rollbacksWritten + 1 }
        : { ...series, phase: 'shifting', step: event.step, stepsWritten: series.stepsWritten + 1 };
    case 'checkAnswered':
      return { ...series, ...(ended && { ended }), checks: answered(series.checks, event.check) };
    case 'waiting':
      return { ...series, phase: 'waiting' };
    case 'paused':
      return { ...series, phase: 'paused' };
    case 'resumed':
      return { ...series, phase: 'shifting' };
    case 'rollingBack':
      return { ...series, phase: 'rollingBack', rollbacks: series.rollbacks + 1 };
    case 'ended':
      return { ...series, phase: 'ended', ended: { at: event.at, verdict: event.verdict } };
  }
}

function answered(checks: RouteSeries['checks'], last: CheckRecord): RouteSeries['checks'] {
  const answers = checks.get(last.name)?.answers ?? { pass: 0, inconclusive: 0, fail: 0 };
  return new Map(checks).set(last.name, {
    last,
    answers: { ...answers, [last.status]: answers[last.status] + 1 },
  });
}

/** A value, and those of the labels behind `fleet` and `route`. */
type Sample = readonly [value: number, ...labels: readonly string[]];

/** A name in the text, with all that is known of it. */
export interface Metric {
  readonly type: 'gauge' | 'counter';
  /** One line. */
  readonly help: string;
  /** Labels behind `fleet` and `route`, which all have. */
  readonly labels: readonly string[];
  readonly samples: (series: RouteSeries) => readonly Sample[];
}

function gauge(help: string, labels: readonly string[], samples: Metric['samples']): Metric {
  return { type: 'gauge', help, labels, samples };
}

function counter(help: string, labels: readonly string[], samples: Metric['samples']): Metric {
  return { type: 'counter', help, labels, samples };
}

/** Every metric by its name: units are those of Prometheus, and no label has values without a bound. */
export const metrics: Readonly<Record<string, Metric>> = {
  cluster_canary_shift_info: gauge('A shift that this process runs; 1.', [], () => [[1]]),
  cluster_canary_shift_start_timestamp_seconds: gauge(
    'When this run of the shift began.',
    [],
    ({ startedAt }) => secondsOf(startedAt),
  ),
  cluster_canary_shift_end_timestamp_seconds: gauge('When this run of the shift ended.', [], ({ ended }) =>
    secondsOf(ended?.at),
  ),
  cluster_canary_shift_phase: gauge('What the shift is doing: 1 for its phase.', ['phase'], ({ phase }) =>
    oneOfAll(phases, phase),
  ),
  cluster_canary_shift_verdict: gauge(
    'How the shift ended: 1 for its verdict, and nothing before.',
    ['verdict'],
    ({ ended }) => (ended ? oneOfAll(verdicts, ended.verdict) : []),
  ),
  cluster_canary_shift_step: gauge('The step that was written last, counted from 1.', [], ({ step, steps }) =>
    steps === undefined ? [] : [[step]],
  ),
  cluster_canary_shift_steps: gauge('How many steps there are.', [], ({ steps }) =>
    steps === undefined ? [] : [[steps]],
  ),
  cluster_canary_shift_weight_ratio: gauge('Live weight of a slot, from 0 to 1.', ['slot'], ({ weights }) =>
    ratios(weights),
  ),
  cluster_canary_shift_wanted_weight_ratio: gauge(
    'Weight that a slot is to end with, from 0 to 1.',
    ['slot'],
    ({ wanted }) => ratios(wanted),
  ),
  cluster_canary_shift_writes_total: counter(
    'How often weights were written, by what for: step or rollback.',
    ['kind'],
    ({ stepsWritten, rollbacksWritten }) => [
      [stepsWritten, 'step'],
      [rollbacksWritten, 'rollback'],
    ],
  ),
  cluster_canary_shift_rollbacks_total: counter(
    'How often the traffic was to go back.',
    [],
    ({ rollbacks }) => [[rollbacks]],
  ),
  cluster_canary_check_status: gauge(
    'What a check answered last: 1 for its status.',
    ['check', 'status'],
    (series) =>
      ofChecks(series, ({ last }) =>
        oneOfAll(statuses, last.status).map(([value, status]) => [value, last.name, status!]),
      ),
  ),
  cluster_canary_check_answers_total: counter(
    'How often a check answered so.',
    ['check', 'status'],
    (series) =>
      ofChecks(series, ({ last, answers }) => statuses.map((status) => [answers[status], last.name, status])),
  ),
  cluster_canary_check_answer_timestamp_seconds: gauge('When a check answered last.', ['check'], (series) =>
    ofChecks(series, ({ last }) => secondsOf(last.at).map(([value]) => [value, last.name])),
  ),
  cluster_canary_check_beyond: gauge(
    'Whether a figure of a check is beyond a bound, or its check fails by it: 1 or 0.',
    ['check', 'figure', 'slot'],
    (series) => ofChecks(series, ({ last }) => beyond(last)),
  ),
  ...figureMetrics('_ratio', 'A share of a check, from 0 to 1', ['share']),
  ...figureMetrics('_seconds', 'A time of a check', ['seconds']),
  ...figureMetrics('_per_second', 'A rate of a check', ['perSecond']),
  ...figureMetrics('', 'A count or another number of a check', ['count', undefined]),
};

/** Figures with one unit, and their bounds. */
function figureMetrics(
  suffix: string,
  help: string,
  units: readonly Figure['unit'][],
): Readonly<Record<string, Metric>> {
  const labels = ['check', 'figure', 'slot'];
  const samples =
    (of: (figure: Figure) => readonly Sample[]): Metric['samples'] =>
    (series) =>
      ofChecks(series, ({ last }) =>
        figuresOf(last)
          .filter(({ unit }) => units.includes(unit))
          .flatMap((figure) =>
            of(figure).map(([value, ...more]): Sample => [
              value,
              last.name,
              figure.name,
              figure.slot ?? '',
              ...more,
            ]),
          ),
      );
  return {
    [`cluster_canary_check_figure${suffix}`]: gauge(
      `${help}.`,
      labels,
      samples(({ value }) => (value === null ? [] : [[value]])),
    ),
    [`cluster_canary_check_bound${suffix}`]: gauge(
      `${help}: the least or the most that it passes with.`,
      [...labels, 'bound'],
      samples(({ min, max }) => [
        ...(min === undefined ? [] : [[min, 'min'] as const]),
        ...(max === undefined ? [] : [[max, 'max'] as const]),
      ]),
    ),
  };
}

/** A check that counts by target or by pod has many figures; no dashboard needs more of one check. */
const mostFigures = 100;

/** The first of those that have the same name, slot and unit: a series has one value. */
function figuresOf({ figures }: CheckRecord): readonly Figure[] {
  const byLabels = new Map<string, Figure>();
  for (const figure of figures) {
    const key = JSON.stringify([figure.name, figure.slot ?? '', figure.unit ?? 'count']);
    if (!byLabels.has(key) && byLabels.size < mostFigures) {
      byLabels.set(key, figure);
    }
  }
  return [...byLabels.values()];
}

/** One sample for figures of one name and slot, whatever their units. */
function beyond(check: CheckRecord): readonly Sample[] {
  const byLabels = new Map<string, Sample>();
  for (const figure of figuresOf(check)) {
    const labels = [check.name, figure.name, figure.slot ?? ''];
    const key = JSON.stringify(labels);
    const isBad = figure.failed === true || isBeyond(figure) || byLabels.get(key)?.[0] === 1;
    byLabels.set(key, [isBad ? 1 : 0, ...labels]);
  }
  return [...byLabels.values()];
}

function ofChecks(
  { checks }: RouteSeries,
  samples: (check: CheckSeries) => readonly Sample[],
): readonly Sample[] {
  return [...checks.values()].flatMap(samples);
}

function oneOfAll(words: readonly string[], found: string): readonly Sample[] {
  return words.map((word) => [word === found ? 1 : 0, word]);
}

function ratios(weights: Weights | null): readonly Sample[] {
  return Object.entries(weights ?? {}).map(([slot, weight]) => [weight / 100, slot]);
}

function secondsOf(at: string | undefined): readonly Sample[] {
  return at === undefined ? [] : [[Date.parse(at) / 1_000]];
}

/** Prometheus 3 takes no answer whose type it does not know. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * All series as Prometheus reads them.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function expositionText(all: Iterable<RouteSeries>): string {
  const routes = [...all];
  return Object.entries(metrics)
    .map(([name, { type, help, labels, samples }]) => {
      const lines = routes.flatMap((series) =>
        samples(series)
          .filter(([value]) => Number.isFinite(value))
          .map(([value, ...own]) => {
            const values = [series.fleet, series.route, ...own];
            const pairs = ['fleet', 'route', ...labels].map(
              (label, index) => [label, values[index]!] as const,
            );
            return `${name}{${pairs.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')}} ${value}\n`;
          }),
      );
      return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

/** A label's value between quotation marks. */
function escaped(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}

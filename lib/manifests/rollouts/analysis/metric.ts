import { parseDuration } from '../../../core/durations';
import { object, optional } from '../../../core/validation/collections';
import type { Problems } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { duration, text, that } from '../../../core/validation/values';
import { replaceVariables, variablesIn } from '../../../shift/checks';
import { shiftCheckProblems, goTime, readCheck, sharedCheck, timesOf } from '../../shift-checks';
import type { AnalysisConditions, ReadCheck, SharedCheck } from '../../shift-checks';
import type { AnalysisEnd } from './analysis';
import type { MetricProvider, MetricSource, MetricTexts } from './provider';
import { metricProviders, providerSettings } from './providers';
import type { ProviderSettings } from './providers';

/** One metric of an analysis: a check, and how often it runs. */
export interface AnalysisMetric extends ProviderSettings {
  /** The check, as a shift has it: `checks.prometheus.errorShare({ … })`. */
  readonly check: SharedCheck;
  /**
   * Name of the metric; all metrics of an analysis need another one.
   *
   * @default - the check's name; else the template's where it has one metric, and the kind of check where it has several
   */
  readonly name?: string;
  /** How often it runs. @default '15s' - a bad version is found soon; a shift runs its checks as often */
  readonly checkEvery?: string;
  /**
   * How long it may say nothing; the Rollout then waits for a person. In the background all such measurements of a run
   * are added up.
   *
   * @default '10m' - as in a shift
   */
  readonly inconclusiveLimit?: string;
}

/** A metric; its check is held against a shift's own rules. */
export const analysisMetric: Schema<AnalysisMetric> = object<AnalysisMetric>({
  check: sharedCheck,
  name: optional(text('text on one line, at most 100 characters', /^\S.{0,99}$/)),
  checkEvery: optional(that(duration, `at least ${goTime(1000)}`, (value) => parseDuration(value)! >= 1000)),
  inconclusiveLimit: optional(duration),
  ...providerSettings,
});

/** A metric that was read. */
export interface ReadMetric {
  readonly metric: AnalysisMetric;
  readonly check: ReadCheck;
  readonly name: string;
}

const defaultCheckEvery = '15s';

const defaultInconclusiveLimit = '10m';

/** The controller's own, after a measurement that ended in an error. */
const errorRetryMs = 10_000;

function providerOf({ kind }: ReadCheck): MetricProvider<MetricSource, ProviderSettings> {
  return metricProviders[kind.split('.')[0] as MetricSource] as MetricProvider<
    MetricSource,
    ProviderSettings
  >;
}

/**
 * Reads the check of a metric, and adds what is wrong with it, or with the metric for what queries it.
 *
 * @param only name where it is the only one of a template and has none
 * @returns undefined for a check that is wrong
 */
export function readMetric(
  problems: Problems,
  path: string,
  metric: AnalysisMetric,
  variables: readonly string[],
  only?: string,
): ReadMetric | undefined {
  // Another address than the check's own may be given.
  const instead = metric.address === undefined ? {} : { address: metric.address };
  const found = shiftCheckProblems(`${path}.check`, metric.check, variables, instead);
  const check = found.length > 0 ? undefined : readCheck(metric.check, instead);
  problems.addAll(found);
  if (check === undefined) {
    return undefined;
  }
  providerOf(check).addProblems(problems, path, check, metric);
  checkOwnSettings(problems, path, check, metric);
  return { metric, check, name: metric.name ?? check.args.name ?? only ?? check.kind };
}

/** Settings that are for other sources of metrics. */
function checkOwnSettings(problems: Problems, path: string, check: ReadCheck, metric: AnalysisMetric): void {
  const own = providerOf(check);
  for (const { name, settings } of Object.values(metricProviders)) {
    for (const key of Object.keys(settings) as (keyof ProviderSettings)[]) {
      if (name !== own.name && metric[key] !== undefined) {
        problems.addSecret(`${path}.${key}`, `left out: it is for checks of ${name}`);
      }
    }
  }
}

/**
 * The metric as it is in an AnalysisTemplate.
 *
 * It waits until its figures are all younger than the change of the weights, and is asked until a measurement says
 * something: one failure is enough, and a pass ends it where it is not asked to the end.
 *
 * @param secretArgument argument of the template that holds the password or the token
 */
export function metricManifest(
  { metric, check, name }: ReadMetric,
  until: AnalysisEnd,
  secretArgument: string,
): object {
  const { checkEvery = defaultCheckEvery } = metric;
  const limitMs = parseDuration(metric.inconclusiveLimit ?? defaultInconclusiveLimit)!;
  const { provider, ...said } = measured(check, metric, secretArgument);
  const { settledMs } = timesOf(check);
  const inconclusiveLimit = Math.floor(limitMs / parseDuration(checkEvery)!);
  return {
    name,
    ...(settledMs > 0 && { initialDelay: goTime(settledMs) }),
    interval: checkEvery,
    ...said,
    failureLimit: 0,
    inconclusiveLimit,
    consecutiveErrorLimit: Math.floor(limitMs / errorRetryMs),
    // A step's metric has to have an end: one measurement beyond the limit is it.
    ...(until === 'answered' && { consecutiveSuccessLimit: 1, count: inconclusiveLimit + 1 }),
    provider,
  };
}

function measured(
  check: ReadCheck,
  metric: AnalysisMetric,
  secretArgument: string,
): AnalysisConditions & { readonly provider: object } {
  const textOf = (name: string): string => `{{args.${name}}}`;
  const texts: MetricTexts = {
    spell: (query, own) => replaceVariables(query, (name) => own[name] ?? textOf(name)),
    textOf,
    secretArgument,
  };
  return providerOf(check).measured(check, metric, texts);
}

/** Names of the template's arguments in a text, each once. */
export function argumentsIn(manifest: unknown): readonly string[] {
  const names = variablesIn(JSON.stringify(manifest)).flatMap((name) =>
    name.startsWith('args.') ? [name.slice('args.'.length)] : [],
  );
  return [...new Set(names)];
}

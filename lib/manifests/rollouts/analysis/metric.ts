import { parseDuration } from '../../../core/durations';
import { goDuration } from '../../../core/validation/formats';
import type { Problems } from '../../../core/validation/problems';
import { replaceVariables, variablesIn } from '../../../shift/checks';
import { asksPrometheus, checkTimes, readCheck, goTime, timesOf } from '../../shift-checks';
import type { AnalysisConditions, ReadCheck, Spell } from '../../shift-checks';
import type { AnalysisEnd } from './analysis';
import { asksCloudWatch, checkCloudWatchMetric, cloudWatchMetric } from './cloudwatch';
import { checkDatadogMetric, datadogMetric } from './datadog';
import type { AnalysisMetric } from './metric-props';
import { checkPrometheusMetric, prometheusMetric } from './prometheus';

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

/**
 * Reads a metric and adds what is wrong with it.
 *
 * @param only name where it is the only one of a template and has none
 */
export function readMetric(
  problems: Problems,
  path: string,
  metric: AnalysisMetric,
  variables: readonly string[],
  only?: string,
): ReadMetric | undefined {
  const { address, checkEvery = defaultCheckEvery, inconclusiveLimit, name } = metric;
  if (name !== undefined && !/^\S.{0,99}$/.test(name)) {
    problems.add(`${path}.name`, name, 'text on one line, at most 100 characters');
  }
  checkTime(problems, `${path}.checkEvery`, checkEvery, 1_000);
  checkTime(problems, `${path}.inconclusiveLimit`, inconclusiveLimit ?? defaultInconclusiveLimit, 0);
  const instead = address === undefined ? {} : { address };
  const check = readCheck(problems, `${path}.check`, metric.check, variables, instead);
  if (check === undefined) {
    return undefined;
  }
  checkTimes(problems, `${path}.check`, check);
  checkProvider(problems, path, check, metric);
  return { metric, check, name: name ?? check.args.name ?? only ?? check.kind };
}

function checkTime(problems: Problems, path: string, value: string, least: number): void {
  if (problems.check(path, value, goDuration) && parseDuration(value)! < least) {
    problems.add(path, value, `at least ${goTime(least)}`);
  }
}

function checkProvider(problems: Problems, path: string, check: ReadCheck, metric: AnalysisMetric): void {
  if (asksPrometheus(check)) {
    checkPrometheusMetric(problems, path, check, metric);
  } else if (asksCloudWatch(check)) {
    checkCloudWatchMetric(problems, path, check);
  } else {
    checkDatadogMetric(problems, path, check, metric);
  }
  const own = check.kind.split('.')[0]!;
  const { authorization, datadogSecret } = metric;
  if (authorization !== undefined && own !== 'prometheus') {
    problems.add(`${path}.authorization`, authorization, 'left out: it is for checks of Prometheus');
  }
  if (datadogSecret !== undefined && own !== 'datadog') {
    problems.add(`${path}.datadogSecret`, datadogSecret, 'left out: it is for checks of Datadog');
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
  const spell: Spell = (query, own) => replaceVariables(query, (name) => own[name] ?? textOf(name));
  if (asksPrometheus(check)) {
    return prometheusMetric(check, spell, secretArgument);
  }
  return asksCloudWatch(check)
    ? cloudWatchMetric(check, textOf)
    : datadogMetric(check, spell, metric.datadogSecret);
}

/** Names of the template's arguments in a text, each once. */
export function argumentsIn(manifest: unknown): readonly string[] {
  const names = variablesIn(JSON.stringify(manifest)).flatMap((name) =>
    name.startsWith('args.') ? [name.slice('args.'.length)] : [],
  );
  return [...new Set(names)];
}

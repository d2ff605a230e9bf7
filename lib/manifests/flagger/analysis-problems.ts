import type { Problems } from '../../core/validation/problems';
import { analysisFields } from './canary-analysis';
import type { CanaryAnalysis, CanaryWebhook } from './canary-analysis';
import { secondsOf } from './formats';
import { supportedBy, isGatewayApi } from './provider';
import type { CanaryProvider } from './provider';
import { checkCanaryMatch } from './service-problems';

/** How a new version is led through its analysis. */
type Course =
  | { readonly way: 'iterations'; readonly iterations: number }
  | { readonly way: 'steps'; readonly stepWeight: number; readonly maxWeight: number }
  | { readonly way: 'weights'; readonly stepWeights: readonly number[] };

/** Steps where nothing is said: five, up to half of the traffic. */
const defaultSteps = { stepWeight: 10, maxWeight: 50 } as const;

/** Checks where nothing is said and no weights are possible: Flagger's own number. */
const defaultIterations = 10;

/** The course of an analysis, with what it does not say. */
export function analysisCourse(analysis: CanaryAnalysis, provider: CanaryProvider): Course {
  const { iterations, stepWeight, maxWeight, stepWeights, match } = analysis;
  if (iterations !== undefined) {
    return { way: 'iterations', iterations };
  }
  if (stepWeights !== undefined) {
    return { way: 'weights', stepWeights };
  }
  const saysWeights = stepWeight !== undefined || maxWeight !== undefined;
  if (!saysWeights && (provider === 'kubernetes' || match !== undefined)) {
    return { way: 'iterations', iterations: defaultIterations };
  }
  return {
    way: 'steps',
    stepWeight: stepWeight ?? defaultSteps.stepWeight,
    maxWeight: maxWeight ?? defaultSteps.maxWeight,
  };
}

/** What an analysis is checked with. */
interface AnalysisCase {
  /** The analysis as it was given; some of it may be wrong. */
  readonly given: CanaryAnalysis;
  /** The same without what is wrong by itself. */
  readonly sound: CanaryAnalysis;
  readonly provider: CanaryProvider;
  /** Whether every new version is released without analysis. */
  readonly skipped: boolean;
}

/** Checks what a provider makes of an analysis, and what becomes of a new version with it. */
export function checkCanaryAnalysis(problems: Problems, path: string, analysis: AnalysisCase): void {
  const { given, sound, provider } = analysis;
  const course = analysisCourse(given, provider);
  supportedBy(problems, path, sound, analysisFields, provider);
  checkSteps(problems, path, analysis, course);
  checkCompany(problems, path, analysis, course);
  sound.match?.forEach((each, position) =>
    checkCanaryMatch(problems, `${path}.match[${position}]`, each, provider),
  );
  sound.webhooks?.forEach(({ type }, position) => {
    if (type === 'confirm-traffic-increase' && course.way === 'iterations') {
      problems.add(
        `${path}.webhooks[${position}].type`,
        type,
        'another type: without weights no traffic is increased, and the webhook is not called',
      );
    }
  });
  checkTimeouts(problems, `${path}.interval`, sound);
  checkHalting(problems, `${path}.metrics`, analysis);
}

/** Flagger goes past a highest weight that is no step. */
function checkSteps(problems: Problems, path: string, { given, sound }: AnalysisCase, course: Course): void {
  const isSound = given.stepWeight === sound.stepWeight && given.maxWeight === sound.maxWeight;
  if (!isSound || course.way !== 'steps') {
    return;
  }
  if (course.maxWeight !== 100 && course.maxWeight % course.stepWeight !== 0) {
    problems.add(
      `${path}.maxWeight`,
      sound.maxWeight,
      `a multiple of "stepWeight", ${course.stepWeight}, or 100: Flagger would go past ${course.maxWeight} with its last step`,
    );
  }
}

/** What goes with weights only, or with iterations only. */
function checkCompany(
  problems: Problems,
  path: string,
  { given, sound, provider }: AnalysisCase,
  course: Course,
): void {
  const { mirror, sessionAffinity } = sound;
  const weighs = course.way !== 'iterations';
  if (given.match !== undefined && weighs) {
    problems.addSecret(`${path}.match`, 'left out, or with "iterations" in place of weights');
  }
  if (mirror === true && given.match !== undefined) {
    problems.add(`${path}.mirror`, mirror, 'left out: Flagger mirrors nothing in an A/B test');
  } else if (mirror === true && weighs && isGatewayApi(provider)) {
    problems.add(
      `${path}.mirror`,
      mirror,
      'left out, or with "iterations" in place of weights: by the Gateway API, Flagger would begin the analysis again and again',
    );
  }
  if (sessionAffinity !== undefined && !weighs) {
    problems.add(
      `${path}.sessionAffinity`,
      sessionAffinity,
      'left out: it keeps visitors where weights have sent them, and there are no weights',
    );
  }
}

/** Time from step to step where nothing is said. */
export const defaultInterval = '1m';

/**
 * Checks that a step has time for its webhooks, which are called one after the other.
 * @see https://docs.flagger.app/usage/webhooks
 */
function checkTimeouts(problems: Problems, path: string, analysis: CanaryAnalysis): void {
  const { interval = defaultInterval, webhooks = [] } = analysis;
  const each = webhooks.filter(({ type = 'rollout' }) => type === 'rollout');
  const longest = each.reduce(
    (sum, { timeout = '10s', retries = 0 }) => sum + secondsOf(timeout) * (retries + 1),
    0,
  );
  if (each.length > 0 && longest >= secondsOf(interval)) {
    problems.add(
      path,
      interval,
      `longer than ${longest}s, which the timeouts of all tries of the "rollout" webhooks are together`,
    );
  }
}

/** Something has to be able to say no. */
function checkHalting(problems: Problems, path: string, { given, sound, skipped }: AnalysisCase): void {
  const { metrics = [], webhooks = [] } = sound;
  const isSound = given.metrics === sound.metrics && given.webhooks === sound.webhooks;
  if (isSound && !skipped && metrics.length === 0 && !webhooks.some(canHalt)) {
    problems.add(
      path,
      sound.metrics,
      'at least one metric, or a webhook that can fail ("pre-rollout", "rollout", "confirm-promotion"): ' +
        'nothing else would stop a bad version. "skipAnalysis" releases without analysis',
    );
  }
}

/** Whether a webhook can halt a new version. A command of the load tester is only started, and its end is not waited for. */
function canHalt({ type = 'rollout', metadata = {} }: CanaryWebhook): boolean {
  const isStartedOnly = metadata['cmd'] !== undefined && (metadata['type'] ?? 'cmd') === 'cmd';
  return ['pre-rollout', 'rollout', 'confirm-promotion'].includes(type) && !isStartedOnly;
}

import { dnsLabel, dnsSubdomain, oneOf, trueOrFalse, wholeNumber } from '../../core/validation/formats';
import type { Problems, Format } from '../../core/validation/problems';
import { analysisFields } from './canary-analysis';
import type { CanaryAlert, CanaryAnalysis, SessionAffinity } from './canary-analysis';
import { checkMapping, entriesOf, list, minutesAndSeconds, secondsOf, someText } from './formats';
import { checkMetrics } from './metric-problems';
import { supportedBy, isGatewayApi } from './provider';
import type { CanaryProvider } from './provider';
import { checkCanaryMatch } from './service-problems';
import { canHalt, checkTimeouts, checkWebhooks } from './webhooks';

/** How a new version is led through its analysis. */
type Course =
  | { readonly way: 'iterations'; readonly iterations: number }
  | { readonly way: 'steps'; readonly stepWeight: number; readonly maxWeight: number }
  | { readonly way: 'weights'; readonly stepWeights: readonly number[] };

/** Steps where nothing is said: five, up to half of the traffic. */
const usualSteps = { stepWeight: 10, maxWeight: 50 } as const;

/** Checks where nothing is said and no weights are possible: Flagger's own number. */
const usualIterations = 10;

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
    return { way: 'iterations', iterations: usualIterations };
  }
  return {
    way: 'steps',
    stepWeight: stepWeight ?? usualSteps.stepWeight,
    maxWeight: maxWeight ?? usualSteps.maxWeight,
  };
}

const percent = wholeNumber(1, 100);

/**
 * Checks weights and iterations, and what goes with which of them.
 *
 * The reasons are what Flagger's scheduler does with them: it takes one of two ways that are both given, stays for ever at a
 * weight that does not rise, and goes past a highest weight that is no step.
 * @see https://github.com/fluxcd/flagger/blob/v1.44.0/pkg/controller/scheduler.go
 */
function checkCourse(
  problems: Problems,
  path: string,
  analysis: CanaryAnalysis,
  course: Course,
  provider: CanaryProvider,
): void {
  problems.checkGiven(path, analysis, {
    iterations: wholeNumber(1, 10_000),
    stepWeight: percent,
    maxWeight: percent,
    stepWeightPromotion: percent,
    mirrorWeight: percent,
  });
  checkOneWay(problems, path, analysis);
  checkSteps(problems, path, analysis, course);
  checkStepWeights(problems, `${path}.stepWeights`, analysis.stepWeights);
  checkCompany(problems, path, analysis, course, provider);
}

function checkOneWay(problems: Problems, path: string, analysis: CanaryAnalysis): void {
  const { iterations, stepWeights } = analysis;
  const leftOut = (field: 'stepWeight' | 'maxWeight' | 'stepWeights', reason: string) => {
    if (analysis[field] !== undefined) {
      problems.add(`${path}.${field}`, analysis[field], `left out: ${reason}`);
    }
  };
  if (iterations !== undefined) {
    const reason = '"iterations" is set, and Flagger would not shift weights';
    (['stepWeight', 'maxWeight', 'stepWeights'] as const).forEach((field) => leftOut(field, reason));
  } else if (stepWeights !== undefined) {
    const reason = '"stepWeights" sets all weights';
    (['stepWeight', 'maxWeight'] as const).forEach((field) => leftOut(field, reason));
  }
}

function checkSteps(problems: Problems, path: string, { maxWeight }: CanaryAnalysis, course: Course): void {
  if (course.way !== 'steps' || !percent.accepts(course.stepWeight) || !percent.accepts(course.maxWeight)) {
    return;
  }
  if (course.maxWeight !== 100 && course.maxWeight % course.stepWeight !== 0) {
    problems.add(
      `${path}.maxWeight`,
      maxWeight,
      `a multiple of "stepWeight", ${course.stepWeight}, or 100: Flagger would go past ${course.maxWeight} with its last step`,
    );
  }
}

function checkStepWeights(problems: Problems, path: string, weights: readonly number[] | undefined): void {
  if (weights === undefined || !problems.check<unknown>(path, weights, list)) {
    return;
  }
  if (weights.length === 0) {
    problems.add(path, weights, 'a list with at least one weight');
  }
  weights.forEach((weight, position) => {
    const before = weights[position - 1] ?? 0;
    if (problems.check(`${path}[${position}]`, weight, percent) && weight <= before) {
      problems.add(
        `${path}[${position}]`,
        weight,
        `more than ${before}, the one before: Flagger would stay there for ever`,
      );
    }
  });
}

/** What goes with weights only, or with iterations only. */
function checkCompany(
  problems: Problems,
  path: string,
  analysis: CanaryAnalysis,
  course: Course,
  provider: CanaryProvider,
): void {
  const { match, mirror, mirrorWeight, sessionAffinity } = analysis;
  const weighs = course.way !== 'iterations';
  if (match !== undefined && weighs) {
    problems.add(`${path}.match`, match, 'left out, or with "iterations" in place of weights');
  }
  if (mirror === true && match !== undefined) {
    problems.add(`${path}.mirror`, mirror, 'left out: Flagger mirrors nothing in an A/B test');
  } else if (mirror === true && weighs && isGatewayApi(provider)) {
    problems.add(
      `${path}.mirror`,
      mirror,
      'left out, or with "iterations" in place of weights: by the Gateway API, Flagger would begin the analysis again and again',
    );
  }
  if (mirrorWeight !== undefined && mirror !== true) {
    problems.add(`${path}.mirrorWeight`, mirrorWeight, 'left out, or with "mirror"');
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
export const usualInterval = '1m';

/** Flagger looks no more often. */
const leastInterval = 10;

/** Checks how a new version is evaluated. */
export function checkCanaryAnalysis(
  problems: Problems,
  path: string,
  analysis: CanaryAnalysis,
  provider: CanaryProvider,
  skipped: boolean,
): void {
  if (!checkMapping(problems, path, analysis)) {
    return;
  }
  supportedBy(problems, path, analysis, analysisFields, provider);
  const { interval = usualInterval, match, metrics, webhooks, sessionAffinity } = analysis;
  if (problems.check(`${path}.interval`, interval, minutesAndSeconds)) {
    if (secondsOf(interval) < leastInterval) {
      problems.add(`${path}.interval`, interval, `at least ${leastInterval}s: Flagger looks no more often`);
    }
  }
  problems.checkGiven(path, analysis, {
    threshold: wholeNumber(1, 10_000),
    primaryReadyThreshold: wholeNumber(0, 100),
    canaryReadyThreshold: wholeNumber(0, 100),
    mirror: trueOrFalse,
  });
  const course = analysisCourse(analysis, provider);
  checkCourse(problems, path, analysis, course, provider);
  entriesOf(problems, `${path}.match`, match).forEach((each, position) =>
    checkCanaryMatch(problems, `${path}.match[${position}]`, each, provider),
  );
  if (Array.isArray(match) && match.length === 0) {
    problems.add(`${path}.match`, match, 'a list with at least one entry');
  }
  checkMetrics(problems, `${path}.metrics`, metrics);
  checkWebhooks(problems, `${path}.webhooks`, webhooks, course.way !== 'iterations');
  checkEvaluated(problems, path, analysis, interval, skipped);
  if (sessionAffinity !== undefined && checkMapping(problems, `${path}.sessionAffinity`, sessionAffinity)) {
    checkAffinity(problems, `${path}.sessionAffinity`, sessionAffinity);
  }
  entriesOf(problems, `${path}.alerts`, analysis.alerts).forEach((each, position) =>
    checkAlert(problems, `${path}.alerts[${position}]`, each),
  );
}

/** Something has to be able to say no, and in time. */
function checkEvaluated(
  problems: Problems,
  path: string,
  analysis: CanaryAnalysis,
  interval: string,
  skipped: boolean,
): void {
  const { metrics = [], webhooks = [] } = analysis;
  if (
    !Array.isArray(metrics) ||
    !Array.isArray(webhooks) ||
    !webhooks.every((each) => each instanceof Object)
  ) {
    return;
  }
  checkTimeouts(problems, `${path}.interval`, interval, analysis);
  if (!skipped && metrics.length === 0 && !analysis.webhooks?.some(canHalt)) {
    problems.add(
      `${path}.metrics`,
      analysis.metrics,
      'at least one metric, or a webhook that can fail ("pre-rollout", "rollout", "confirm-promotion"): ' +
        'nothing else would stop a bad version. "skipAnalysis" releases without analysis',
    );
  }
}

/** Flagger splits a cookie at "=" and looks for its name by a regular expression. */
const cookieName: Format = {
  allowed: 'the name of a cookie: letters, digits, "-" and "_"',
  accepts: (value) => typeof value === 'string' && /^[-\w]{1,64}$/.test(value),
};

function checkAffinity(problems: Problems, path: string, affinity: SessionAffinity): void {
  const { cookieName: name, primaryCookieName, sameSite, secure, partitioned } = affinity;
  const flags = { httpOnly: trueOrFalse, secure: trueOrFalse, partitioned: trueOrFalse };
  const rules = {
    ...flags,
    primaryCookieName: cookieName,
    maxAge: wholeNumber(1, 34_560_000),
    domain: someText,
    path: someText,
    sameSite: oneOf('Strict', 'Lax', 'None'),
  };
  problems.check(`${path}.cookieName`, name, cookieName);
  problems.checkGiven(path, affinity, rules);
  if (primaryCookieName !== undefined && primaryCookieName === name) {
    problems.add(`${path}.primaryCookieName`, primaryCookieName, 'another one than "cookieName"');
  }
  if ((sameSite === 'None' || partitioned === true) && secure !== true) {
    problems.add(
      `${path}.secure`,
      secure,
      'true: browsers refuse cookies that are "None" or partitioned and not secure',
    );
  }
}

function checkAlert(problems: Problems, path: string, alert: CanaryAlert): void {
  if (!checkMapping(problems, path, alert)) {
    return;
  }
  problems.check(`${path}.name`, alert.name, someText);
  problems.checkGiven(path, alert, { severity: oneOf('info', 'warn', 'error') });
  if (checkMapping(problems, `${path}.providerRef`, alert.providerRef)) {
    problems.check(`${path}.providerRef.name`, alert.providerRef.name, dnsSubdomain);
    problems.checkGiven(`${path}.providerRef`, alert.providerRef, { namespace: dnsLabel });
  }
}

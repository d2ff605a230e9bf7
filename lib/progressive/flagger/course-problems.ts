import type { Problems } from '../../problems';
import { wholeNumber } from '../../problems';
import type { CanaryAnalysis } from './canary-analysis';
import type { Course } from './course';
import type { CanaryProvider } from './provider';
import { isGatewayApi } from './provider';
import { list } from './rules';

const percent = wholeNumber(1, 100);

/**
 * Checks weights and iterations, and what goes with which of them.
 *
 * The reasons are what Flagger's scheduler does with them: it takes one of two ways that are both given, stays for ever at a
 * weight that does not rise, and goes past a highest weight that is no step.
 * @see https://github.com/fluxcd/flagger/blob/v1.44.0/pkg/controller/scheduler.go
 */
export function checkCourse(
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
    const reason = '"iterations" stands, and Flagger would not shift weights';
    (['stepWeight', 'maxWeight', 'stepWeights'] as const).forEach((field) => leftOut(field, reason));
  } else if (stepWeights !== undefined) {
    const reason = '"stepWeights" says all weights';
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

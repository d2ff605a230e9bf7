import type { CanaryAnalysis } from './canary-analysis';
import type { CanaryProvider } from './provider';

/** How a new version is led through its analysis. */
export type Course =
  | { readonly way: 'iterations'; readonly iterations: number }
  | { readonly way: 'steps'; readonly stepWeight: number; readonly maxWeight: number }
  | { readonly way: 'weights'; readonly stepWeights: readonly number[] };

/** Steps where nothing is said: five, up to half of the traffic. */
const usualSteps = { stepWeight: 10, maxWeight: 50 } as const;

/** Checks where nothing is said and no weights are possible: Flagger's own number. */
const usualIterations = 10;

/** The course of an analysis, with what it does not say. */
export function courseOf(analysis: CanaryAnalysis, provider: CanaryProvider): Course {
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

import type { OnNoData } from '../../shift';

/**
 * What Argo Rollouts makes of a measurement. Neither of them is inconclusive.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/analysis/#inconclusive-runs
 */
export interface Conditions {
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
export function conditions(known: string, within: string, onNoData: OnNoData = 'inconclusive'): Conditions {
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

import type { LabelRequirement } from '../gitops';
import type { ClusterSelector } from './cluster-set';

/**
 * Why a cluster's tags are not what a selector asks for.
 *
 * @returns undefined where they are
 */
export function tagObstacle(
  { eksTags = {}, matchExpressions = [] }: ClusterSelector,
  tags: Readonly<Record<string, string>>,
): string | undefined {
  const requirements: readonly LabelRequirement[] = [
    ...Object.entries(eksTags).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    ...matchExpressions,
  ];
  for (const requirement of requirements) {
    const { key, operator, values = [] } = requirement;
    const value = Object.hasOwn(tags, key) ? tags[key] : undefined;
    if (!holds(requirement, value)) {
      const tag = value === undefined ? `it has no tag "${key}"` : `its tag "${key}" is "${value}"`;
      return `not selected: ${tag}, asked for: ${[operator, ...values].join(' ')}`;
    }
  }
  return undefined;
}

function holds({ operator, values = [] }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

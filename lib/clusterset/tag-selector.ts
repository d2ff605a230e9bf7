import type { LabelRequirement } from '../gitops';
import type { ClusterSelector } from './cluster-set';

/** Whether a cluster's tags are what a selector asks for. */
export function selectsTags(
  { eksTags = {}, matchExpressions = [] }: ClusterSelector,
  tags: Readonly<Record<string, string>>,
): boolean {
  const valueOf = (key: string): string | undefined => (Object.hasOwn(tags, key) ? tags[key] : undefined);
  return (
    Object.entries(eksTags).every(([key, value]) => valueOf(key) === value) &&
    matchExpressions.every((requirement) => holds(requirement, valueOf(requirement.key)))
  );
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

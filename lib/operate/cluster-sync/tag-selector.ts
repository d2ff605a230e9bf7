import { selects } from '../../core/kubernetes/label-selector';
import type { LabelSelectorRequirement } from '../../core/kubernetes/label-selector';
import type { ClusterSelector } from '../../manifests/cluster-sync';

/**
 * Why a cluster's tags are not what a selector asks for.
 *
 * @returns undefined where they are
 */
export function tagObstacle(
  { eksTags = {}, matchExpressions = [] }: ClusterSelector,
  tags: Readonly<Record<string, string>>,
): string | undefined {
  const requirements: readonly LabelSelectorRequirement[] = [
    ...Object.entries(eksTags).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    ...matchExpressions,
  ];
  for (const requirement of requirements) {
    const { key, operator, values = [] } = requirement;
    if (!selects({ matchExpressions: [requirement] }, tags)) {
      const tag = Object.hasOwn(tags, key) ? `its tag "${key}" is "${tags[key]}"` : `it has no tag "${key}"`;
      return `not selected: ${tag}, required: ${[operator, ...values].join(' ')}`;
    }
  }
  return undefined;
}

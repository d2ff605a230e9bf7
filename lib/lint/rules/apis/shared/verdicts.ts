import { apiVerdict } from '../../../../core/readiness';
import type { RawFinding, RuleContext } from '../../../rule';

/**
 * What is removed up to it is an error where nobody says which version the clusters have: no version of EKS that still gets
 * security updates serves it. What a later one removes is a warning, as it is deprecated.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
 */
export const oldestServed = '1.31';

/** What is said of the versions of objects under the id of a rule. */
export function* verdicts(
  id: string,
  { objects, kubernetesVersion = oldestServed }: RuleContext,
): Iterable<RawFinding> {
  for (const object of objects.all) {
    const verdict = apiVerdict(object, kubernetesVersion);
    if (verdict?.id === id) {
      const { message, fix, severity } = verdict;
      yield { object, pointer: '/apiVersion', message, fix, severity };
    }
  }
}

import * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { oneOfWords } from '../../core/validation/formats';
import type { Format } from '../../core/validation/problems';
import type { AddonTarget } from './addon';

/**
 * A level of the Pod Security Standards.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** What a level may be. */
export const podSecurityLevel: Format = oneOfWords('privileged', 'baseline', 'restricted');

/**
 * Labels by which a namespace refuses pods below a level.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
function podSecurityLabels(level: PodSecurityLevel): Readonly<Record<string, string>> {
  return { 'pod-security.kubernetes.io/enforce': level };
}

/**
 * Sees to it that a namespace is there and enforces a level, before the first pod is made in it. It is a patch, which
 * Pulumi applies on the server: it makes a namespace that is missing, takes one that Helm has made before as it is, and
 * never deletes any.
 */
export function securedNamespace(
  name: string,
  namespace: string,
  level: PodSecurityLevel,
  target: AddonTarget,
): pulumi.Resource {
  return new k8s.core.v1.NamespacePatch(
    name,
    { metadata: { name: namespace, labels: { ...podSecurityLabels(level) } } },
    {
      parent: target.parent,
      provider: target.kubernetes,
      dependsOn: [...target.dependsOn],
      deletedWith: target.cluster,
      // A deletion would take the labels off a namespace whose pods may still run.
      retainOnDelete: true,
    },
  );
}

/**
 * The label by which Argo CD finds its cluster Secrets.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 */
export const secretTypeLabel = 'argocd.argoproj.io/secret-type';

/** Label and annotation that both name the set which owns a Secret. A copied label alone owns nothing. */
export const ownerKey = 'cluster-canary/cluster-set';

/** Annotation: the ARN of the cluster that a Secret registers. */
export const arnKey = 'cluster-canary/cluster-arn';

/** Annotation: since when the cluster has been missing (RFC 3339). */
export const missingSinceKey = 'cluster-canary/missing-since';

/** Owner of the fields that a set writes. */
export const fieldManager = 'cluster-canary-clusterset';

/** Keys that others keep on cluster Secrets, or the set itself: a template may not set them. */
export const reservedKeys: readonly string[] = [
  secretTypeLabel,
  ownerKey,
  arnKey,
  missingSinceKey,
  'cluster-canary/traffic',
  'cluster-canary/active',
];

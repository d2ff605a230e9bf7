import type { Rule } from '../rule';
import { apiRules } from './apis';
import { certificateRules } from './certificates';
import { gitopsRules } from './gitops';
import { loadBalancerRules } from './load-balancer';
import { manifestRules } from './manifests';
import { retryRules } from './retries';
import { webhookRules } from './webhooks';

/** The rules of the library by what they are about, each group in the order of its ids. */
export const ruleGroups = {
  /** Webhooks, and what they do to a cluster. */
  webhooks: webhookRules,
  /** Certificates of servers that API servers call, and who trusts them. */
  certificates: certificateRules,
  /** Settings of Argo CD. */
  gitops: gitopsRules,
  /** Retries of Argo Workflows. */
  retries: retryRules,
  /** The AWS Load Balancer Controller. */
  'load-balancer': loadBalancerRules,
  /** APIs of Kubernetes that are removed or deprecated. */
  apis: apiRules,
  /** Manifests as they are written. */
  manifests: manifestRules,
} as const;

/** Every rule of the library. */
export const allRules: readonly Rule[] = Object.values(ruleGroups).flat();

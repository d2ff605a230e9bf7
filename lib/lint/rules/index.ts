import type { Rule } from '../rule';
import { certificateRules } from './certificates';
import { gitopsRules } from './gitops';
import { loadBalancerRules } from './load-balancer';
import { manifestRules } from './manifests';
import { retryRules } from './retries';
import { webhookRules } from './webhooks';

/** Every rule of the library. */
export const allRules: readonly Rule[] = [
  ...webhookRules,
  ...certificateRules,
  ...gitopsRules,
  ...retryRules,
  ...loadBalancerRules,
  ...manifestRules,
];

import type { MessagePattern } from '../message-pattern';
import { apiServerPatterns } from './api-server-patterns';
import { argoCdPatterns } from './argo-cd-patterns';
import { brokenConnectionPatterns, comparisonPatterns, connectionPatterns } from './connection-patterns';
import { healthPatterns } from './health-patterns';
import { generationPatterns, manifestPatterns } from './manifest-patterns';
import { webhookPatterns } from './webhook-patterns';

/**
 * Every pattern; the first one that fits counts. A webhook comes first, since its message quotes what others say; what is
 * exact comes before what says only that something failed.
 */
export const messagePatterns: readonly MessagePattern[] = [
  ...webhookPatterns,
  ...argoCdPatterns,
  ...connectionPatterns.filter(({ cause }) => cause.startsWith('cluster-') || cause === 'github-app-refused'),
  ...manifestPatterns,
  ...connectionPatterns,
  ...comparisonPatterns,
  ...generationPatterns,
  ...apiServerPatterns,
  ...healthPatterns,
  ...brokenConnectionPatterns,
];

import { apiServerPatterns } from './api-server';
import { argoCdPatterns } from './argo-cd';
import { brokenConnectionPatterns, comparisonPatterns, connectionPatterns } from './connections';
import { generationPatterns, healthPatterns, manifestPatterns } from './manifests';
import type { MessagePattern } from './pattern';
import { webhookPatterns } from './webhooks';

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

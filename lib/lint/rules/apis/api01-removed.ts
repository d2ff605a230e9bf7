import { whyOfApis } from '../../../core/readiness';
import type { Rule } from '../../rule';
import { verdicts } from './shared/verdicts';

/** @see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ */
export const api01: Rule = {
  id: 'API01',
  severity: 'error',
  title: 'API that Kubernetes does not serve any more',
  why: whyOfApis.API01,
  fix: 'use the version that replaces it: its fields may differ',
  scope: 'object',
  check: (context) => verdicts('API01', context),
};

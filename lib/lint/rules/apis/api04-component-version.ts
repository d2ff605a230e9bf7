import { whyOfApis } from '../../../core/readiness';
import type { Rule } from '../../rule';
import { verdicts } from './shared/verdicts';

/** @see https://cert-manager.io/docs/releases/upgrading/remove-deprecated-apis/ */
export const api04: Rule = {
  id: 'API04',
  severity: 'warning',
  title: 'API that newer releases of its project do not serve',
  why: whyOfApis.API04,
  fix: 'use the version that replaces it: its fields may differ',
  scope: 'object',
  check: (context) => verdicts('API04', context),
};

import { whyOfApis } from '../../../core/readiness';
import type { Rule } from '../../rule';
import { verdicts } from './shared/verdicts';

/** @see https://kubernetes.io/docs/reference/using-api/deprecation-policy/ */
export const api02: Rule = {
  id: 'API02',
  severity: 'warning',
  title: 'Deprecated API of Kubernetes',
  why: whyOfApis.API02,
  fix: 'use the version that replaces it: its fields may differ',
  otherwise: 'info where no release is known that removes it',
  scope: 'object',
  check: (context) => verdicts('API02', context),
};

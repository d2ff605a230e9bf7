import type { Rule } from '../../rule';
import { wh01 } from './wh01-catch-all';
import { wh02 } from './wh02-cluster-lifelines';
import { wh03 } from './wh03-system-namespaces';
import { wh04 } from './wh04-own-pods';
import { wh05 } from './wh05-cycle';
import { wh06 } from './wh06-pods-without-opt-in';
import { wh07 } from './wh07-failure-policy';
import { wh08 } from './wh08-avoidable-security';
import { wh09 } from './wh09-timeout';
import { wh10 } from './wh10-match-conditions';
import { wh11 } from './wh11-review-settings';
import { wh12 } from './wh12-server';
import { wh13 } from './wh13-policy-instead';
import { wh14 } from './wh14-workloads-without-opt-in';

/** In the order of their ids. */
export const webhookRules: readonly Rule[] = [
  wh01,
  wh02,
  wh03,
  wh04,
  wh05,
  wh06,
  wh07,
  wh08,
  wh09,
  wh10,
  wh11,
  wh12,
  wh13,
  wh14,
];

import type { Rule } from '../../rule';
import { albc01 } from './albc01-new-ca-each-render';
import { albc02 } from './albc02-wide-selectors';
import { albc03 } from './albc03-every-service';

/** In the order of their ids. */
export const loadBalancerRules: readonly Rule[] = [albc01, albc02, albc03];

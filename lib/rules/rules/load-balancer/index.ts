import type { Rule } from '../../rule';
import { albc01 } from './albc01';
import { albc02 } from './albc02';
import { albc03 } from './albc03';

/** In the order of their ids. */
export const loadBalancerRules: readonly Rule[] = [albc01, albc02, albc03];

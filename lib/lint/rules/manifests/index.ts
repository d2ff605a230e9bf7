import type { Rule } from '../../rule';
import { yaml01 } from './yaml01-repeated-key';

/** In the order of their ids. */
export const manifestRules: readonly Rule[] = [yaml01];

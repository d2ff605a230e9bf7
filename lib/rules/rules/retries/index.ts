import type { Rule } from '../../rule';
import { rt01 } from './rt01';
import { rt02 } from './rt02';
import { rt03 } from './rt03';
import { rt04 } from './rt04';

/** In the order of their ids. */
export const retryRules: readonly Rule[] = [rt01, rt02, rt03, rt04];

import type { Rule } from '../../rule';
import { rt01 } from './rt01-policy';
import { rt02 } from './rt02-no-limit';
import { rt03 } from './rt03-too-short';
import { rt04 } from './rt04-max-duration';

/** In the order of their ids. */
export const retryRules: readonly Rule[] = [rt01, rt02, rt03, rt04];

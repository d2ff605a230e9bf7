import type { Rule } from '../../rule';
import { git01 } from './git01-ignored-differences';
import { git02 } from './git02-sync-removes-ca';
import { git03 } from './git03-templates';

/** In the order of their ids. */
export const gitopsRules: readonly Rule[] = [git01, git02, git03];

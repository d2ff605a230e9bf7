import type { Rule } from '../../rule';
import { api01 } from './api01-removed';
import { api02 } from './api02-deprecated';
import { api03 } from './api03-custom-resource-version';
import { api04 } from './api04-component-version';

/** In the order of their ids. */
export const apiRules: readonly Rule[] = [api01, api02, api03, api04];

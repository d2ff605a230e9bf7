import type { OptionsOf } from '../problems';
import type { LabelSelector } from './label-selector';
import { labelSelectorKeys } from './label-selector';

/** What every generator can do. */
export interface AnyGenerator {
  /**
   * Drops sets of parameters after they were made, by their values; keys are names of parameters, those of
   * nested ones joined by dots.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Post-Selector/
   * @default - none is dropped
   */
  readonly postSelector?: LabelSelector;
}

export const anyGeneratorKeys: OptionsOf<AnyGenerator> = { postSelector: labelSelectorKeys };

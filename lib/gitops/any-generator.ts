import type { OptionsOf } from '../problems';
import type { GeneratorTemplate } from './application-template';
import { generatorTemplateKeys } from './application-template';
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
  /**
   * What the Applications of this generator have otherwise than the set's template says. Not for generators in a matrix or
   * merge, whose templates Argo CD leaves out.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Template/#generator-templates
   * @default - the set's template as it is
   */
  readonly template?: GeneratorTemplate;
}

export const anyGeneratorKeys: OptionsOf<AnyGenerator> = {
  postSelector: labelSelectorKeys,
  template: generatorTemplateKeys,
};

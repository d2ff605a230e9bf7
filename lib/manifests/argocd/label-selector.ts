import type { FieldChecks } from '../../core/validation/fields';
import { labelKey, labelValue, oneOf } from '../../core/validation/formats';
import { listOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import type { Rule } from '../../core/validation/problems';

/**
 * Selects by labels; everything that is asked must hold.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export interface LabelSelector {
  /** Labels with the values that they must have. @default - none */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Set-based requirements. @default - none */
  readonly matchExpressions?: readonly LabelRequirement[];
}

/** One set-based requirement of a selector. */
export interface LabelRequirement {
  /** Key of the label. */
  readonly key: string;
  /** How the label's value is judged. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values for `In` and `NotIn`, at least one; the other operators take none. @default - none */
  readonly values?: readonly string[];
}

/** Keys of `LabelRequirement`. */
export const labelRequirementKeys: OptionsOf<LabelRequirement> = {
  key: 'plain',
  operator: 'plain',
  values: 'list',
};

export const labelSelectorKeys: OptionsOf<LabelSelector> = {
  matchLabels: 'plain',
  matchExpressions: listOf(labelRequirementKeys),
};

/** Checks a selector, by default as one of an object's labels. */
export function checkLabelSelector(
  checks: FieldChecks,
  path: string,
  selector: LabelSelector,
  keyRule: Rule = labelKey,
  valueRule: Rule = labelValue,
): void {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    checks.required(`${path}.matchLabels`, key, keyRule);
    checks.required(`${path}.matchLabels.${key}`, value, valueRule);
  }
  selector.matchExpressions?.forEach(({ key, operator, values = [] }, position) => {
    const at = `${path}.matchExpressions[${position}]`;
    checks.required(`${at}.key`, key, keyRule);
    checks.required(`${at}.operator`, operator, oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'));
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0) {
        checks.problems.add(`${at}.values`, values, `at least one value: the operator is "${operator}"`);
      }
      checks.each(`${at}.values`, values, valueRule);
    } else if (values.length > 0) {
      checks.problems.add(`${at}.values`, values, `left out: the operator is "${operator}"`);
    }
  });
}

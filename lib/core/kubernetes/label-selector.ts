import type { FieldChecks } from '../validation/fields';
import { labelKey, labelValue, oneOf } from '../validation/formats';
import { listOf } from '../validation/option-keys';
import type { OptionsOf } from '../validation/option-keys';
import type { Format } from '../validation/problems';

/** Labels of an object or a namespace. */
export type Labels = Readonly<Record<string, string>>;

/** One requirement of a label selector. */
export interface LabelSelectorRequirement {
  /** The label's key. */
  readonly key: string;
  /** How the label's value relates to `values`. `NotIn` also holds where the label is absent. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /**
   * The values of `In` and `NotIn`: at least one.
   * @default - none, as `Exists` and `DoesNotExist` require
   */
  readonly values?: readonly string[];
}

export const labelSelectorRequirementKeys: OptionsOf<LabelSelectorRequirement> = {
  key: 'plain',
  operator: 'plain',
  values: 'list',
};

/**
 * A Kubernetes label selector: everything in it must hold.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export interface LabelSelector {
  /** Labels that must be there with exactly these values. @default - none */
  readonly matchLabels?: Labels;
  /** Further requirements. @default - none */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export const labelSelectorKeys: OptionsOf<LabelSelector> = {
  matchLabels: 'plain',
  matchExpressions: listOf(labelSelectorRequirementKeys),
};

/**
 * Whether a webhook's selector selects something with these labels. An empty selector selects everything, and so
 * does none at all: the API server turns an absent selector of a webhook into an empty one.
 */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((requirement) => holds(requirement, labelOf(labels, requirement.key)))
  );
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function holds({ operator, values = [] }: LabelSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/** Checks a selector, by default as one of an object's labels. */
export function checkLabelSelector(
  checks: FieldChecks,
  path: string,
  selector: LabelSelector,
  keyRule: Format = labelKey,
  valueRule: Format = labelValue,
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

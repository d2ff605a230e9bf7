import type { Problems, Rule } from '../problems';
import { labelKey, labelValue } from '../problems';
import { hasMarker } from '../tokens';

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

/** A label value, or text with an output of a deployment in it. */
const labelValueOrOutput: Rule = {
  allowed: labelValue.allowed,
  accepts: (value) => labelValue.accepts(value) || (typeof value === 'string' && hasMarker(value)),
};

/** Adds what the API server would refuse in labels. */
export function checkLabels(problems: Problems, path: string, labels: Labels): void {
  for (const [key, value] of Object.entries(labels)) {
    problems.check(`${path} (key)`, key, labelKey);
    problems.check(`${path}["${key}"]`, value, labelValueOrOutput);
  }
}

/** Adds what the API server would refuse in a label selector. */
export function checkLabelSelector(problems: Problems, path: string, selector: LabelSelector): void {
  checkLabels(problems, `${path}.matchLabels`, selector.matchLabels ?? {});
  (selector.matchExpressions ?? []).forEach(({ key, operator, values = [] }, position) => {
    const at = `${path}.matchExpressions[${position}]`;
    problems.check(`${at}.key`, key, labelKey);
    values.forEach((value, each) => problems.check(`${at}.values[${each}]`, value, labelValueOrOutput));
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0) {
          problems.add(`${at}.values`, values, `at least one value, as ${operator} requires`);
        }
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0) {
          problems.add(`${at}.values`, values, `left out, as ${operator} requires`);
        }
        break;
      default:
        problems.add(`${at}.operator`, operator, 'one of "In", "NotIn", "Exists", "DoesNotExist"');
    }
  });
}

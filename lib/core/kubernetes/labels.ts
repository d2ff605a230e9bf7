import { hasMarker } from '../tokens';
import { labelKey, labelValue } from '../validation/formats';
import type { Problems, Rule } from '../validation/problems';
import type { LabelSelector, Labels } from './label-selector';

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

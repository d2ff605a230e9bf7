import { isMapping } from './mapping';
import type { Problems } from './problems';
import { labelKey, labelValue } from './rules';

/** Adds what Kubernetes would refuse in labels. */
export function checkLabels(
  problems: Problems,
  path: string,
  labels: Readonly<Record<string, string>> = {},
): void {
  if (!isMapping(labels)) {
    problems.add(path, labels, 'an object of labels: { env: "production" }');
    return;
  }
  for (const [key, value] of Object.entries(labels)) {
    problems.check(path, key, labelKey);
    problems.check(`${path}.${key}`, value, labelValue);
  }
}

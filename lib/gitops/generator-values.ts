import { labelKey } from '../problems';
import { anyText } from './argo-rules';
import type { FieldChecks } from './field-checks';

/** Checks the further parameters of a generator. */
export function checkValues(
  checks: FieldChecks,
  path: string,
  values: Readonly<Record<string, string>> | undefined,
): void {
  for (const [key, value] of Object.entries(values ?? {})) {
    checks.required(path, key, labelKey);
    checks.required(`${path}.${key}`, value, anyText);
  }
}

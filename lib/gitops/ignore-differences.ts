import type { OptionsOf } from '../problems';
import { someText } from '../problems';
import { jsonPointer } from './argo-rules';
import type { FieldChecks } from './field-checks';

/**
 * Fields of some objects that may differ from the source, because something in the cluster sets them. At least
 * one of the three lists says which fields.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/
 */
export interface IgnoredDifference {
  /** API group of the objects. @default - the core group */
  readonly group?: string;
  /** Kind of the objects. */
  readonly kind: string;
  /** Name of the object. @default - all of the kind */
  readonly name?: string;
  /** Namespace of the object. @default - any */
  readonly namespace?: string;
  /** Fields as JSON pointers. @default - none */
  readonly jsonPointers?: readonly string[];
  /** Fields as jq paths. @default - none */
  readonly jqPathExpressions?: readonly string[];
  /** Field managers whose fields count. @default - none */
  readonly managedFieldsManagers?: readonly string[];
}

export const ignoredDifferenceKeys: OptionsOf<IgnoredDifference> = {
  group: 'plain',
  kind: 'plain',
  name: 'plain',
  namespace: 'plain',
  jsonPointers: 'list',
  jqPathExpressions: 'list',
  managedFieldsManagers: 'list',
};

/** Checks what may differ. */
export function checkIgnoredDifferences(
  checks: FieldChecks,
  path: string,
  differences: readonly IgnoredDifference[],
): void {
  differences.forEach((difference, position) => {
    const at = `${path}[${position}]`;
    checks.required(`${at}.kind`, difference.kind, someText);
    const { jsonPointers = [], jqPathExpressions = [], managedFieldsManagers = [] } = difference;
    if (jsonPointers.length + jqPathExpressions.length + managedFieldsManagers.length === 0) {
      checks.problems.add(
        at,
        difference,
        'at least one of "jsonPointers", "jqPathExpressions", "managedFieldsManagers"',
      );
    }
    checks.each(`${at}.jsonPointers`, jsonPointers, jsonPointer);
    checks.each(`${at}.jqPathExpressions`, jqPathExpressions, someText);
    checks.each(`${at}.managedFieldsManagers`, managedFieldsManagers, someText);
  });
}

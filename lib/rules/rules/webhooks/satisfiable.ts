import type { LabelSelector } from '../../../admission';

/** What selectors ask of one label. */
interface Asked {
  /** It must have one of these values. @default - any, or none at all */
  readonly values?: readonly string[];
  readonly without: readonly string[];
  readonly present: boolean;
  readonly absent: boolean;
}

/** Whether there can be an object that all of these selectors select. */
export function canAllSelect(selectors: readonly (LabelSelector | undefined)[]): boolean {
  const asked = new Map<string, Asked>();
  const ask = (key: string, change: (before: Asked) => Asked): unknown =>
    asked.set(key, change(asked.get(key) ?? { without: [], present: false, absent: false }));
  for (const { matchLabels = {}, matchExpressions = [] } of selectors.flatMap((each) => each ?? [])) {
    for (const [key, value] of Object.entries(matchLabels)) {
      ask(key, (before) => ({ ...before, values: among(before.values, [value]) }));
    }
    for (const { key, operator, values = [] } of matchExpressions) {
      switch (operator) {
        case 'In':
          ask(key, (before) => ({ ...before, values: among(before.values, values) }));
          break;
        case 'NotIn':
          ask(key, (before) => ({ ...before, without: [...before.without, ...values] }));
          break;
        case 'Exists':
          ask(key, (before) => ({ ...before, present: true }));
          break;
        case 'DoesNotExist':
          ask(key, (before) => ({ ...before, absent: true }));
          break;
      }
    }
  }
  return [...asked.values()].every(isPossible);
}

function among(before: readonly string[] | undefined, values: readonly string[]): readonly string[] {
  return before ? before.filter((each) => values.includes(each)) : values;
}

function isPossible({ values, without, present, absent }: Asked): boolean {
  return absent
    ? !present && values === undefined
    : values === undefined || values.some((each) => !without.includes(each));
}

/**
 * How deep the values of an object may nest: Kubernetes' own nest less deep, and what is much deeper is made to break
 * readers.
 */
export const deepestNesting = 500;

/** Whether values nest deeper than that. Level by level, since a walk that calls itself would break as well. */
export function nestsTooDeep(value: unknown): boolean {
  let level = containersAmong([value]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepestNesting) {
      return true;
    }
    level = level.flatMap((each) => containersAmong(Object.values(each)));
  }
  return false;
}

function containersAmong(values: readonly unknown[]): object[] {
  return values.filter((each): each is object => typeof each === 'object' && each !== null);
}

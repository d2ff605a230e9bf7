import { isAbsolute } from 'node:path';
import type { Objections } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';

/** Refuses a swap that can't run in the pod. */
export function refuseOutsidePod(swap: unknown, { mustBe }: Objections): void {
  if (hasMergeKey(swap)) {
    mustBe(['swap'], 'without merge keys: parse it with { merge: true }');
  }
  relativePaths(swap).forEach((steps) => mustBe(['swap', ...steps], 'an absolute path of the pod'));
}

/**
 * Places in a swap with a path that does not lead from the root. The file is alone in its folder in the pod, so that such a path leads
 * nowhere; a program of Pulumi without a folder is looked for there, too.
 */
function relativePaths(swap: unknown): readonly (readonly (string | number)[])[] {
  return holdersOf(swap).flatMap(([at, { program, phases }]) => {
    const stack = isPlainObject(program) ? program.pulumi : undefined;
    const [ready, shift] = isPlainObject(phases) ? [phases.ready, phases.shift] : [];
    const manifests = isPlainObject(ready) && Array.isArray(ready.manifests) ? ready.manifests : [];
    const paths: readonly (readonly [readonly (string | number)[], unknown])[] = [
      ...(isPlainObject(stack) ? [[['program', 'pulumi', 'folder'], stack.folder ?? ''] as const] : []),
      ...manifests.map((path: unknown, index) => [['phases', 'ready', 'manifests', index], path] as const),
      ...(isPlainObject(shift) ? [[['phases', 'shift', 'plan'], shift.plan] as const] : []),
    ];
    return paths
      .filter(([, path]) => typeof path === 'string' && !isAbsolute(path))
      .map(([steps]) => [...at, ...steps]);
  });
}

/** What has a program and phases: the swap itself, and each of its fleets. */
function holdersOf(swap: unknown): readonly (readonly [readonly string[], Record<string, unknown>])[] {
  if (!isPlainObject(swap)) {
    return [];
  }
  const { fleets } = swap;
  const own = Object.entries(isPlainObject(fleets) ? fleets : {}).flatMap(([name, each]) =>
    isPlainObject(each) ? [[['fleets', name], each] as const] : [],
  );
  return [[[], swap], ...own];
}

/** Whether something has a key `<<`, as a parser leaves it that does not merge: the construct has to know what it brings. */
function hasMergeKey(value: unknown, levels = 10): boolean {
  return (
    levels > 0 &&
    isPlainObject(value) &&
    Object.entries(value).some(([key, each]) => key === '<<' || hasMergeKey(each, levels - 1))
  );
}

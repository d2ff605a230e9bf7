import { isAbsolute } from 'node:path';
import type { Objections } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';
import { pathText } from '../../../core/validation/schema';
import type { PathSteps } from '../../../core/validation/schema';
import { requireSecrets } from '../shift-workflow/secret-sources';
import type { PodSecrets } from '../shift-workflow/secret-sources';

/** Refuses a swap that can't run in a pod that gets these. */
export function refuseOutsidePod(swap: unknown, pod: PodSecrets, rules: Objections): void {
  if (hasMergeKey(swap)) {
    rules.mustBe(['swap'], 'without merge keys: parse it with { merge: true }');
  }
  for (const [steps, path] of relativePaths(swap)) {
    const at = ['swap', ...steps];
    const allowed = 'an absolute path of the pod';
    if (path === undefined) {
      rules.add({ steps: at, path: pathText(at), kind: 'required', allowed });
    } else {
      rules.mustBe(at, allowed);
    }
  }
  // Settings of slots are the user's own: `{ env: production }` there is no secret.
  const ours = holdersOf(swap).flatMap(([at, { program, phases }]) => [
    { at: ['swap', ...at, 'program', 'git'], value: isPlainObject(program) ? program.git : undefined },
    { at: ['swap', ...at, 'phases'], value: phases },
  ]);
  requireSecrets(ours, pod, rules);
}

/**
 * Places in a swap with a path that does not lead from the root. The file is alone in its folder in the pod, so that such a path leads
 * nowhere; a program of Pulumi without a folder is looked for there, too.
 */
function relativePaths(swap: unknown): readonly (readonly [steps: PathSteps, path: unknown])[] {
  return holdersOf(swap).flatMap(([at, { program, phases }]) => {
    const stack = isPlainObject(program) ? program.pulumi : undefined;
    const [ready, shift] = isPlainObject(phases) ? [phases.ready, phases.shift] : [];
    const manifests = isPlainObject(ready) && Array.isArray(ready.manifests) ? ready.manifests : [];
    const paths: readonly (readonly [PathSteps, unknown])[] = [
      ...(isPlainObject(stack) ? [[['program', 'pulumi', 'folder'], stack.folder] as const] : []),
      ...manifests.map((path: unknown, index) => [['phases', 'ready', 'manifests', index], path] as const),
      ...(isPlainObject(shift) && shift.plan !== undefined
        ? [[['phases', 'shift', 'plan'], shift.plan] as const]
        : []),
    ];
    return paths
      .filter(([, path]) => path === undefined || (typeof path === 'string' && !isAbsolute(path)))
      .map(([steps, path]) => [[...at, ...steps], path] as const);
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

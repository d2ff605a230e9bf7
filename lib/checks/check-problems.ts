import type { Problem } from '../problems';
import { Problems, isMapping } from '../problems';
import type { ShiftSubject } from '../shift';
import { checkKind, checkKinds } from './registry';

/**
 * Everything that is wrong with a plan's checks, with paths such as `checks[2].cloudWatch.errorShare.max`.
 *
 * @param checks as they were read: nothing is known of them
 * @param isOpen which check holds a value that is not known yet, so that it can not be judged now
 */
export function checkProblems(
  checks: unknown,
  subject: ShiftSubject,
  isOpen: (settings: unknown) => boolean = () => false,
): readonly Problem[] {
  const problems = new Problems('checks');
  if (!Array.isArray(checks)) {
    problems.add('checks', checks, 'a list');
    return problems.all;
  }
  const names = new Set<string>();
  checks.forEach((settings: unknown, index) => {
    if (isOpen(settings)) {
      return;
    }
    const path = `checks[${index}]`;
    const one = readSettings(settings);
    if (!one) {
      // What stands behind the keys may be a kubeconfig.
      const shown = isMapping(settings) ? Object.keys(settings) : settings;
      problems.add(path, shown, 'an object with exactly one key, the kind of the check');
      return;
    }
    const found = checkKind(one.kind);
    if (!found) {
      problems.add(`${path}.${one.kind}`, one.kind, `one of ${Object.keys(checkKinds).join(', ')}`);
      return;
    }
    if (!one.args) {
      problems.addSecret(`${path}.${one.kind}`, 'an object');
      return;
    }
    addAll(problems, found.problems(one.args, subject), `${path}.${one.kind}`);
    const { name } = one.args;
    if (typeof name === 'string' && names.has(name)) {
      problems.add(`${path}.${one.kind}.name`, name, 'another name: a check before it has this one');
    } else if (typeof name === 'string') {
      names.add(name);
    }
  });
  return problems.all;
}

/** A problem without a path is one of the check itself. */
function addAll(problems: Problems, found: readonly Problem[], path: string): void {
  problems.addAll(
    found.map((problem) => ({ ...problem, path: problem.path ? `${path}.${problem.path}` : path })),
  );
}

/** The kind and its settings; `- targetHealth:` of a YAML file has none. */
export function readSettings(
  settings: unknown,
): { kind: string; args: Readonly<Record<string, unknown>> | undefined } | undefined {
  if (!isMapping(settings)) {
    return undefined;
  }
  const [entry, ...others] = Object.entries(settings);
  if (entry === undefined || others.length > 0) {
    return undefined;
  }
  const [kind, given] = entry;
  const args = given ?? {};
  return { kind, args: isMapping(args) ? args : undefined };
}

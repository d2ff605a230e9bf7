import { InvalidInput, Problems } from '../problems';
import type { Check, ShiftSubject } from '../shift';
import type { CheckContext } from './check-context';
import type { IamStatement } from './iam-statement';
import { checkProblems, readSettings } from './check-problems';
import type { CheckSettings } from './check-settings';
import type { KubernetesRight } from './kubernetes-source';
import { checkKind } from './registry';

interface NamedSettings {
  readonly name: string;
  readonly kind: NonNullable<ReturnType<typeof checkKind>>;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Makes the checks of a plan. Nobody is asked yet.
 *
 * @throws InvalidInput with everything that is wrong, also where a check needs an ARN or a name that is not known
 */
export function createChecks(checks: readonly CheckSettings[], context: CheckContext): readonly Check[] {
  const problems = new Problems('checks');
  problems.addAll(checkProblems(checks, context.subject));
  problems.throwIfAny();
  const made = named(checks).flatMap(({ name, kind, args }) => {
    try {
      return kind.create(name, args, context);
    } catch (error) {
      if (!(error instanceof InvalidInput)) {
        throw error;
      }
      problems.addAll(error.problems, name);
      return [];
    }
  });
  problems.throwIfAny();
  return made;
}

/** Rights at AWS that the checks need, each once. */
export function checkRights(
  checks: readonly CheckSettings[],
  subject: ShiftSubject,
): readonly IamStatement[] {
  return distinct(named(checks).flatMap(({ kind, args }) => kind.rights(args, subject)));
}

/** Rights on API servers of Kubernetes that the checks need, each once. */
export function checkAccess(
  checks: readonly CheckSettings[],
  subject: ShiftSubject,
): readonly KubernetesRight[] {
  return distinct(named(checks).flatMap(({ kind, args }) => kind.access?.(args, subject) ?? []));
}

/** A check has the name that it was given, or that of its kind; the second of a kind is `targetHealth 2`. */
function named(checks: readonly CheckSettings[]): readonly NamedSettings[] {
  const read = checks.flatMap((settings) => {
    const { kind = '', args = {} } = readSettings(settings) ?? {};
    const found = checkKind(kind);
    return found ? [{ word: kind, kind: found, args }] : [];
  });
  const taken = new Set(read.flatMap(({ args }) => (typeof args.name === 'string' ? [args.name] : [])));
  return read.map(({ word, kind, args }) => {
    const name = typeof args.name === 'string' ? args.name : free(word, taken);
    taken.add(name);
    return { name, kind, args };
  });
}

function free(word: string, taken: ReadonlySet<string>): string {
  let name = word;
  for (let number = 2; taken.has(name); number += 1) {
    name = `${word} ${number}`;
  }
  return name;
}

function distinct<Right>(rights: readonly Right[]): readonly Right[] {
  return [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
}

import type { CheckSettings } from '../checks';
import { checkContext, checkKinds, checkProblems, createChecks } from '../checks';
import type { Problem, Untyped } from '../problems';
import { InvalidInput, isMapping, nearKey } from '../problems';
import type { ShiftSubject } from '../shift';
import type { RouteSettings } from './route-settings';
import { roughSubject, subjectOf } from './route-subject';

/** Everything that is wrong with the checks of a plan, whatever its routes lack. */
export function planCheckProblems(checks: unknown, routes: readonly Untyped[]): readonly Problem[] {
  const subjects: readonly ShiftSubject[] = routes.map(roughSubject);
  return distinct([
    ...subjects.flatMap((subject) => checkProblems(checks, subject).map(withNearKind)),
    ...kubeconfigProblems(checks),
  ]);
}

/** A plan is written to files, and a kubeconfig may hold credentials: a plan names one by its path. */
export function kubeconfigProblems(checks: unknown): readonly Problem[] {
  return (Array.isArray(checks) ? (checks as readonly unknown[]) : []).flatMap((check, index) =>
    Object.entries(isMapping(check) ? check : {}).flatMap(([kind, args]) =>
      ['kubeconfigText', 'kubeconfigTexts']
        .filter((key) => isMapping(args) && args[key] !== undefined)
        .map((key) => ({
          path: `checks[${index}].${kind}.${key}`,
          allowed:
            'left out: a plan holds no kubeconfig, which may have credentials. kubeconfig takes the path of one',
        })),
    ),
  );
}

/**
 * What checks need of routes that are sound, and do not find there: an ARN, the name of a cluster. A simulated router may
 * lack it, since simulated checks need nothing.
 */
export function missingForChecks({ shift }: Untyped, routes: readonly RouteSettings[]): readonly Problem[] {
  const checks = (isMapping(shift) ? (shift.checks ?? []) : []) as readonly CheckSettings[];
  const real = routes.filter(({ router }) => !('simulated' in router));
  const found = real.flatMap((route) => {
    const context = checkContext(subjectOf(route));
    return checks.flatMap((check, index): readonly Problem[] => {
      try {
        createChecks([check], context);
        return [];
      } catch (error) {
        if (!(error instanceof InvalidInput)) {
          throw error;
        }
        const path = `checks[${index}].${Object.keys(check)[0]!}`;
        return error.problems.map(({ allowed }) => ({ path, allowed }));
      }
    });
  });
  return distinct(found);
}

function withNearKind(problem: Problem): Problem {
  const kind = /^checks\[\d+\]\.(.*)$/.exec(problem.path)?.[1] ?? '';
  const near = problem.value === kind ? nearKinds(kind) : [];
  return near.length === 0
    ? problem
    : { ...problem, allowed: `${problem.allowed} (is ${near.map((one) => `"${one}"`).join(' or ')} meant?)` };
}

/** Kinds that a word may stand for: those that end with it, as all sources of `errorShare`, or the nearest one. */
function nearKinds(word: string): readonly string[] {
  const kinds = Object.keys(checkKinds);
  if (kinds.includes(word)) {
    return [];
  }
  const longer = kinds.filter((kind) => kind.endsWith(`.${word}`));
  const near = nearKey(word, kinds);
  return longer.length > 0 || near === undefined ? longer : [near];
}

/** What a check lacks, it lacks on every route; said once, it is clear enough. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.allowed}`, problem])).values()];
}

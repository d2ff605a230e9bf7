import type { Problem } from '../problems';

/** To find the place of each takes a walk over the file, and nobody reads more. */
const most = 100;

/** The first problems of a file, as many as are told with their places. */
export function firstProblems<One extends Problem>(problems: readonly One[]): readonly One[] {
  return problems.slice(0, most);
}

/** Says how many problems were left out. */
export function moreProblems(file: string, problems: readonly Problem[]): readonly Problem[] {
  const left = problems.length - most;
  return left > 0
    ? [{ path: file, allowed: `without ${left} more problems, which are told after these` }]
    : [];
}

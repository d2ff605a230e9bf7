import { checkLength, firstProblems, locatedDocument, moreProblems } from '../../core/validation/document';
import type { TextPosition } from '../../core/validation/document';
import { InvalidInput, readText } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { RouteSettings } from '../routers';
import type { CheckedPlanFile, PlanSettings, SinglePlanSettings, WavesPlanSettings } from './plan';
import { planProblems } from './problems';

/**
 * Reads a plan from a file.
 *
 * @throws InvalidInput with every problem of the file, each with its line and column; where it can't be read
 */
export function readPlan(file: string): CheckedPlanFile {
  return parsePlan(readText(file, 'a plan, in YAML or JSON'), file);
}

/**
 * Reads a plan from YAML or JSON.
 *
 * @param file name of the file, for messages
 * @throws InvalidInput with every problem: `plan.yaml:3:5 weights.green: 101: must be a whole percent from 0 to 100`
 */
export function parsePlan(text: string, file: string): CheckedPlanFile {
  checkLength(text, file);
  const document = locatedDocument(text);
  if (document.problems.length > 0) {
    throw new InvalidInput(
      file,
      document.problems.map((problem) => ({ ...problem, path: `${file}:${problem.path}` })),
    );
  }
  const problems = planProblems(document.value);
  const located = firstProblems(problems).map((problem): Problem & { readonly at: TextPosition } => {
    const { line, column } = document.placeOf(problem.path);
    const place = `${file}:${line}:${column}`;
    return {
      ...problem,
      path: problem.path === '' ? place : `${place} ${problem.path}`,
      at: { line, column },
    };
  });
  if (located.length > 0) {
    const sorted = located.sort(
      ({ at: one }, { at: other }) => one.line - other.line || one.column - other.column,
    );
    throw new InvalidInput(file, [
      ...sorted.map(({ at: _at, ...problem }) => problem),
      ...moreProblems(file, problems),
    ]);
  }
  return planOf(document.value as PlanSettings, file);
}

/** The one form of both kinds of plan. */
function planOf(settings: PlanSettings, file: string): CheckedPlanFile {
  const routes = isSeveral(settings) ? settings.routes : { traffic: routeOf(settings) };
  const names = Object.keys(routes);
  const { checks = [], ...shift } = settings.shift ?? {};
  return {
    file,
    routes,
    waves: (isSeveral(settings) ? settings.waves : undefined) ?? names.map((name) => [name]),
    rollBack: (isSeveral(settings) ? settings.rollBack : undefined) ?? 'wave',
    slots: Object.keys(Object.values(routes)[0]!.slots),
    weights: settings.weights,
    shift,
    checks,
    ...(settings.lease === undefined ? {} : { lease: settings.lease }),
    ...(settings.labels === undefined ? {} : { labels: settings.labels }),
    ...(settings.syncWindow === undefined ? {} : { syncWindow: settings.syncWindow }),
  };
}

function isSeveral(settings: PlanSettings): settings is WavesPlanSettings {
  return 'routes' in settings;
}

function routeOf({ router, slots }: SinglePlanSettings): RouteSettings {
  return { router, slots };
}

import type { Problem, Rule } from '../problems';
import { isMapping, Problems } from '../problems';

export const mapping: Rule = { allowed: 'a mapping', accepts: isMapping };

const list: Rule = { allowed: 'a list', accepts: (value) => Array.isArray(value) };

/** What has not the form of a workflow, as far as retries are looked for in it; all else the API server judges. */
export function definitionProblems(definition: unknown, path: string): readonly Problem[] {
  const problems = new Problems('workflow');
  if (problems.check(path, definition, mapping)) {
    each(problems, `${path}.templates`, (definition as { templates?: unknown }).templates, checkTemplate);
  }
  return problems.all;
}

type Check = (problems: Problems, path: string, value: unknown) => void;

function checkTemplate(problems: Problems, path: string, template: unknown): void {
  if (!problems.check(path, template, mapping)) {
    return;
  }
  const { retry, steps, dag } = template as { retry?: unknown; steps?: unknown; dag?: unknown };
  if (retry !== undefined && retry !== false) {
    problems.check(`${path}.retry`, retry, { ...mapping, allowed: 'a retry strategy, or false' });
  }
  each(problems, `${path}.steps`, steps, (_, at, group) => each(problems, at, group, checkStep));
  if (dag !== undefined && problems.check(`${path}.dag`, dag, mapping)) {
    each(problems, `${path}.dag.tasks`, (dag as { tasks?: unknown }).tasks ?? null, checkStep);
  }
}

function checkStep(problems: Problems, path: string, step: unknown): void {
  if (problems.check(path, step, mapping)) {
    const { inline } = step as { inline?: unknown };
    if (inline !== undefined) {
      checkTemplate(problems, `${path}.inline`, inline);
    }
  }
}

function each(problems: Problems, path: string, values: unknown, check: Check): void {
  if (values !== undefined && problems.check(path, values, list)) {
    (values as readonly unknown[]).forEach((value, position) =>
      check(problems, `${path}[${position}]`, value),
    );
  }
}

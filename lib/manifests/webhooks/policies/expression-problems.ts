import { readCel } from '../../../core/admission/cel';
import { celRisks } from '../../../core/admission/match-conditions';
import { operationsOf } from '../../../core/admission/requests';
import { isPlainObject } from '../../../core/validation/problems';
import type { Problems } from '../../../core/validation/problems';
import { checkMatchConditions } from '../matching';
import type { PolicyProps, PolicyVariable } from './policy-props';

/** An item of a list as far as its fields are texts. */
export type TextItem = Readonly<Record<string, string | undefined>>;

/** Items of a list as far as their fields are texts: all else its schema refuses. */
export function textItems(items: unknown): readonly TextItem[] {
  return (Array.isArray(items) ? (items as readonly unknown[]) : []).map((item) =>
    isPlainObject(item)
      ? Object.fromEntries(
          Object.entries(item).flatMap(([key, each]) => (typeof each === 'string' ? [[key, each]] : [])),
        )
      : {},
  );
}

function namedExpressions(items: unknown): readonly PolicyVariable[] {
  return textItems(items).map(({ name = '', expression = '' }) => ({ name, expression }));
}

/** A CEL expression of a policy, and where it is. */
export interface PolicyExpression {
  readonly path: string;
  readonly expression: string;
  /** Whether it only makes a message: one that fails is passed over, and it has no `authorizer`. */
  readonly message?: boolean;
}

/**
 * Adds what the API server would refuse in the expressions of a policy, as far as it can be seen without compiling
 * them, and expressions that fail on objects which are in order. A guard counts where it is in the same
 * expression, in a variable or in a match condition: the API server evaluates the others apart.
 *
 * @param expressions those beside the match conditions and the variables
 */
export function checkExpressions(
  problems: Problems,
  sound: Partial<PolicyProps>,
  given: PolicyProps,
  expressions: readonly PolicyExpression[],
): void {
  const rules = sound.rules ?? [];
  const operations = operationsOf(rules);
  const [matchConditions, variables] = [
    namedExpressions(given.matchConditions),
    namedExpressions(given.variables),
  ];
  checkMatchConditions(problems, 'matchConditions', matchConditions, rules);
  matchConditions.forEach(({ expression }, position) => {
    const path = `matchConditions[${position}].expression`;
    const { roots } = readCel([expression]);
    if (roots.has('variables')) {
      problems.add(path, expression, 'without variables: match conditions are evaluated before them');
    }
    checkParamsUse(problems, path, expression, roots, given);
  });

  const names = variables.map(({ name }) => name);
  variables.forEach(({ name }, position) => {
    const path = `variables[${position}].name`;
    if (names.indexOf(name) < position) {
      problems.add(path, name, 'a name that no other variable has');
    }
  });

  const shared = [...matchConditions, ...variables].map(({ expression }) => expression);
  const check = ({ path, expression, message = false }: PolicyExpression, known: readonly string[]): void => {
    const { roots, accesses } = readCel([expression]);
    checkParamsUse(problems, path, expression, roots, given);
    if (message && roots.has('authorizer')) {
      problems.add(path, expression, 'without authorizer, which messages do not have');
    }
    for (const { base, key } of accesses) {
      if (base === 'variables' && !known.includes(key)) {
        problems.add(path, expression, `without variables.${key}, which is not defined before`);
      }
    }
    if (!message) {
      const guards = readCel([...shared, expression]);
      celRisks(expression, guards, operations).forEach(({ allowed }) =>
        problems.add(path, expression, allowed),
      );
    }
  };
  variables.forEach(({ expression }, position) =>
    check({ path: `variables[${position}].expression`, expression }, names.slice(0, position)),
  );
  expressions.forEach((each) => check(each, names));
}

function checkParamsUse(
  problems: Problems,
  path: string,
  expression: string,
  roots: ReadonlySet<string>,
  { paramKind }: PolicyProps,
): void {
  if (roots.has('params') && !paramKind) {
    problems.add(path, expression, 'without params, or else paramKind and paramRef given');
  }
}

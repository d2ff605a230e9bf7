import { intentPolicy } from '../../../core/admission/intent';
import { labelKey } from '../../../core/validation/formats';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { propsProblems } from '../../field-schemas';
import { checkIntent, checkNamespaces } from '../matching';
import { checkExpressions, textItems } from './expression-problems';
import type { PolicyExpression, TextItem } from './expression-problems';
import { mutatingPolicyProps, validatingPolicyProps } from './policy-props';
import type { MutatingPolicyProps, PolicyProps, ValidatingPolicyProps } from './policy-props';
import { policyName, policyNamespaces } from './policy-spec';

/** Everything that is wrong with the props of a validating policy, evaluated from the props alone. */
export function validatingPolicyProblems(props: ValidatingPolicyProps): readonly Problem[] {
  return problemsWith(validatingPolicyProps, props, (problems, sound) => {
    const validations = textItems(props.validations);
    const auditAnnotations = textItems(props.auditAnnotations);
    checkPolicy(problems, sound, props, [
      ...expressionsIn('validations', validations, 'expression'),
      ...expressionsIn('validations', validations, 'messageExpression').map((each) => ({
        ...each,
        message: true,
      })),
      ...expressionsIn('auditAnnotations', auditAnnotations, 'valueExpression'),
    ]);
    if ([props.validations, props.auditAnnotations].every((each) => (each ?? []).length === 0)) {
      problems.add('validations', props.validations, 'at least one, or an audit annotation');
    }
    checkAuditAnnotations(problems, props, auditAnnotations);
    checkActions(problems, sound);
  });
}

/** Everything that is wrong with the props of a mutating policy, evaluated from the props alone. */
export function mutatingPolicyProblems(props: MutatingPolicyProps): readonly Problem[] {
  return problemsWith(mutatingPolicyProps, props, (problems, sound) => {
    const mutations = textItems(props.mutations);
    checkPolicy(problems, sound, props, [
      ...expressionsIn('mutations', mutations, 'applyConfiguration'),
      ...expressionsIn('mutations', mutations, 'jsonPatch'),
    ]);
    sound.rules?.forEach(({ operations }, position) => {
      if (operations.includes('DELETE')) {
        problems.add(
          `rules[${position}].operations`,
          operations,
          'without DELETE: nothing is left to be changed',
        );
      }
    });
  });
}

/** What is wrong with props by themselves, and together; of items of a list that are wrong, all others are looked at. */
function problemsWith<T>(
  schema: Schema<T>,
  props: T,
  check: (problems: Problems, sound: Partial<T>) => void,
): readonly Problem[] {
  const problems = new Problems('policy');
  const found = propsProblems(schema, props, (sound) => {
    check(problems, sound);
    return [];
  });
  const told = found.map(({ path }) => path);
  return [...found, ...problems.all.filter(({ path }) => !told.includes(path))];
}

function expressionsIn(list: string, items: readonly TextItem[], field: string): readonly PolicyExpression[] {
  return items.flatMap((item, position) =>
    item[field] === undefined ? [] : [{ path: `${list}[${position}].${field}`, expression: item[field] }],
  );
}

function checkPolicy(
  problems: Problems,
  sound: Partial<PolicyProps>,
  given: PolicyProps,
  expressions: readonly PolicyExpression[],
): void {
  checkNamespaces(problems, sound, policyNamespaces(sound));
  if ((given.paramKind === undefined) !== (given.paramRef === undefined)) {
    if (given.paramKind) {
      problems.require('paramRef', 'together with paramKind: params would be null');
    } else {
      problems.require('paramKind', 'together with paramRef, which is ignored without it');
    }
  }
  checkExpressions(problems, sound, given, expressions);
  checkIntent(problems, { sound, given }, { called: 'policy', fails: 'an expression fails' });
}

function checkAuditAnnotations(
  problems: Problems,
  props: ValidatingPolicyProps,
  auditAnnotations: readonly TextItem[],
): void {
  auditAnnotations.forEach(({ key }, position) => {
    const at = `auditAnnotations[${position}].key`;
    if (key === undefined) {
      return;
    }
    problems.check(at, `${policyName(props)}/${key}`, labelKey);
    if (auditAnnotations.findIndex((other) => other.key === key) < position) {
      problems.add(at, key, 'a key that no other annotation has');
    }
  });
}

function checkActions(
  problems: Problems,
  { validationActions: actions = [], intent }: Partial<ValidatingPolicyProps>,
): void {
  const add = (allowed: string): void => problems.add('validationActions', actions, allowed);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    add('without either Deny or Warn: both send the same to the client');
  }
  if (intent === 'convenience' && actions.includes('Deny')) {
    add(`without Deny with the intent convenience: ${intentPolicy(intent).why}`);
  }
}

import { matchConditionRisks } from '../../../../core/admission/match-conditions';
import { operationsOf } from '../../../../core/admission/requests';
import type { Field } from '../../../object';
import type { RawFinding } from '../../../rule';
import type { AdmissionPolicyView } from '../../../views/admission';
import { longestExpression } from './reach';

/** An expression of a policy that fails on objects which are in order. */
export interface PolicyRisk {
  /** The expression. */
  readonly field: Field;
  /** What would be allowed, and why. */
  readonly allowed: string;
  /** Whether nothing can be a guard of a kind that is not known here. */
  readonly isCertain: boolean;
}

/** What parameters and variables hold is not known; a namespace always has a label, its name. */
const unknown = /\b(?:params|variables)\b|has\(namespaceObject\.metadata\.labels\)/;

/** A policy with more expressions is not checked: each is read together with its guards. */
const mostExpressions = 200;

/**
 * Expressions of a policy that fail, checked from their text. A guard counts in the same expression, in a variable or in a
 * match condition: the API server evaluates validations apart from each other.
 */
export function policyRisks({
  matchConditions,
  variables,
  expressions,
  rules,
}: AdmissionPolicyView): readonly PolicyRisk[] {
  const all = [...matchConditions.map(({ field }) => field.get('expression')), ...variables, ...expressions];
  if (all.length > mostExpressions || all.some(({ text = '' }) => text.length > longestExpression)) {
    return [];
  }
  const operations = operationsOf(rules);
  const named = (field: Field) => ({ name: field.pointer, expression: field.text ?? '' });
  const shared = [...matchConditions, ...variables.map(named)];
  const ofConditions = matchConditionRisks(matchConditions, operations).map(
    ({ position, allowed, isCertain }) => ({
      ...{ field: matchConditions[position]!.field.get('expression'), allowed, isCertain },
    }),
  );
  const ofOthers = [...variables, ...expressions].flatMap((field) =>
    matchConditionRisks([...shared, named(field)], operations)
      .filter(({ position }) => position === shared.length)
      .map(({ allowed, isCertain }) => ({ field, allowed, isCertain })),
  );
  return [...ofConditions, ...ofOthers].filter(({ allowed }) => !unknown.test(allowed));
}

/** What a policy may refuse unseen: it fails closed, some binding denies whatever it matches, and an expression fails. */
export function refusesUnseen(policy: AdmissionPolicyView): PolicyRisk | undefined {
  const isInForce = policy.bindings.some(({ denies, isNarrowed }) => denies && !isNarrowed);
  return policy.failurePolicy === 'Fail' && isInForce ? policyRisks(policy)[0] : undefined;
}

/** What a rule for webhooks finds of a policy: a warning, since only the text of its expressions says that it fails. */
export function ofPolicy(found: RawFinding, risk: PolicyRisk): RawFinding {
  const severity = found.severity === 'info' ? 'info' : 'warning';
  return { ...found, ...inWords, severity, message: `${found.message}${riskInWords(risk)}` };
}

const inWords = {
  why: 'a policy cannot be unreachable, but an expression that fails refuses the request, and nothing else is evaluated',
  fix: 'guard the expression, leave the objects out, or set failurePolicy: Ignore',
} as const;

function riskInWords({ field, allowed }: PolicyRisk): string {
  return `; its expression at ${field.pointer}, checked by its text, must be ${allowed}`;
}

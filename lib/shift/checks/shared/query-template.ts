import { parseArn } from '../../../core/aws/arns';
import type { Objections } from '../../../core/validation/collections';
import { InvalidInput } from '../../../core/validation/problems';
import type { ShiftSubject } from '../../engine';

/** What a query may name, as `{{slot}}`. */
const variables = {
  slot: 'name of the slot',
  cluster: "name of the slot's EKS cluster",
  targetGroupArn: "ARN of the slot's target group",
  targetGroup: "CloudWatch's dimension TargetGroup: `targetgroup/NAME/ID`",
  loadBalancerArn: 'ARN of the load balancer',
  loadBalancer: "CloudWatch's dimension LoadBalancer: `app/NAME/ID`",
} as const;

/** Name of a variable. */
export type SubjectVariable = keyof typeof variables;

/** Those that differ between slots. */
const ofSlot: readonly string[] = ['slot', 'cluster', 'targetGroupArn', 'targetGroup'];

/** Names of the variables that stand for something of what is shifted. */
export const subjectVariables: readonly string[] = Object.keys(variables);

const variable = /\{\{\s*(?:([^{}\s]+)\s*)?\}\}/g;

/** Names of the variables that a query has. */
export function variablesIn(query: string): readonly string[] {
  return [...query.matchAll(variable)].map(([, name = '']) => name);
}

/** The query with another text in place of each of its variables. */
export function replaceVariables(query: string, textOf: (name: string) => string): string {
  return query.replace(variable, (_all, name?: string) => textOf(name ?? ''));
}

/** The value with another text in place of each variable, in all of its texts. */
export function fillTexts(value: unknown, textOf: (name: string) => string): unknown {
  if (typeof value === 'string') {
    return replaceVariables(value, textOf);
  }
  if (Array.isArray(value)) {
    return value.map((one) => fillTexts(one, textOf));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillTexts(one, textOf)]));
  }
  return value;
}

/** Whether a query asks for something of one slot. */
export function isOfSlot(query: string): boolean {
  return variablesIn(query).some((name) => ofSlot.includes(name));
}

/** Objects where slots are chosen, and nothing is asked of one: the choice would have no effect. */
export function checkChoice(slots: unknown, query: string, { mustBe }: Objections): void {
  if (slots !== undefined && !isOfSlot(query)) {
    mustBe(['slots'], 'left out, or with a query of one slot: with {{slot}}, {{cluster}} or {{targetGroup}}');
  }
}

/** Objects to each variable of a query that there is not. `more` are those that the check itself has. */
export function checkQueryTemplate(
  key: string,
  query: unknown,
  more: readonly string[],
  { mustBe }: Objections,
): void {
  if (typeof query === 'string') {
    const known = [...Object.keys(variables), ...more];
    for (const name of variablesIn(query).filter((one) => !known.includes(one))) {
      const allowed = `without that variable; there are: ${known.map((one) => `{{${one}}}`).join(', ')}`;
      mustBe([key], allowed, `{{${name}}}`);
    }
  }
}

/**
 * Puts the subject's names into a query.
 *
 * @param more values of the check's own variables
 * @throws InvalidInput where a name that the query asks for is not known
 */
export function fillTemplate(
  query: string,
  subject: ShiftSubject,
  slot: string | undefined,
  more: Readonly<Record<string, string>> = {},
): string {
  return replaceVariables(query, (name) => more[name] ?? valueOf(name as SubjectVariable, subject, slot));
}

/** The value of a variable. */
export function valueOf(name: SubjectVariable, subject: ShiftSubject, slot: string | undefined): string {
  const value = lookUp(name, subject, slot);
  if (value === undefined) {
    const where = slot === undefined ? unslotted(name) : `slot "${slot}"`;
    throw new InvalidInput('the checks', [
      { path: `{{${name}}}`, value: undefined, allowed: `known for ${where}: ${variables[name]}` },
    ]);
  }
  return value;
}

function unslotted(name: SubjectVariable): string {
  return ofSlot.includes(name) ? 'a query of no slot' : 'the load balancer';
}

function lookUp(name: SubjectVariable, subject: ShiftSubject, slot: string | undefined): string | undefined {
  const of = slot === undefined ? undefined : subject.slots[slot];
  switch (name) {
    case 'slot':
      return slot;
    case 'cluster':
      return of?.clusterName;
    case 'targetGroupArn':
      return of?.targetGroupArn;
    case 'targetGroup':
      return resourceOf(of?.targetGroupArn);
    case 'loadBalancerArn':
      return subject.loadBalancerArn;
    case 'loadBalancer':
      return resourceOf(subject.loadBalancerArn)?.replace(/^loadbalancer\//, '');
  }
}

function resourceOf(arn: string | undefined): string | undefined {
  return arn === undefined ? undefined : parseArn(arn)?.resource;
}

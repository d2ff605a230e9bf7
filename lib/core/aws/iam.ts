import { either, list, object, optional, record } from '../validation/collections';
import type { Schema } from '../validation/schema';
import { oneOf, text } from '../validation/values';

/** Tests of an IAM condition: operator, key, accepted values. */
export type PolicyCondition = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/**
 * One statement of an IAM policy.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
 */
export interface PolicyStatement {
  /** Name of the statement: letters and digits. @default - none */
  readonly Sid?: string;
  /** Whether it allows or denies. */
  readonly Effect: 'Allow' | 'Deny';
  /** Who may, in a trust policy. @default - whoever the policy is attached to */
  readonly Principal?: Readonly<Record<string, string | readonly string[]>>;
  /** What may be done. */
  readonly Action: readonly string[];
  /** ARNs of what it may be done to. @default - none, in a trust policy */
  readonly Resource?: string | readonly string[];
  /** When. @default - always */
  readonly Condition?: PolicyCondition;
}

/** One statement of an IAM policy that grants rights. */
export interface AllowStatement extends Omit<PolicyStatement, 'Principal'> {
  /** Name of the statement: letters and digits. */
  readonly Sid: string;
  /** Rights are given, and none are taken. */
  readonly Effect: 'Allow';
  /** ARNs of what it may be done to; `*` where AWS knows no narrower one for the action. */
  readonly Resource: string | readonly string[];
  /** When: operator, key, accepted values. @default - always */
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** One text or several, as IAM has them. */
const texts: Schema<string | readonly string[]> = either<string | readonly string[]>(
  'a text or a list of texts',
  { when: (value) => typeof value === 'string', schema: text('a text') },
  { when: Array.isArray, schema: list(text('a text')) },
);

/** A statement that a user gives. */
export const policyStatement: Schema<PolicyStatement> = object<PolicyStatement>({
  Sid: optional(text('a text')),
  Effect: oneOf('Allow', 'Deny'),
  Principal: optional(record(texts)),
  Action: list(text('an action, such as "s3:GetObject"')),
  Resource: optional(texts),
  Condition: optional(record(record(texts))),
});

/** An IAM policy. */
export interface PolicyDocument {
  /** Version of the policy language. */
  readonly Version: '2012-10-17';
  /** The statements. */
  readonly Statement: readonly PolicyStatement[];
}

/** A policy of these statements. */
export function policyOf(statements: readonly PolicyStatement[]): PolicyDocument {
  return { Version: '2012-10-17', Statement: statements };
}

/** Statements that differ in their resources alone are one, and those that differ in the values of their only condition. */
export function unitedStatements(statements: readonly AllowStatement[]): readonly AllowStatement[] {
  const byResources = united(
    statements,
    ({ Sid, Action, Condition }) => [Sid, Action, Condition],
    (known, { Resource }) => ({ ...known, Resource: [...new Set([known.Resource, Resource].flat())] }),
  );
  return united(
    byResources,
    (each) => {
      const { operator, key } = onlyCondition(each) ?? {};
      return [each.Sid, each.Action, each.Resource, operator, key, key === undefined && each.Condition];
    },
    (known, other) => {
      const { operator, key, values } = onlyCondition(known)!;
      const all = [...new Set([...values, ...onlyCondition(other)!.values])];
      return { ...known, Condition: { [operator]: { [key]: all } } };
    },
  );
}

function united(
  statements: readonly AllowStatement[],
  sameness: (statement: AllowStatement) => unknown,
  unite: (known: AllowStatement, other: AllowStatement) => AllowStatement,
): readonly AllowStatement[] {
  const found = new Map<string, AllowStatement>();
  for (const statement of statements) {
    const key = JSON.stringify(sameness(statement));
    const known = found.get(key);
    const isNew = !known || JSON.stringify(known) === JSON.stringify(statement);
    found.set(key, isNew ? statement : unite(known, statement));
  }
  return [...found.values()];
}

function onlyCondition({
  Condition = {},
}: AllowStatement): { operator: string; key: string; values: readonly string[] } | undefined {
  const tests = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, values]) => ({ operator, key, values })),
  );
  return tests.length === 1 ? tests[0] : undefined;
}

/** A policy may have each Sid once. */
export function withOwnSids(statements: readonly AllowStatement[]): readonly AllowStatement[] {
  const used = new Set<string>();
  return statements.map((statement) => {
    let sid = statement.Sid;
    for (let count = 2; used.has(sid); count += 1) {
      sid = `${statement.Sid}${count}`;
    }
    used.add(sid);
    return { ...statement, Sid: sid };
  });
}

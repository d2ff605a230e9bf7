import { readCel } from './cel';
import type { CelReading } from './cel';
import type { Operation } from './requests';

/**
 * A CEL expression that must be true for a request to be sent to the webhook.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 */
export interface MatchCondition {
  /** Names the condition: unique in its webhook. */
  readonly name: string;
  /**
   * A CEL expression over `object`, `oldObject`, `request` and `authorizer`. It must not fail: an expression that
   * does refuses the request (`Fail`) or skips the webhook (`Ignore`), in both cases without asking the webhook.
   */
  readonly expression: string;
}

/** The API server takes no more per webhook. */
export const mostMatchConditions = 64;

/** What makes a match condition fail on objects that are in order. */
export interface MatchConditionRisk {
  /** Of the condition, in the order in which they were given. */
  readonly position: number;
  /** The CEL expression. */
  readonly expression: string;
  /** What would be allowed, and why. */
  readonly allowed: string;
  /** Whether nothing in the conditions can be a guard: what is not known here may be one. */
  readonly isCertain: boolean;
}

/** What makes a CEL expression fail on objects that are in order. */
export type CelRisk = Pick<MatchConditionRisk, 'allowed' | 'isCertain'>;

/**
 * What makes match conditions of one webhook fail on objects that are in order. This is evaluated from their text: a guard
 * counts wherever it stands in the webhook's conditions.
 *
 * @param operations those of the webhook's rules
 */
export function matchConditionRisks(
  conditions: readonly MatchCondition[],
  operations: ReadonlySet<Operation>,
): MatchConditionRisk[] {
  // Together: a request is skipped as soon as one condition is false, whatever becomes of the others, so a guard
  // may stand in a condition of its own.
  const guards = readCel(conditions.map(({ expression }) => expression));
  return conditions.flatMap(({ expression }, position) =>
    celRisks(expression, guards, operations).map((risk) => ({ position, expression, ...risk })),
  );
}

/** Labels and annotations are absent where an object has none; most other maps of an object are its own affair. */
const isOptionalMap = (chain: string): boolean => /\.metadata\.(labels|annotations)$/.test(chain);

/**
 * What makes an expression fail on objects that are in order, each as what would be allowed instead. Evaluated from the
 * text: a guard counts wherever it stands in the conditions of the webhook.
 */
export function celRisks(
  expression: string,
  guards: CelReading,
  operations: ReadonlySet<Operation>,
): CelRisk[] {
  const reading = readCel([expression]);
  const risks = new Map<string, boolean>();
  const add = (allowed: string, isCertain: boolean): unknown =>
    risks.set(allowed, isCertain && risks.get(allowed) !== false);
  for (const { base, key, by, optional, baseOptional } of reading.accesses) {
    if (isOptionalMap(base) && !baseOptional && !isAsked(guards, base)) {
      add(
        `guarded by has(${base}): an object without any has no such field`,
        !isReadOptionally(guards, base),
      );
    }
    const mapped = by === 'key' || (by === 'field' && isOptionalMap(base));
    const known = guards.members.get(base)?.has(key) === true || guards.asked.has(`${base}.${key}`);
    if (mapped && !optional && !known) {
      const isRead = guards.accesses.some(
        (other) => other.base === base && other.key === key && other.optional,
      );
      add(`guarded by "${key}" in ${base}: an absent key is an error`, !isRead);
    }
  }
  const withoutObject: [variable: string, other: string, operation: Operation][] = [
    ['object', 'oldObject', 'DELETE'],
    ['oldObject', 'object', 'CREATE'],
  ];
  for (const [variable, other, operation] of withoutObject) {
    const isOtherTested = guards.testedForNull.has(other);
    // (oldObject != null ? oldObject : object).metadata
    const isChosen = isOtherTested && reading.wholes.has(variable) && !isSteppedInto(reading, variable);
    const guarded =
      guards.testedForNull.has(variable) ||
      isChosen ||
      guards.accesses.some(({ base, key }) => base === 'request' && key === 'operation');
    if (reading.roots.has(variable) && operations.has(operation) && !guarded) {
      add(
        `guarded by ${variable} != null: it is null on ${operation}`,
        !isOtherTested && !guards.wholes.has(variable),
      );
    }
  }
  return [...risks].map(([allowed, isCertain]) => ({ allowed, isCertain }));
}

/** Its last step, as a field of what is around it. */
const lastStep = /^(.*)\.(\w+)$/s;

function isAsked({ asked, members }: CelReading, chain: string): boolean {
  const [, base = '', key = ''] = lastStep.exec(chain) ?? [];
  return asked.has(chain) || members.get(base)?.has(key) === true;
}

function isReadOptionally({ accesses }: CelReading, chain: string): boolean {
  return accesses.some(({ base, key, optional }) => optional && `${base}.${key}` === chain);
}

function isSteppedInto({ accesses }: CelReading, chain: string): boolean {
  return accesses.some(({ base }) => base === chain);
}

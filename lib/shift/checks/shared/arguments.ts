import { parseDuration } from '../../../core/durations';
import { goDuration } from '../../../core/validation/formats';
import { unknownKey } from '../../../core/validation/known-keys';
import { isMapping } from '../../../core/validation/problems';
import type { Problems, Rule } from '../../../core/validation/problems';

/** A rule of a setting. */
export interface ArgumentRule<Value = unknown> extends Rule<Value> {
  /**
   * Whether a value that it refuses must not be shown. Those of unknown keys, and URLs with a login, never are.
   *
   * @default false
   */
  readonly isSecret?: boolean;
}

/** A share above 0, up to 1. */
export const share: Rule = {
  allowed: 'a share above 0, up to 1',
  accepts: (value) => typeof value === 'number' && value > 0 && value <= 1,
};

/** Text of any kind, on one line. */
export const text: Rule = {
  allowed: 'text on one line',
  accepts: (value) => typeof value === 'string' && value.trim() !== '' && !/[\r\n]/.test(value),
};

/** A duration that is not zero. */
export const timeSpan: Rule = {
  allowed: `${goDuration.allowed}, above zero`,
  accepts: (value) => typeof value === 'string' && (parseDuration(value) ?? 0) > 0,
};

/** A list with at least one entry, each of which the rule accepts. */
export function listOf(rule: Rule): Rule {
  return {
    allowed: `a list of at least one; each ${rule.allowed}`,
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every((each) => rule.accepts(each)),
  };
}

/** An object whose values the rule accepts. */
export function mapOf(rule: Rule): Rule {
  return {
    allowed: `an object; each value ${rule.allowed}`,
    accepts: (value) => isMapping(value) && Object.values(value).every((each) => rule.accepts(each)),
  };
}

/**
 * Holds settings against a rule for each key. Keys that have none are refused, since they are slips of the pen.
 *
 * @param required keys that must be there
 */
export function checkArguments(
  problems: Problems,
  args: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, ArgumentRule>>,
  required: readonly string[] = [],
): void {
  const all: Readonly<Record<string, ArgumentRule>> = { name: text, ...rules };
  for (const key of required.filter((each) => args[each] === undefined)) {
    problems.add(key, undefined, all[key]!.allowed);
  }
  for (const [key, value] of Object.entries(args)) {
    const rule = Object.hasOwn(all, key) ? all[key]! : leftOut(key, Object.keys(all));
    if (value !== undefined && !rule.accepts(value)) {
      report(problems, key, value, rule);
    }
  }
}

/** A slip of the pen shows no key and no kubeconfig. */
function leftOut(key: string, known: readonly string[]): ArgumentRule {
  return { allowed: unknownKey(key, known), accepts: () => false, isSecret: true };
}

function report(problems: Problems, key: string, value: unknown, { allowed, isSecret }: ArgumentRule): void {
  if (isSecret === true || (typeof value === 'string' && mayHoldKey(value))) {
    problems.addSecret(key, allowed);
  } else {
    problems.add(key, value, allowed);
  }
}

/** Whether it is an address with a login, a query or a fragment: where people put passwords and keys. */
function mayHoldKey(text: string): boolean {
  const at = text.indexOf('//');
  return at >= 0 && /[@?#]/.test(text.slice(at));
}

import { isPlainObject } from '../../../core/validation/problems';
import { pathText } from '../../../core/validation/schema';
import type { PathSteps } from '../../../core/validation/schema';

/**
 * Environment variables that a plan reads secrets from, each with the first place that names it: previews
 * (`headers: { x-slot: { env: PREVIEW_VALUE_GREEN } }`), tokens and passwords of checks. In plans a mapping with a name as `env`
 * and nothing else is always one.
 */
export function secretVariables(plan: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // Data of a program may name one object twice, or contain itself.
  const seen = new Set<unknown>();
  const left: [PathSteps, unknown][] = [[[], plan]];
  while (left.length > 0) {
    const [steps, value] = left.pop()!;
    if (typeof value !== 'object' || value === null || seen.has(value)) {
      continue;
    }
    seen.add(value);
    const variable = variableOf(value);
    if (variable !== undefined) {
      found.set(variable, found.get(variable) ?? pathText(steps));
      continue;
    }
    const parts: [PathSteps, unknown][] = Array.isArray(value)
      ? value.map((each: unknown, index) => [[...steps, index], each])
      : Object.entries(value).map(([key, each]) => [[...steps, key], each]);
    // The last one that is put there is the first one to be looked at.
    for (const part of parts.reverse()) {
      left.push(part);
    }
  }
  return found;
}

function variableOf(value: object): string | undefined {
  return isPlainObject(value) && typeof value.env === 'string' && Object.keys(value).length === 1
    ? value.env
    : undefined;
}

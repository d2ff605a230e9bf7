import { isMapping } from '../../problems';
import { severities } from '../finding';
import { indexObjects } from '../index-objects';
import type { JudgedObject } from '../judged-object';
import { objectName } from '../judged-object';
import type { RawFinding, Rule, RuleContext } from '../rule';
import type { RuleFailure } from './result';

/** What one rule said. */
export interface RuleOutcome {
  readonly found: readonly RawFinding[];
  readonly failure?: RuleFailure;
}

/** Runs one rule. One that throws ends neither the run nor the findings that it had by then. */
export function runRule(rule: Rule, context: RuleContext): RuleOutcome {
  const found: RawFinding[] = [];
  try {
    for (const each of rule.check(context)) {
      refuseMalformed(each);
      found.push(each);
    }
    return { found };
  } catch (error) {
    const object = culprit(rule, context);
    const file = object?.source?.file;
    return {
      found,
      failure: {
        rule: rule.id,
        ...(object ? { object: objectName(object) } : {}),
        ...(file === undefined ? {} : { file }),
        error,
      },
    };
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): boolean => Array.isArray(value);

const parts: Readonly<
  Record<keyof RawFinding, readonly [allowed: string, fits: (value: unknown) => boolean]>
> = {
  object: [
    'one of the objects of the context',
    (value) => isMapping(value) && ['apiVersion', 'kind', 'name'].every((key) => isText(value[key])),
  ],
  pointer: ['a JSON pointer', (value) => isText(value) && /^(?:\/|$)/.test(String(value))],
  message: ['a text', (value) => isText(value) && value !== ''],
  severity: [`one of ${severities.join(', ')}`, (value) => severities.some((each) => each === value)],
  why: ['a text', isText],
  fix: ['a text', isText],
  line: ['a whole number from 1', (value) => Number.isInteger(value) && Number(value) >= 1],
  also: ['a list of JSON pointers', isList],
  fixPatch: ['a list of changes', isList],
};

const required: ReadonlySet<string> = new Set<keyof RawFinding>(['object', 'pointer', 'message']);

/** @throws Error for what a rule of somebody else yields, which no compiler may have seen */
function refuseMalformed(found: unknown): void {
  const fields = isMapping(found) ? found : {};
  const wrong = Object.entries(parts).flatMap(([key, [allowed, fits]]) =>
    (fields[key] === undefined && !required.has(key)) || fits(fields[key])
      ? []
      : [`${key} must be ${allowed}`],
  );
  if (wrong.length > 0) {
    throw new TypeError(`a finding needs object, pointer, message: ${wrong.join('; ')}`);
  }
}

/** The object that makes a rule throw where it is the only one. Needed once in a rule's life, so it may take its time. */
function culprit(rule: Rule, context: RuleContext): JudgedObject | undefined {
  return context.objects.all.find((object) => {
    try {
      for (const each of rule.check({ ...context, objects: indexObjects([object]) })) {
        refuseMalformed(each);
      }
      return false;
    } catch {
      return true;
    }
  });
}

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

/** The object that makes a rule throw where it is the only one. Needed once in a rule's life, so it may take its time. */
function culprit(rule: Rule, context: RuleContext): JudgedObject | undefined {
  return context.objects.all.find((object) => {
    try {
      for (const _ of rule.check({ ...context, objects: indexObjects([object]) })) {
        // Only whether it throws is of interest.
      }
      return false;
    } catch {
      return true;
    }
  });
}

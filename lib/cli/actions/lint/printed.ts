import {
  countsDocument,
  countsText,
  lintDocument,
  lintText,
  sarifLog,
  suppressionRules,
  withColours,
  withoutColours,
} from '../../../lint';
import type { LintResult, Rule, UnreadableDocument } from '../../../lint';
import { jsonText, version, wantsColour } from '../../output';
import type { LintFlags } from './flags';

/** What a run prints. */
interface Printed {
  readonly result: LintResult;
  readonly unreadable: readonly UnreadableDocument[];
  readonly rules: readonly Rule[];
  readonly flags: LintFlags;
}

/** The result in the form that is asked for. */
export function printed({ result, unreadable, rules, flags }: Printed): string {
  const known = [...rules, ...suppressionRules];
  const colours = flags.color && wantsColour(process.stdout) ? withColours : withoutColours;
  switch (flags.format) {
    case 'json':
      return jsonText(
        flags.count === true ? countsDocument(result, known, unreadable) : lintDocument(result, unreadable),
      );
    case 'sarif':
      return jsonText(sarifLog({ ...result, rules, unreadable, version: version() }));
    case 'text':
      return flags.count === true ? countsText(result, known, colours) : lintText(result, colours);
  }
}

/**
 * The same rules, which tell how many were run: checking leaves no time to a timer.
 *
 * @param onRule is called before each with how many came before; a rule that runs again after others counts again
 */
export function countedRules(rules: readonly Rule[], onRule: (count: number) => void): readonly Rule[] {
  let run = 0;
  let last: Rule | undefined;
  return rules.map((rule) => {
    const check: Rule['check'] = (context) => {
      if (rule !== last) {
        onRule(run);
        run += 1;
        last = rule;
      }
      return rule.check(context);
    };
    // Somebody's own rule may be of a class, whose fields a copy would lack.
    return Object.assign(Object.create(rule) as Rule, { check });
  });
}

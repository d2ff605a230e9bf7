import type { LintResult, Rule, Unreadable } from '../../rules';
import {
  countsDocument,
  countsText,
  lintDocument,
  lintText,
  sarifLog,
  suppressionRules,
  withColours,
  withoutColours,
} from '../../rules';
import { jsonText, wantsColour } from '../output';
import { version } from '../version';
import type { LintFlags } from './lint-flags';

/** What a run prints. */
interface Printed {
  readonly result: LintResult;
  readonly unreadable: readonly Unreadable[];
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

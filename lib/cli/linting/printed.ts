import type { LintResult, Rule, Unreadable } from '../../rules';
import { lintDocument, lintText, sarifLog, withColours, withoutColours } from '../../rules';
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
  switch (flags.format) {
    case 'json':
      return jsonText(lintDocument(result, unreadable));
    case 'sarif':
      return jsonText(sarifLog({ ...result, rules, unreadable, version: version() }));
    case 'text':
      return lintText(result, flags.color && wantsColour(process.stdout) ? withColours : withoutColours);
  }
}

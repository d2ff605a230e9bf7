import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LintResult, Rule, Unreadable } from '../../rules';
import { lintDocument, lintText, sarifLog, withColours, withoutColours } from '../../rules';
import { wantsColour } from '../output';
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
      return json(lintDocument(result, unreadable));
    case 'sarif':
      return json(sarifLog({ ...result, rules, unreadable, version: version() }));
    case 'text':
      return lintText(result, flags.color && wantsColour(process.stdout) ? withColours : withoutColours);
  }
}

function json(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function version(): string {
  const manifest = readFileSync(join(__dirname, '..', '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

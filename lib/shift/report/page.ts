import { join } from 'node:path';
import { writeBelow } from '../../core/files/write';
import { failedChecks } from '../engine';
import type { CheckRecord, ShiftOutcome, Verdict } from '../engine';
import { chartStyle } from './event-lanes';
import { elapsed, weightsText } from './format';
import { element, styleElement } from './markup';
import type { Content, Markup } from './markup';
import { checksSection, folded, logSection, unbroken, weightsSection } from './sections';
import { pageStyle } from './style';
import { answerTable, approvalsTable, time } from './tables';
import { chartFile } from './weights-chart';

/** Verdicts for a person, each with a sign. */
export const verdicts: Readonly<Record<Verdict, string>> = {
  completed: '✓ Completed',
  rolledBack: '↩ Rolled back',
  held: '⏸ Held',
  aborted: '✕ Aborted',
};

/** Whatever gets into the page, nothing in it is run and nothing is loaded. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * The report as one HTML page.
 *
 * @param title names what was shifted
 * @param note says how it came about: that it was simulated, with which seed
 */
function page(outcome: ShiftOutcome, title: string, note?: string): string {
  const html = element(
    'html',
    { lang: 'en' },
    element(
      'head',
      {},
      element('meta', { charset: 'utf-8' }),
      element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
      element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      element('title', {}, `${title}: ${verdicts[outcome.verdict].slice(2).toLowerCase()}`),
      styleElement(pageStyle + chartStyle),
    ),
    element(
      'body',
      {},
      element(
        'div',
        { class: 'page' },
        element('header', {}, ...heading(outcome, title, note)),
        element('main', {}, weightsSection(outcome), checksSection(outcome), logSection(outcome)),
        element('footer', {}, 'Written by cluster-canary. Times on the axes count from the start.'),
      ),
    ),
  );
  return `<!DOCTYPE html>\n${html.text}\n`;
}

/** What a person has to know at once: the verdict, the sentence, where the traffic is. Statistics are folded. */
function heading(outcome: ShiftOutcome, title: string, note: string | undefined): readonly Content[] {
  const { verdict, reason, from, to, final, startedAt, endedAt, writes } = outcome;
  const [sentence = '', ...rest] = reason.split('\n');
  const failed = failedChecks(outcome);
  const facts: readonly (readonly [string, Content])[] = [
    ['Live at the end', final === null ? 'could not be read' : unbroken(weightsText(final))],
    ['Before', from === null ? 'could not be read' : unbroken(weightsText(from))],
    ['Wanted', unbroken(weightsText(to))],
    ['Began (UTC)', time(startedAt)],
    ['Took', elapsed(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))],
    ['Writes', writes.length],
  ];
  return [
    element('h1', {}, title),
    note !== undefined && element('p', { class: 'quiet' }, note),
    element(
      'div',
      { class: `verdict verdict-${verdict}` },
      element('strong', {}, verdicts[verdict]),
      element('p', { class: 'sentence' }, sentence),
      rest.length > 0 && element('p', {}, rest.join('\n')),
      failed.length > 0 &&
        folded(`Statistics of ${failed.map(({ name }) => name).join(', ')}`, ...failed.map(answer)),
    ),
    element(
      'dl',
      { class: 'facts' },
      ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
    ),
    outcome.approvals !== undefined &&
      outcome.approvals.length > 0 &&
      folded('Who let it continue', approvalsTable(outcome.approvals)),
  ];
}

/** The last answer of a check that failed. */
function answer(check: CheckRecord): Markup {
  const { name, reason, figures } = check;
  return element(
    'div',
    { class: 'answer' },
    element('p', {}, `${name}: ${reason}`),
    figures.length > 0 && answerTable(check),
  );
}

/** What is above a report. */
export interface ReportHeading {
  /** What was shifted. @default - the weights that were wanted */
  readonly title?: string;
  /** How it came about: that it was simulated, with which scenario and seed. @default - none */
  readonly note?: string;
}

/** The files of a report by their names. */
export interface ReportFiles {
  /** One page that needs nothing else: no script, no font, no picture from elsewhere. */
  readonly 'report.html': string;
  /** The chart of the weights, for other documents. */
  readonly 'shift.svg': string;
}

/**
 * Draws what happened in a shift: the weights over time with the writes and the verdicts, every figure with its bounds,
 * the same as tables, and the log. It can be read with a keyboard, a screen reader, in the dark and on paper, and colours
 * never say anything alone.
 */
export function renderReport(outcome: ShiftOutcome, heading: ReportHeading = {}): ReportFiles {
  const title = heading.title ?? `Traffic shift to ${weightsText(outcome.to)}`;
  return {
    'report.html': page(outcome, title, heading.note),
    'shift.svg': chartFile(outcome, title),
  };
}

/**
 * Writes a report into a folder, which is made where it is missing; answers the page's path.
 *
 * @param below folder within the folder. @default - the folder itself
 * @throws FileRefused for a link below the folder where a file or a folder is to be
 */
export function writeReport(folder: string, files: ReportFiles, below = '.'): string {
  const named = Object.entries(files).map(([name, text]) => ({
    path: join(below, name),
    text: text as string,
  }));
  writeBelow(folder, named);
  return join(folder, below, 'report.html');
}

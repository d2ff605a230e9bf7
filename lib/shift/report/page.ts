import { join } from 'node:path';
import { writeBelow } from '../../core/files/write';
import { failedChecks } from '../engine';
import type { CheckRecord, ShiftOutcome, Verdict } from '../engine';
import { slotMarks } from './drawing';
import { chartStyle } from './event-lanes';
import { figureChart, figurePanels } from './figure-chart';
import { elapsed, weightsText } from './format';
import { element, styleElement } from './markup';
import type { Content, Markup } from './markup';
import { answerTable, checksTable, figuresTable, logTable, time, writesTable } from './tables';
import { slotsOf, timelineOf } from './timeline';
import { chartFile, narrow, weightsChart, wide } from './weights-chart';

/** The page around the charts. Calm: one column, one accent for what failed, hairlines instead of boxes. */
export const pageStyle = `
:root { color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1c2430; --quiet: #586474; --hair: #dfe4ea; --focus: #1f5fae;
  --good: #1b6e52; --good-area: #e5f3ed; --bad: #b3261e; --bad-area: #fbeae8; --still: #7a5200; --still-area: #fbf1dc; }
@media screen and (prefers-color-scheme: dark) { :root {
  --page: #0e1318; --card: #141a21; --ink: #e6ebf0; --quiet: #9fabb8; --hair: #2a333d; --focus: #7fb4f5;
  --good: #6fd0ac; --good-area: #15302a; --bad: #ff9d94; --bad-area: #3a1d1c; --still: #f0c36a; --still-area: #33290f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
.page { max-width: 1056px; margin: 0 auto; padding: 40px 24px 56px; }
h1 { font-size: 1.1rem; line-height: 1.3; margin: 0; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 0 0 14px; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: 0; }
.quiet { color: var(--quiet); }
.answer + .answer { margin-top: 18px; }
section { background: var(--card); border: 1px solid var(--hair); border-radius: 10px; padding: 22px 24px; margin-top: 20px; }
.verdict { margin-top: 16px; padding: 18px 22px; border-radius: 10px; border-left: 5px solid currentColor; }
.verdict strong { display: block; font-size: 1.05rem; }
.verdict p { color: var(--ink); white-space: pre-line; overflow-wrap: anywhere; }
.verdict .sentence { font-size: 1.6rem; line-height: 1.25; font-weight: 650; margin: 2px 0 8px; text-wrap: pretty; }
.verdict summary, .verdict summary:hover { color: var(--ink); text-decoration: underline; text-underline-offset: 3px; }
.verdict .scroll { color: var(--ink); }
.verdict thead th, .verdict caption { color: var(--ink); }
.verdict-completed { color: var(--good); background: var(--good-area); }
.verdict-rolledBack, .verdict-aborted { color: var(--bad); background: var(--bad-area); }
.verdict-held { color: var(--still); background: var(--still-area); }
.facts { display: flex; flex-wrap: wrap; gap: 14px 40px; margin: 22px 0 0; }
.facts dt { color: var(--quiet); font-size: 0.85rem; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
figure { margin: 0; }
figcaption { color: var(--quiet); font-size: 0.9rem; margin-bottom: 8px; overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; }
.narrow { display: none; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(400px, 100%), 1fr)); gap: 20px 28px; }
.check > details { margin-top: 0; }
.check > details > .panels { margin-top: 14px; }
.check summary h3 { display: inline; }
.panels svg { max-width: 460px; }
.check + .check { margin-top: 28px; padding-top: 24px; border-top: 1px solid var(--hair); }
.check h3 { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; margin-bottom: 10px; }
details { margin-top: 18px; }
summary { cursor: pointer; color: var(--quiet); font-size: 0.9rem; width: fit-content; border-radius: 4px; }
summary:hover { color: var(--ink); }
.scroll { overflow-x: auto; margin-top: 10px; border-radius: 4px; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0 0 8px; }
th, td { text-align: left; padding: 6px 28px 6px 0; border-top: 1px solid var(--hair); vertical-align: top; }
th { font-weight: 400; white-space: nowrap; }
tr > :first-child, tr > :nth-child(2), .number { width: 1%; }
thead th { color: var(--quiet); border-top: 0; font-size: 0.85rem; }
td { overflow-wrap: break-word; white-space: pre-line; }
td:last-child { min-width: 12ch; }
.number { text-align: right; white-space: nowrap; }
time { white-space: nowrap; }
.verdict-fail { color: var(--bad); font-weight: 600; }
.verdict-inconclusive { color: var(--still); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
footer { margin-top: 24px; color: var(--quiet); font-size: 0.85rem; }
@media (max-width: 640px) {
  .page { padding: 24px 14px 40px; }
  section { padding: 18px 16px; }
  .verdict { padding: 16px; }
  .verdict .sentence { font-size: 1.35rem; }
  .facts { display: grid; grid-template-columns: 1fr 1fr; gap: 12px 20px; }
  .wide { display: none; } .narrow { display: block; }
}
@media print {
  body { background: #ffffff; font-size: 11pt; }
  .page { max-width: none; padding: 0; }
  section { border: 0; padding: 0; margin-top: 24px; }
  .wide { display: block; } .narrow { display: none; }
  figure, tr, .verdict { break-inside: avoid; }
  h2, h3, figcaption, caption { break-after: avoid; }
  .panels { grid-template-columns: 1fr 1fr; }
  .scroll { overflow: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .verdict, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;

const verdicts: Readonly<Record<Verdict, string>> = {
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
        element('main', {}, weights(outcome), checks(outcome), log(outcome)),
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
  ];
}

/** A number stays on the line of its slot. */
function unbroken(weights: string): string {
  return weights.replace(/ (?=\d|%)/g, '\u00a0');
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

function weights(outcome: ShiftOutcome): Markup {
  const title = 'Weights over time';
  return section(
    'weights',
    title,
    element(
      'figure',
      {},
      element(
        'figcaption',
        {},
        'Weight of each slot; the scale enlarges small weights. Below, on the same time axis: writes and verdicts of checks.',
      ),
      element('div', { class: 'wide' }, weightsChart(outcome, wide, 'wide', title)),
      element('div', { class: 'narrow' }, weightsChart(outcome, narrow, 'narrow', title)),
    ),
    (outcome.from ?? outcome.final) !== null && folded('Weights as a table', writesTable(outcome)),
  );
}

/** Checks that failed come first; where some did, the others are folded. */
function checks(outcome: ShiftOutcome): Markup {
  if (outcome.checks.length === 0) {
    return section('checks', 'Checks', element('p', { class: 'quiet' }, 'No check was run.'));
  }
  const marks = slotMarks(slotsOf(outcome));
  const { span } = timelineOf(outcome);
  const panels = figurePanels(outcome);
  const failed = failedChecks(outcome).map(({ name }) => name);
  const others = outcome.checks.map(({ name }) => name).filter((name) => !failed.includes(name));
  const parts = [...new Set([...failed, ...others])].map((name, index) => {
    const own = panels.filter(({ check }) => check === name);
    const figures = own.map((panel, position) =>
      element(
        'figure',
        {},
        element('figcaption', {}, panel.figure),
        figureChart(panel, marks, span, `check-${index}-${position}`),
      ),
    );
    const content = [
      figures.length === 0
        ? element('p', { class: 'quiet' }, 'This check has no figures; its verdicts are below.')
        : element('div', { class: 'panels' }, ...figures),
      figures.length > 0 && folded('Figures as a table', figuresTable(outcome, name)),
    ];
    const heading = element('h3', {}, name);
    const isOpen = failed.length === 0 || failed.includes(name);
    return element(
      'div',
      { class: 'check' },
      ...(isOpen ? [heading, ...content] : [folded(heading, ...content)]),
    );
  });
  return section('checks', 'Checks', ...parts, folded('All verdicts as a table', checksTable(outcome)));
}

function log(outcome: ShiftOutcome): Markup {
  return section(
    'log',
    'What happened',
    outcome.log.length === 0
      ? element('p', { class: 'quiet' }, 'Nothing was logged.')
      : folded('Log', logTable(outcome)),
  );
}

function section(id: string, title: string, ...content: readonly Content[]): Markup {
  return element('section', { 'aria-labelledby': id }, element('h2', { id }, title), ...content);
}

function folded(title: Content, ...content: readonly Content[]): Markup {
  return element('details', {}, element('summary', {}, title), ...content);
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

import type { ShiftOutcome, Verdict } from '../shift';
import { chartStyle } from './chart-style';
import { figureChart } from './figure-chart';
import { figurePanels } from './figure-series';
import { elapsed, weightsText } from './format';
import type { Content, Markup } from './markup';
import { element, styleElement } from './markup';
import { pageStyle } from './page-style';
import { slotMarks } from './slot-marks';
import { checksTable, figuresTable, logTable, time, writesTable } from './tables';
import { slotsOf, timelineOf } from './timeline';
import { narrow, weightsChart, wide } from './weights-chart';

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
export function page(outcome: ShiftOutcome, title: string, note?: string): string {
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

function heading(outcome: ShiftOutcome, title: string, note: string | undefined): readonly Content[] {
  const { verdict, reason, from, to, final, startedAt, endedAt, writes } = outcome;
  const facts: readonly (readonly [string, Content])[] = [
    ['Before', from === null ? 'could not be read' : weightsText(from)],
    ['Wanted', weightsText(to)],
    ['Live at the end', final === null ? 'could not be read' : weightsText(final)],
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
      element('p', {}, reason),
    ),
    element(
      'dl',
      { class: 'facts' },
      ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
    ),
  ];
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
        'Share of the traffic of each slot. Below, on the same time axis: every write and every verdict of a check.',
      ),
      element('div', { class: 'wide' }, weightsChart(outcome, wide, 'wide', title)),
      element('div', { class: 'narrow' }, weightsChart(outcome, narrow, 'narrow', title)),
    ),
    (outcome.from ?? outcome.final) !== null && writesTable(outcome),
  );
}

function checks(outcome: ShiftOutcome): Markup {
  if (outcome.checks.length === 0) {
    return section('checks', 'Checks', element('p', { class: 'quiet' }, 'No check was asked.'));
  }
  const marks = slotMarks(slotsOf(outcome));
  const { span } = timelineOf(outcome);
  const panels = figurePanels(outcome);
  const names = [...new Set(outcome.checks.map(({ name }) => name))];
  const parts = names.map((name, index) => {
    const own = panels.filter(({ check }) => check === name);
    const figures = own.map((panel, position) =>
      element(
        'figure',
        {},
        element('figcaption', {}, panel.figure),
        figureChart(panel, marks, span, `check-${index}-${position}`),
      ),
    );
    return element(
      'div',
      { class: 'check' },
      element('h3', {}, name),
      figures.length === 0
        ? element('p', { class: 'quiet' }, 'This check has no figures; its verdicts stand below.')
        : element('div', { class: 'panels' }, ...figures),
      figures.length > 0 && folded('Figures as a table', figuresTable(outcome, name)),
    );
  });
  return section('checks', 'Checks', ...parts, folded('All verdicts as a table', checksTable(outcome)));
}

function log(outcome: ShiftOutcome): Markup {
  return section(
    'log',
    'What happened',
    outcome.log.length === 0 ? element('p', { class: 'quiet' }, 'Nothing was logged.') : logTable(outcome),
  );
}

function section(id: string, title: string, ...content: readonly Content[]): Markup {
  return element('section', { 'aria-labelledby': id }, element('h2', { id }, title), ...content);
}

function folded(title: string, content: Markup): Markup {
  return element('details', {}, element('summary', {}, title), content);
}

import { failedChecks } from '../engine';
import type { ShiftOutcome } from '../engine';
import { slotMarks } from './drawing';
import { figureChart, figurePanels } from './figure-chart';
import { element } from './markup';
import type { Content, Markup } from './markup';
import { checksTable, figuresTable, logTable, writesTable } from './tables';
import { slotsOf, timelineOf } from './timeline';
import type { DrawnShift } from './timeline';
import { narrow, weightsChart, wide } from './weights-chart';

/** What sections show of a shift, whether it is over or not. */
export type ReportedShift = DrawnShift & Pick<ShiftOutcome, 'log' | 'failed'>;

/** The chart of the weights, and the same as a table. */
export function weightsSection(outcome: DrawnShift): Markup {
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
export function checksSection(outcome: ReportedShift): Markup {
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

/** The log, folded. */
export function logSection(outcome: Pick<ReportedShift, 'startedAt' | 'log'>): Markup {
  return section(
    'log',
    'What happened',
    outcome.log.length === 0
      ? element('p', { class: 'quiet' }, 'Nothing was logged.')
      : folded('Log', logTable(outcome)),
  );
}

/** A section with its heading. */
export function section(id: string, title: string, ...content: readonly Content[]): Markup {
  return element('section', { 'aria-labelledby': id }, element('h2', { id }, title), ...content);
}

/** What a person may unfold. */
export function folded(title: Content, ...content: readonly Content[]): Markup {
  return element('details', {}, element('summary', {}, title), ...content);
}

/** A number stays on the line of its slot. */
export function unbroken(weights: string): string {
  return weights.replace(/ (?=\d|%)/g, '\u00a0');
}

import type { ApprovalRecord, CheckRecord, Figure, ShiftOutcome } from '../engine';
import { bounds, elapsed, figureValue } from './format';
import { element } from './markup';
import type { Content, Markup } from './markup';
import { slotsOf, weightOf } from './timeline';
import type { DrawnShift } from './timeline';

interface Column {
  readonly name: string;
  /** Numbers are at the right. */
  readonly number?: boolean;
}

/** The weights after every write. */
export function writesTable(outcome: DrawnShift): Markup {
  const slots = slotsOf(outcome);
  const rows = [
    ...(outcome.from === null ? [] : [{ at: outcome.startedAt, weights: outcome.from, what: 'before' }]),
    ...outcome.writes.map(({ at, weights, rollback }) => ({
      at,
      weights,
      what: rollback === true ? 'rollback' : 'step',
    })),
    ...(outcome.final === null
      ? []
      : [{ at: outcome.endedAt, weights: outcome.final, what: 'found at the end' }]),
  ];
  return table(
    'Weights, in percent',
    [
      { name: 'After' },
      { name: 'Time (UTC)' },
      ...slots.map((name) => ({ name, number: true })),
      { name: 'Write' },
    ],
    rows.map(({ at, weights, what }) => [
      since(outcome, at),
      time(at),
      ...slots.map((slot) => weightOf(weights, slot)),
      what,
    ]),
  );
}

/** Every verdict of every check, with its reason. */
export function checksTable(outcome: DrawnShift): Markup {
  return table(
    'Verdicts of the checks',
    [
      { name: 'After' },
      { name: 'Time (UTC)' },
      { name: 'Check' },
      { name: 'Stage' },
      { name: 'Verdict' },
      { name: 'Reason' },
    ],
    outcome.checks.map(({ at, name, stage, status, reason }) => [
      since(outcome, at),
      time(at),
      name,
      `${stage} a step`,
      element('span', { class: `verdict-${status}` }, status),
      reason,
    ]),
  );
}

/** Every figure of one check. */
export function figuresTable(outcome: DrawnShift, check: string): Markup {
  const rows = outcome.checks
    .filter(({ name }) => name === check)
    .flatMap((record: CheckRecord) => record.figures.map((figure) => ({ record, figure })));
  const columns = figureColumns(rows.map(({ figure }) => figure));
  return table(
    `Figures of ${check}`,
    [{ name: 'After' }, ...columns, { name: 'Verdict of the check' }],
    rows.map(({ record, figure }) => [
      since(outcome, record.at),
      ...columns.map(({ cell }) => cell(figure)),
      element('span', { class: `verdict-${record.status}` }, record.status),
    ]),
  );
}

/** The figures of one answer of a check. */
export function answerTable({ name, figures }: CheckRecord): Markup {
  const columns = figureColumns(figures);
  return table(
    `Last figures of ${name}`,
    columns,
    figures.map((figure) => columns.map(({ cell }) => cell(figure))),
  );
}

interface FigureColumn extends Column {
  readonly cell: (figure: Figure) => string;
}

/** Columns that no figure has anything in are left out. */
function figureColumns(figures: readonly Figure[]): readonly FigureColumn[] {
  const columns: readonly (FigureColumn & { readonly always?: boolean })[] = [
    { name: 'Figure', cell: ({ name }) => name, always: true },
    { name: 'Slot', cell: ({ slot }) => slot ?? 'all', always: true },
    { name: 'Value', cell: ({ value, unit }) => figureValue(value, unit), number: true, always: true },
    {
      name: 'Count',
      cell: ({ counts }) =>
        counts === undefined
          ? ''
          : [counts.counted, counts.of].map((count) => figureValue(count, 'count')).join(' of '),
    },
    {
      name: 'Beside',
      cell: ({ beside, unit }) =>
        beside === undefined ? '' : `${beside.slots.join(' and ')} ${figureValue(beside.value, unit)}`,
    },
    { name: 'Passes', cell: bounds, always: true },
  ];
  return columns.filter(
    ({ always, cell }) => always === true || figures.some((figure) => cell(figure) !== ''),
  );
}

/** Who let a shift go beyond its pauses. */
export function approvalsTable(approvals: readonly ApprovalRecord[]): Markup {
  return table(
    'Who let it continue',
    [{ name: 'Beyond' }, { name: 'Time (UTC)' }, { name: 'By' }],
    approvals.map(({ place, at, by }) => [`${place} % of the way`, time(at), by]),
  );
}

/** What was done and met. */
export function logTable(outcome: Pick<ShiftOutcome, 'startedAt' | 'log'>): Markup {
  return table(
    'Log',
    [{ name: 'After' }, { name: 'Time (UTC)' }, { name: 'What' }],
    outcome.log.map(({ at, text }) => [since(outcome, at), time(at), text]),
  );
}

/** `<time>` with the date and the time of the day. */
export function time(iso: string): Markup {
  const shown = iso.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
  return element('time', { datetime: iso }, shown);
}

function since({ startedAt }: Pick<ShiftOutcome, 'startedAt'>, at: string): string {
  return elapsed(Math.max(0, Date.parse(at) - Date.parse(startedAt)));
}

/** A table that scrolls on its own where it is too wide, by keyboard too. */
function table(caption: string, columns: readonly Column[], rows: readonly (readonly Content[])[]): Markup {
  const kind = (index: number): string | undefined => (columns[index]?.number ? 'number' : undefined);
  return element(
    'div',
    { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    element(
      'table',
      {},
      element('caption', {}, caption),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...columns.map(({ name }, index) => element('th', { scope: 'col', class: kind(index) }, name)),
        ),
      ),
      element(
        'tbody',
        {},
        ...rows.map(([first, ...rest]) =>
          element(
            'tr',
            {},
            element('th', { scope: 'row', class: kind(0) }, first),
            ...rest.map((cell, index) => element('td', { class: kind(index + 1) }, cell)),
          ),
        ),
      ),
    ),
  );
}

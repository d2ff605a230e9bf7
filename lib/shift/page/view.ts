import { formatWeights } from '../engine';
import type { CheckRecord } from '../engine';
import {
  answerTable,
  approvalsTable,
  checksSection,
  elapsed,
  element,
  folded,
  logSection,
  section,
  slotMarks,
  slotsOf,
  time,
  unbroken,
  verdicts,
  weightOf,
  weightsSection,
  weightsText,
} from '../report/parts';
import type { Content, Markup } from '../report/parts';
import type { Charts, DrawnCharts } from './charts';
import { drawn } from './so-far';
import type { ShiftSoFar } from './so-far';
import { possible, situationOf, timeLeft } from './state';
import type { Situation } from './state';

/** What a person at the page may do. */
export interface Viewer {
  /** The value that forms hold. @default - the person looks only */
  readonly value?: string;
  /** Whether forms ask for a name. */
  readonly asksName: boolean;
}

/** Buttons beside those of the shift: what a demo breaks. */
export interface PageControls {
  readonly title: string;
  readonly text: string;
  readonly actions: readonly { readonly name: string; readonly label: string }[];
  /** Name of the action that is in effect. */
  readonly chosen: () => string | undefined;
  readonly act: (name: string) => void;
}

/** One shift of a page. */
export interface PageRoute {
  /** Name of the route in the plan. */
  readonly name: string;
  readonly soFar: ShiftSoFar;
  /** Place at which the run asks for a person. @default - it asks for none */
  readonly waitsAt?: number;
  /** What is drawn for all that look. @default - it is drawn for each */
  readonly charts?: DrawnCharts;
}

/** What is drawn of a shift: parts that change on their own. */
export function routeParts(
  route: PageRoute,
  viewer: Viewer,
  now: number,
  controls?: PageControls,
): readonly (readonly [id: string, content: readonly Content[]])[] {
  const { soFar } = route;
  const charts = (): Charts => chartsOf(soFar, now);
  return [
    ['now', [status(soFar, now)]],
    ['actions', [actions(route, viewer)]],
    ...(controls ? [['controls', [!soFar.outcome && controlButtons(controls, viewer)]] as const] : []),
    ['facts', [facts(soFar, now), approvals(soFar)]],
    ['answers', [answers(soFar)]],
    ...(route.charts?.of(soFar.outcome, charts) ?? charts()),
  ];
}

function chartsOf(soFar: ShiftSoFar, now: number): Charts {
  const shift = drawn(soFar, now);
  return shift
    ? [
        ['weights', [weightsSection(shift)]],
        ['checks', [shift.checks.length > 0 && checksSection(shift)]],
        ['log', [logSection(shift)]],
      ]
    : [];
}

/** The parts as HTML; each is replaced on its own. */
export function partsMarkup(parts: ReturnType<typeof routeParts>): readonly Markup[] {
  return parts.map(([id, content]) => element('div', { id: `part-${id}`, 'data-part': id }, ...content));
}

/** What a person has to know at once. */
function status({ progress, outcome }: ShiftSoFar, now: number): Markup {
  if (outcome) {
    const [sentence = '', ...rest] = outcome.reason.split('\n');
    const word = verdicts[outcome.verdict];
    return element(
      'div',
      {
        class: `verdict verdict-${outcome.verdict}`,
        'data-said': `${word}. ${sentence}`,
        'data-over': 'yes',
      },
      element('strong', {}, word),
      element('p', { class: 'sentence' }, sentence),
      rest.length > 0 && element('p', {}, rest.join('\n')),
      weightBar(outcome.final ?? progress?.weights ?? null, slotsOf(outcome)),
    );
  }
  const situation = situationOf(progress, now);
  const { word, sentence, more, tone } = situation;
  const slots = Object.keys({ ...progress?.wanted, ...progress?.from });
  return element(
    'div',
    { class: `verdict tone-${tone}`, 'data-said': [word, sentence, ...more].join('. ') },
    element('strong', {}, word),
    element('p', { class: 'sentence' }, sentence, ...countdown(situation, now)),
    ...more.map((line) => element('p', {}, line)),
    weightBar(progress?.weights ?? null, slots),
  );
}

function countdown({ until }: Situation, now: number): readonly Content[] {
  return until === undefined
    ? []
    : [' ', element('span', { class: 'left' }, 'for another ', untilMarkup(until, now))];
}

/** A time that passes; a script counts it down. */
function untilMarkup(until: number, now: number): Markup {
  return element('span', { 'data-until': until }, timeLeft(until, now));
}

/** The live weights as one bar; numbers are below it, so that no one needs its colours. */
function weightBar(
  weights: ShiftSoFar['writes'][number]['weights'] | null,
  slots: readonly string[],
): Content {
  if (weights === null) {
    return false;
  }
  const marks = slotMarks(slots).filter(({ slot }) => Object.hasOwn(weights, slot));
  let left = 0;
  const bars = marks.map(({ slot, hue }) => {
    const weight = weightOf(weights, slot);
    const x = left;
    left += weight;
    return element('rect', {
      ...{ class: `cc-hue-${hue}`, x: `${x}%`, y: 0, width: `${weight}%`, height: '100%' },
    });
  });
  return element(
    'div',
    { class: 'split' },
    element('svg', { class: 'bar cc-chart', 'aria-hidden': 'true', focusable: 'false' }, ...bars),
    element(
      'ul',
      {},
      ...marks.map(({ slot, hue }) =>
        element(
          'li',
          {},
          element(
            'svg',
            { class: 'dot cc-chart', 'aria-hidden': 'true', focusable: 'false', viewBox: '0 0 10 10' },
            element('rect', { class: `cc-hue-${hue}`, width: 10, height: 10, rx: 3 }),
          ),
          `${slot} `,
          element('b', {}, `${weightOf(weights, slot)}\u00a0%`),
        ),
      ),
    ),
  );
}

/** A form that changes something. */
function actionForm(
  action: string,
  label: string,
  kind: string,
  viewer: Viewer,
  fields: Readonly<Record<string, string | number>>,
): Markup {
  return element(
    'form',
    { method: 'post', action, 'data-act': action },
    ...hiddenFields({ ...fields, value: viewer.value! }),
    nameField(viewer, action),
    element(
      'button',
      { class: `button ${kind}`, type: 'submit', id: `do${action.replaceAll('/', '-')}` },
      label,
    ),
  );
}

/** What a form holds besides. */
export function hiddenFields(fields: Readonly<Record<string, string | number>>): readonly Content[] {
  return Object.entries(fields).map(([name, value]) => element('input', { type: 'hidden', name, value }));
}

/** Where a person writes a name. */
export function nameField({ asksName }: Viewer, of: string, required = false): Content {
  const id = `name${of.replaceAll('/', '-')}`;
  return (
    asksName &&
    element(
      'span',
      { class: 'name' },
      element('label', { for: id }, 'Your name'),
      element('input', {
        ...{ id, name: 'name', type: 'text', maxlength: 60, autocomplete: 'name' },
        required: required ? 'required' : undefined,
      }),
    )
  );
}

function actions(route: PageRoute, viewer: Viewer): Content {
  const { continueBeyond, hold, rollBack } = possible(route.soFar, route.waitsAt);
  if (continueBeyond === undefined && !hold && !rollBack) {
    return false;
  }
  if (viewer.value === undefined) {
    const how =
      'You are looking only. To act, open the address that the command has printed: it has a token.';
    return element('p', { class: 'quiet looks' }, how);
  }
  const fields = { route: route.name };
  return element(
    'div',
    { class: 'actions', role: 'group', 'aria-label': 'What you can do' },
    continueBeyond !== undefined &&
      actionForm('/continue', 'Continue', 'primary', viewer, { ...fields, place: continueBeyond }),
    hold && actionForm('/hold', 'Hold', '', viewer, fields),
    rollBack &&
      element(
        'a',
        { class: 'button back', href: `/back?${new URLSearchParams({ route: route.name }).toString()}` },
        'Take it back…',
      ),
  );
}

function controlButtons({ title, text, actions: all, chosen }: PageControls, viewer: Viewer): Content {
  if (viewer.value === undefined) {
    return false;
  }
  const now = chosen();
  const { value } = viewer;
  return section(
    'controls',
    title,
    element('p', { class: 'quiet' }, text),
    element(
      'form',
      { method: 'post', action: '/control', class: 'actions', 'data-act': '/control' },
      ...hiddenFields({ value }),
      ...all.map(({ name, label }) =>
        element(
          'button',
          {
            ...{ class: 'button', type: 'submit', name: 'do', value: name, id: `do-control-${name}` },
            'aria-pressed': name === now ? 'true' : 'false',
          },
          label,
        ),
      ),
    ),
  );
}

function facts({ progress, outcome, startedAt, writes }: ShiftSoFar, now: number): Content {
  if (!progress) {
    return false;
  }
  const { from, wanted, endsAt, step, steps } = progress;
  const left: Content =
    outcome || endsAt === null ? undefined : element('span', {}, 'at least ', untilMarkup(endsAt, now));
  const rows: readonly (readonly [string, Content])[] = [
    ['Before', from === null ? 'not known yet' : unbroken(weightsText(from))],
    ['Wanted', unbroken(weightsText(wanted))],
    ...(outcome || steps === 0 ? [] : [['Step', `${step} of ${steps}`] as const]),
    ['Writes', writes.length],
    ['Began (UTC)', time(startedAt)],
    ...(left === undefined ? [] : [['Time left', left] as const]),
    ...(outcome ? [['Took', elapsed(Date.parse(outcome.endedAt) - Date.parse(startedAt))] as const] : []),
  ];
  return element(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );
}

function approvals({ progress, outcome }: ShiftSoFar): Content {
  const all = outcome?.approvals ?? progress?.approvals ?? [];
  return all.length > 0 && folded('Who let it continue', approvalsTable(all));
}

const marks: Readonly<Record<CheckRecord['status'], string>> = {
  pass: '● pass',
  inconclusive: '◇ inconclusive',
  fail: '✕ fail',
};

/** What each check has answered last. */
export function answers({ progress, outcome }: ShiftSoFar): Content {
  const last = progress?.checks ?? [];
  if (outcome || last.length === 0) {
    return false;
  }
  const items = last.map((check) =>
    element(
      'li',
      {},
      element('code', {}, check.name),
      element('strong', { class: `verdict-${check.status}` }, marks[check.status]),
      element('span', {}, check.reason),
      check.figures.length > 0 && folded('Figures, with what they are held against', answerTable(check)),
    ),
  );
  return section('answers', 'Checks now', element('ul', { class: 'answers' }, ...items));
}

/** One line about a route, for a plan with several. */
export function routeLine({ name, soFar }: PageRoute, now: number, isCurrent: boolean): Markup {
  const { outcome, progress } = soFar;
  const word = outcome ? verdicts[outcome.verdict] : situationOf(progress, now).word;
  const weights = outcome ? outcome.final : (progress?.weights ?? null);
  const what = progress === undefined && !outcome ? 'not begun' : word;
  return element(
    'li',
    {},
    element('a', { href: `/routes/${name}`, 'aria-current': isCurrent ? 'page' : undefined }, name),
    ` ${what}${weights === null ? '' : `, ${formatWeights(weights)}`}`,
  );
}

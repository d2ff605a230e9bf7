import { isBeyond } from '../engine';
import type { Figure } from '../engine';
import { at, failShape, label, lineShape, niceCeiling, pixel, slotShape, spread } from './drawing';
import type { SlotMark } from './drawing';
import { bounds, elapsed, figureValue, shortened } from './format';
import { element } from './markup';
import type { Content, Markup } from './markup';
import type { DrawnShift } from './timeline';

/** One figure of one check over time, for every slot that has it. */
interface FigurePanel {
  readonly check: string;
  readonly figure: string;
  readonly unit: Figure['unit'];
  readonly series: readonly FigureSeries[];
}

interface FigureSeries {
  /** Unset for a figure of the whole. */
  readonly slot?: string;
  /** What it is called where it is of several slots. @default - the slot, or all of them */
  readonly name?: string;
  readonly points: readonly FigurePoint[];
}

interface FigurePoint {
  /** Milliseconds since the start of the shift. */
  readonly at: number;
  readonly value: number | null;
  readonly min?: number;
  readonly max?: number;
  /** Whether the check failed over this figure. */
  readonly failed: boolean;
}

/** Every figure of every check, in the order in which they first came. */
export function figurePanels(shift: Pick<DrawnShift, 'startedAt' | 'checks'>): readonly FigurePanel[] {
  const start = Date.parse(shift.startedAt);
  const panels = new Map<string, FigurePanel & { readonly byName: Map<string, OpenSeries> }>();
  for (const { at, name, status, figures } of shift.checks) {
    const someFailed = figures.some(failsAlone);
    const moment = Math.max(0, Date.parse(at) - start);
    for (const figure of figures) {
      const { slot, unit, value, min, max, beside } = figure;
      const key = JSON.stringify([name, figure.name]);
      const panel = panels.get(key) ?? {
        ...{ check: name, figure: figure.name, unit, series: [] },
        byName: new Map<string, OpenSeries>(),
      };
      panels.set(key, panel);
      const pointsOf = (of: string, series: Omit<FigureSeries, 'points'>): FigurePoint[] => {
        const known = panel.byName.get(of) ?? { ...series, points: [] };
        panel.byName.set(of, known);
        return known.points;
      };
      // Where nothing says which figure it was, it was the check as a whole.
      const failed = status === 'fail' && (failsAlone(figure) || !someFailed);
      const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
      const own = slot === undefined ? {} : { slot };
      pointsOf(slot ?? '', own).push({ at: moment, value, ...bounds, failed });
      // A slot that has this figure of its own is drawn by that.
      if (beside !== undefined && !figures.some((other) => isOf(other, figure.name, beside.slots))) {
        const series = besideSeries(beside.slots, slot, figures);
        pointsOf(series.name ?? series.slot ?? '', series).push({
          at: moment,
          value: beside.value,
          failed: false,
        });
      }
    }
  }
  return [...panels.values()].map(({ byName, ...panel }) => ({ ...panel, series: [...byName.values()] }));
}

type OpenSeries = Omit<FigureSeries, 'points'> & { readonly points: FigurePoint[] };

function failsAlone(figure: Figure): boolean {
  return figure.failed === true || isBeyond(figure);
}

function isOf({ name, slot }: Figure, figure: string, slots: readonly string[]): boolean {
  return name === figure && slot !== undefined && slots.includes(slot);
}

/** What stands beside several slots differs for each of them. */
function besideSeries(
  slots: readonly string[],
  slot: string | undefined,
  figures: readonly Figure[],
): Omit<FigureSeries, 'points'> {
  const [only] = slots;
  const gaining = new Set(figures.flatMap((figure) => (figure.beside ? [figure.slot] : [])));
  return slots.length === 1 && gaining.size <= 1
    ? { slot: only! }
    : { name: `${slots.join('+')}${gaining.size > 1 ? ` by ${slot ?? 'all'}` : ''}` };
}

const width = 380;

const height = 190;

const [left, right, top, bottom] = [58, width - 82, 14, height - 28];

interface Scales {
  readonly x: (milliseconds: number) => number;
  readonly y: (value: number) => number;
  readonly least: number;
  readonly most: number;
}

/**
 * A small chart of one figure of one check, with its bounds.
 *
 * @param span milliseconds of the whole shift: every small chart has the same time axis
 */
export function figureChart(
  panel: FigurePanel,
  marks: readonly SlotMark[],
  span: number,
  prefix: string,
): Markup {
  const scales = scalesOf(panel, span);
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'cc-chart',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-labelledby': `${prefix}-title ${prefix}-description`,
    },
    element('title', { id: `${prefix}-title` }, `${panel.check}: ${panel.figure} over time`),
    element('desc', { id: `${prefix}-description` }, description(panel)),
    element('rect', { class: 'cc-surface', width, height }),
    ...axes(panel, span, scales),
    ...limits(panel, scales),
    ...panel.series.flatMap((series) => drawn(series, markOf(series, marks), scales)),
    ...names(panel, marks, scales),
    panel.series.every(({ points }) => points.every(({ value }) => value === null)) &&
      label((left + right) / 2, (top + bottom) / 2 + 4, 'no data', 'cc-quiet cc-halo', 'middle'),
  );
}

function scalesOf({ series, unit }: FigurePanel, span: number): Scales {
  const values = series.flatMap(({ points }) =>
    points.flatMap(({ value, min, max }) => [value, min, max].filter((each) => typeof each === 'number')),
  );
  const lowest = Math.min(0, ...values);
  const least = lowest < 0 ? -niceCeiling(-lowest) : 0;
  const reach = niceCeiling(Math.max(0, ...values) * 1.05);
  const most = unit === 'share' ? Math.min(Math.max(1, ...values), reach) : reach;
  return {
    x: (milliseconds) => left + (milliseconds / span) * (right - left),
    y: (value) => bottom - ((value - least) / (most - least)) * (bottom - top),
    least,
    most,
  };
}

function axes({ unit }: FigurePanel, span: number, { y, least, most }: Scales): readonly Content[] {
  const levels = [least, (least + most) / 2, most].flatMap((value) => [
    lineShape('cc-grid', left, y(value), right, y(value)),
    label(left - 7, y(value) + 4, figureValue(value, unit), 'cc-quiet', 'end'),
  ]);
  return [
    ...levels,
    lineShape('cc-axis', left, bottom, right, bottom),
    label(left, bottom + 17, '0 s', 'cc-quiet'),
    label(right, bottom + 17, elapsed(span), 'cc-quiet', 'end'),
  ];
}

/** Each bound as a line in steps, with what lies beyond it shaded; slots with the same bounds share them. */
function limits({ series, unit }: FigurePanel, scales: Scales): readonly Content[] {
  const seen = new Set<string>();
  return series.flatMap(({ points }) =>
    (['max', 'min'] as const).flatMap((bound) => {
      const known = points.filter((point) => point[bound] !== undefined);
      const [first] = known;
      if (first === undefined) {
        return [];
      }
      const steps = stepped(known, bound, scales);
      if (seen.has(steps)) {
        return [];
      }
      seen.add(steps);
      const beyond = bound === 'max' ? top : bottom;
      const value = first[bound]!;
      const y = scales.y(value);
      const text = bounds({ [bound]: value, unit });
      return [
        element('path', { class: 'cc-beyond', d: `M${steps}V${pixel(beyond)}H${pixel(left)}Z` }),
        element('path', { class: 'cc-limit', d: `M${steps}` }),
        label(left + 5, y < top + 16 ? y + 14 : y - 5, text, 'cc-quiet cc-halo'),
      ];
    }),
  );
}

function stepped(points: readonly FigurePoint[], bound: 'min' | 'max', { x, y }: Scales): string {
  const steps = points.map(
    (point, index) => `${index === 0 ? '' : `H${pixel(x(point.at))}`}V${pixel(y(point[bound]!))}`,
  );
  return `${at(left, y(points[0]![bound]!))}${steps.join('')}H${pixel(right)}`;
}

/** So far apart are points, in pixels. */
const leastApart = 12;

function drawn({ points }: FigureSeries, mark: SlotMark | undefined, { x, y }: Scales): readonly Content[] {
  // A gap in the figures is a gap in the line.
  let pen = 'M';
  const path = points.flatMap((point) => {
    if (point.value === null) {
      pen = 'M';
      return [];
    }
    const step = `${pen}${at(x(point.at), y(point.value))}`;
    pen = 'L';
    return [step];
  });
  let free = -Infinity;
  const shapes = points.flatMap(({ at: moment, value, failed }) => {
    // Points that would overlap are on the line all the same.
    const isShown = value !== null && (failed || x(moment) >= free);
    free = isShown ? x(moment) + leastApart : free;
    return isShown
      ? [slotShape(x(moment), y(value), mark?.index ?? 0), failed && failShape(x(moment), y(value))]
      : [];
  });
  return [
    element(
      'g',
      { class: `cc-hue-${mark?.hue ?? 'none'}` },
      path.length > 0 && element('path', { class: 'cc-line', d: path.join('') }),
      ...shapes,
    ),
  ];
}

/** The slot's name and last figure, beside the end of its line. */
function names({ series, unit }: FigurePanel, marks: readonly SlotMark[], { y }: Scales): readonly Content[] {
  const last = series.flatMap((each) => {
    const value = each.points.flatMap((point) => point.value ?? []).at(-1) ?? null;
    return value === null ? [] : [{ mark: markOf(each, marks), name: each.name, value }];
  });
  const places = spread(
    last.map(({ value }) => y(value)),
    30,
    top + 4,
    bottom - 12,
  );
  return last.flatMap(({ mark, name, value }, index) => [
    element(
      'g',
      { class: `cc-hue-${mark?.hue ?? 'none'}` },
      slotShape(right + 13, places[index]!, mark?.index ?? 0),
    ),
    label(right + 22, places[index]! + 4, shortened(name ?? mark?.slot ?? 'all', 8), 'cc-strong'),
    label(right + 22, places[index]! + 18, figureValue(value, unit), 'cc-quiet'),
  ]);
}

function markOf({ slot }: FigureSeries, marks: readonly SlotMark[]): SlotMark | undefined {
  return marks.find((mark) => mark.slot === slot);
}

/** What the chart shows, in words: for each slot the first, the highest and the last figure, and the bound. */
function description({ series, unit }: FigurePanel): string {
  return series
    .map(({ slot, name = slot ?? 'All', points }) => {
      const values = points.flatMap(({ value }) => value ?? []);
      if (values.length === 0) {
        return `${name}: no data.`;
      }
      const [first, last] = [values[0]!, values.at(-1)!];
      const bound = bounds({ ...points.at(-1)!, unit });
      const failures = points.filter(({ failed }) => failed).length;
      const parts = [
        `first ${figureValue(first, unit)}`,
        `highest ${figureValue(Math.max(...values), unit)}`,
        `last ${figureValue(last, unit)}`,
        ...(bound === '' ? [] : [`passes ${bound}`]),
        ...(failures === 0 ? [] : [`failed ${failures} ${failures === 1 ? 'time' : 'times'}`]),
      ];
      return `${name}: ${parts.join(', ')}.`;
    })
    .join(' ');
}

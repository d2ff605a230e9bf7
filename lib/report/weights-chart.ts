import type { ShiftOutcome } from '../shift';
import { chartStyle } from './chart-style';
import { eventLanes, lanesHeight } from './event-lanes';
import { elapsed } from './format';
import type { Content, Markup } from './markup';
import { element, styleElement } from './markup';
import { timeTicks } from './scale';
import { label, line, statusShape } from './shapes';
import { slotMarks } from './slot-marks';
import { textures } from './textures';
import type { Timeline } from './timeline';
import { slotsOf, timelineOf } from './timeline';
import type { Plot } from './weights-bands';
import { bandLabels, description, eventLines, weightBands } from './weights-bands';

/** How large a chart is drawn; text keeps its size. */
export interface ChartSize {
  /** Pixels. */
  readonly width: number;
  /** Pixels of the weights alone. */
  readonly depth: number;
  /** Letters of a slot's name beside its band. */
  readonly nameLength: number;
}

export const wide: ChartSize = { width: 960, depth: 280, nameLength: 14 };

/** For a telephone: the same chart, drawn for less room. */
export const narrow: ChartSize = { width: 400, depth: 200, nameLength: 8 };

const head = 34;
const axisRoom = 34;
const legendRoom = 40;

/**
 * The weights of a shift over time, with its writes and the verdicts of its checks below, as inline SVG.
 *
 * @param prefix of the identifiers in it; another one for each chart of a page
 */
export function weightsChart(outcome: ShiftOutcome, size: ChartSize, prefix: string, title: string): Markup {
  const timeline = timelineOf(outcome);
  const colours = new Map(slotMarks(slotsOf(outcome)).map((mark) => [mark.slot, mark]));
  const marks = timeline.slots.map((slot) => colours.get(slot)!);
  const plot = plotOf(timeline, size);
  const lanesTop = plot.bottom + axisRoom;
  const lanesBottom = lanesTop + lanesHeight(timeline);
  const height = lanesBottom + (timeline.checks.size > 0 ? legendRoom : 8);
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'cc-chart',
      viewBox: `0 0 ${size.width} ${height}`,
      width: size.width,
      height,
      role: 'img',
      'aria-labelledby': `${prefix}-title ${prefix}-description`,
    },
    element('title', { id: `${prefix}-title` }, title),
    element('desc', { id: `${prefix}-description` }, description(timeline)),
    textures(prefix, marks),
    element('rect', { class: 'cc-surface', width: size.width, height }),
    ...axes(timeline, plot, lanesBottom, size),
    ...(timeline.stretches.length === 0 ? unread(plot) : []),
    ...weightBands(timeline, marks, plot, prefix),
    ...eventLines(timeline, plot),
    ...bandLabels(timeline, marks, plot, size.nameLength),
    ...eventLanes(timeline, plot, lanesTop),
    ...(timeline.checks.size > 0 ? legend(plot.left, lanesBottom + 22) : []),
  );
}

/** The chart alone, as a file. */
export function chartFile(outcome: ShiftOutcome, title: string): string {
  const { text } = weightsChart(outcome, wide, 'shift', title);
  const style = styleElement(chartStyle).text;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replace('</svg>', () => `${style}</svg>`)}\n`;
}

function plotOf({ span }: Timeline, { width, depth, nameLength }: ChartSize): Plot {
  const [left, top] = [46, head];
  const right = width - 32 - nameLength * 7.4;
  const bottom = top + depth;
  return {
    left,
    right,
    top,
    bottom,
    x: (milliseconds) => left + (milliseconds / span) * (right - left),
    y: (percent) => bottom - (percent / 100) * depth,
  };
}

function axes(timeline: Timeline, plot: Plot, lanesBottom: number, { width }: ChartSize): readonly Content[] {
  const percents = [0, 25, 50, 75, 100].flatMap((percent) => [
    line('cc-grid', plot.left, plot.y(percent), plot.right, plot.y(percent)),
    label(plot.left - 8, plot.y(percent) + 4, `${percent} %`, 'cc-quiet', 'end'),
  ]);
  const times = timeTicks(timeline.span, Math.floor(width / 90)).flatMap((time) => [
    line('cc-grid', plot.x(time), plot.top, plot.x(time), lanesBottom),
    label(plot.x(time), plot.bottom + 18, elapsed(time), 'cc-quiet', 'middle'),
  ]);
  return [...percents, ...times, line('cc-axis', plot.left, plot.bottom, plot.right, plot.bottom)];
}

function unread({ left, right, top, bottom }: Plot): readonly Content[] {
  const text = 'The live weights could not be read.';
  return [label((left + right) / 2, (top + bottom) / 2 - 8, text, 'cc-quiet cc-halo', 'middle')];
}

function legend(left: number, y: number): readonly Content[] {
  const [pass, inconclusive, fail] = [left + 5, left + 65, left + 165];
  return [
    statusShape(pass, y - 4, 'pass'),
    label(pass + 12, y, 'pass', 'cc-quiet'),
    statusShape(inconclusive, y - 4, 'inconclusive'),
    label(inconclusive + 12, y, 'inconclusive', 'cc-quiet'),
    statusShape(fail, y - 4, 'fail'),
    label(fail + 12, y, 'fail', 'cc-quiet'),
  ];
}

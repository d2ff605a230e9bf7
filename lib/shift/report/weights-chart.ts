import type { ShiftOutcome } from '../engine';
import {
  at,
  label,
  lineShape,
  pixel,
  slotMarks,
  spread,
  statusShape,
  texture,
  textures,
  timeTicks,
} from './drawing';
import type { SlotMark } from './drawing';
import { chartStyle, eventLanes, lanesHeight } from './event-lanes';
import type { Plot } from './event-lanes';
import { elapsed, shortened, weightsText } from './format';
import { element, styleElement } from './markup';
import type { Content, Markup } from './markup';
import { slotsOf, timelineOf, weightOf } from './timeline';
import type { Stretch, Timeline } from './timeline';

const whole = 100;

/** The share of each slot over time, one on top of the other, each with a line along its upper edge. */
function weightBands(
  timeline: Timeline,
  marks: readonly SlotMark[],
  plot: Plot,
  prefix: string,
): readonly Markup[] {
  const bands = marks.map((mark, position) => {
    const below = marks.slice(0, position).map(({ slot }) => slot);
    const lower = edge(timeline.stretches, below, plot);
    const upper = edge(timeline.stretches, [...below, mark.slot], plot);
    return { mark, upper, d: `M${[...upper, ...[...lower].reverse()].join('L')}Z` };
  });
  const areas = bands.map(({ mark, d }) => {
    const fill = texture(prefix, mark.index);
    return element(
      'g',
      { class: `cc-hue-${mark.hue}` },
      element('path', { class: 'cc-band', d }),
      fill !== undefined && element('path', { d, fill }),
    );
  });
  // The lowest line last: where a slot has nothing, its line would else hide the one below.
  const edges = bands
    .reverse()
    .map(({ mark, upper }) =>
      element('path', { class: `cc-edge cc-hue-${mark.hue}`, d: `M${upper.join('L')}` }),
    );
  return timeline.stretches.length === 0 ? [] : [...areas, ...edges];
}

/** The sum of some slots' weights over time, as points of a line in steps. */
function edge(stretches: readonly Stretch[], slots: readonly string[], { x, y }: Plot): readonly string[] {
  return stretches.flatMap(({ from, to, weights }) => {
    const level = y(slots.reduce((sum, slot) => sum + weightOf(weights, slot), 0));
    return [at(x(from), level), at(x(to), level)];
  });
}

/** The name and the last weight of each slot, beside the end of its band. */
function bandLabels(
  timeline: Timeline,
  marks: readonly SlotMark[],
  plot: Plot,
  longest: number,
): readonly Content[] {
  const last = timeline.stretches.at(-1);
  if (last === undefined) {
    return [];
  }
  let sum = 0;
  const middles = marks.map(({ slot }) => {
    const weight = weightOf(last.weights, slot);
    sum += weight;
    return plot.y(Math.min(whole, sum - weight / 2));
  });
  const places = spread(middles, 32, plot.top + 8, plot.bottom - 16);
  return marks.flatMap(({ slot, hue }, index) => {
    const [middle, place] = [middles[index]!, places[index]!];
    const weight = weightOf(last.weights, slot);
    const leader = `M${at(plot.right + 2, middle)}L${at(plot.right + 8, place)}`;
    return [
      element('path', { class: 'cc-leader', d: leader }),
      element(
        'g',
        { class: `cc-hue-${hue}` },
        element('rect', {
          class: 'cc-point',
          x: pixel(plot.right + 10),
          y: pixel(place - 5),
          width: 10,
          height: 10,
          rx: 2,
        }),
      ),
      label(plot.right + 24, place + 4, shortened(slot, longest), weight > 0 ? 'cc-strong' : undefined),
      label(plot.right + 24, place + 18, `${weight} %`, weight > 0 ? undefined : 'cc-quiet'),
    ];
  });
}

/** Lines through the plot where the traffic went back, or where the shift ended in another way. */
function eventLines(timeline: Timeline, plot: Plot): readonly Content[] {
  const back = timeline.writes.find(({ rollback }) => rollback);
  const events = [
    ...(back === undefined ? [] : [{ at: back.at, text: 'rolled back' }]),
    ...(timeline.foreign === undefined ? [] : [{ at: timeline.foreign, text: 'found at the end' }]),
  ];
  return events.flatMap((event) => {
    const x = plot.x(event.at);
    const isLate = x > (plot.left + plot.right) / 2;
    return [
      lineShape('cc-event', x, plot.top - 8, x, plot.bottom),
      label(
        x + (isLate ? 4 : -4),
        plot.top - 12,
        `${event.text}, ${elapsed(event.at)}`,
        'cc-alert',
        isLate ? 'end' : undefined,
      ),
    ];
  });
}

/** What the chart shows, in words. */
function description(timeline: Timeline): string {
  const [first, last] = [timeline.stretches[0], timeline.stretches.at(-1)];
  if (first === undefined || last === undefined) {
    return 'The live weights could not be read.';
  }
  const steps = timeline.writes
    .map(
      ({ at: moment, weights, rollback }) =>
        `after ${elapsed(moment)} ${rollback ? 'back to ' : ''}${weightsText(weights)}`,
    )
    .join('; ');
  const written = steps === '' ? 'No weights were written.' : `Written: ${steps}.`;
  const foreign = timeline.foreign === undefined ? '' : ` Found at the end: ${weightsText(last.weights)}.`;
  return `At first ${weightsText(first.weights)}. ${written}${foreign}`;
}

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
    lineShape('cc-grid', plot.left, plot.y(percent), plot.right, plot.y(percent)),
    label(plot.left - 8, plot.y(percent) + 4, `${percent} %`, 'cc-quiet', 'end'),
  ]);
  const times = timeTicks(timeline.span, Math.floor(width / 90)).flatMap((time) => [
    lineShape('cc-grid', plot.x(time), plot.top, plot.x(time), lanesBottom),
    label(plot.x(time), plot.bottom + 18, elapsed(time), 'cc-quiet', 'middle'),
  ]);
  return [...percents, ...times, lineShape('cc-axis', plot.left, plot.bottom, plot.right, plot.bottom)];
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

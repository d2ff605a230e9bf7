import type { ShiftOutcome } from '../engine';
import {
  at,
  label,
  lineShape,
  slotMarks,
  slotShape,
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
import type { DrawnShift, Stretch, Timeline } from './timeline';

/** Heights that have a line: small weights have as many as large ones. */
const levels = [0, 1, 5, 10, 25, 50, 75, 100];

/**
 * The weight of each slot over time, as a line in steps; slots that gain have their area filled. The line of a slot that
 * loses is wider, so that two lines at the same height are both seen.
 */
function weightLines(
  timeline: Timeline,
  marks: readonly SlotMark[],
  plot: Plot,
  prefix: string,
): readonly Markup[] {
  if (timeline.stretches.length === 0) {
    return [];
  }
  const areas = marks
    .filter(({ slot }) => timeline.gaining.includes(slot))
    .map((mark) => {
      const fill = texture(prefix, mark.index);
      const [first, last] = [timeline.stretches[0]!, timeline.stretches.at(-1)!];
      const d = `M${at(plot.x(first.from), plot.bottom)}L${stepsOf(timeline.stretches, mark.slot, plot).join('L')}L${at(plot.x(last.to), plot.bottom)}Z`;
      return element(
        'g',
        { class: `cc-hue-${mark.hue}` },
        element('path', { class: 'cc-band', d }),
        fill !== undefined && element('path', { d, fill }),
      );
    });
  // Slots that gain come last, on top.
  const lines = [...marks].reverse().map((mark, position) =>
    element(
      'g',
      { class: `cc-hue-${mark.hue}` },
      element('path', {
        class: 'cc-edge',
        'stroke-width': 2.5 + 2 * Math.max(0, marks.length - 1 - position),
        d: `M${stepsOf(timeline.stretches, mark.slot, plot).join('L')}`,
      }),
    ),
  );
  return [...areas, ...lines];
}

/** The weight of a slot over time, as points of a line in steps. */
function stepsOf(stretches: readonly Stretch[], slot: string, { x, y }: Plot): readonly string[] {
  return stretches.flatMap(({ from, to, weights }) => {
    const level = y(weightOf(weights, slot));
    return [at(x(from), level), at(x(to), level)];
  });
}

/** The name and the last weight of each slot, beside the end of its line. */
function lineLabels(
  timeline: Timeline,
  marks: readonly SlotMark[],
  plot: Plot,
  longest: number,
): readonly Content[] {
  const last = timeline.stretches.at(-1);
  if (last === undefined) {
    return [];
  }
  const ends = marks.map(({ slot }) => plot.y(weightOf(last.weights, slot)));
  const places = spread(ends, 32, plot.top + 8, plot.bottom - 16);
  return marks.flatMap(({ slot, hue, index: shape }, index) => {
    const [end, place] = [ends[index]!, places[index]!];
    const weight = weightOf(last.weights, slot);
    const leader = `M${at(plot.right + 2, end)}L${at(plot.right + 8, place)}`;
    return [
      element('path', { class: 'cc-leader', d: leader }),
      element('g', { class: `cc-hue-${hue}` }, slotShape(plot.right + 15, place, shape)),
      label(plot.right + 24, place + 4, shortened(slot, longest), weight > 0 ? 'cc-strong' : undefined),
      label(plot.right + 24, place + 18, `${weight} %`, weight > 0 ? undefined : 'cc-quiet'),
    ];
  });
}

/** So many writes have their points on the lines; of more, the points would hide the lines. */
const mostPoints = 24;

/** The shape of each slot where its weight was written: colours are not needed to tell lines apart. */
function writePoints(timeline: Timeline, marks: readonly SlotMark[], plot: Plot): readonly Content[] {
  const moments = timeline.writes.length > mostPoints ? [] : timeline.writes;
  return [...marks]
    .reverse()
    .map(({ slot, hue, index }) =>
      element(
        'g',
        { class: `cc-hue-${hue}` },
        ...moments.map(({ at: moment, weights }) =>
          slotShape(plot.x(moment), plot.y(weightOf(weights, slot)), index),
        ),
      ),
    );
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
export const narrow: ChartSize = { width: 340, depth: 200, nameLength: 8 };

const head = 52;

const axisRoom = 34;

const legendRoom = 40;

/**
 * The weights of a shift over time, with its writes and the verdicts of its checks below, as inline SVG.
 *
 * @param prefix of the identifiers in it; another one for each chart of a page
 */
export function weightsChart(outcome: DrawnShift, size: ChartSize, prefix: string, title: string): Markup {
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
    ...weightLines(timeline, marks, plot, prefix),
    ...eventLines(timeline, plot),
    ...writePoints(timeline, marks, plot),
    ...lineLabels(timeline, marks, plot, size.nameLength),
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
  const [left, top] = [50, head];
  const right = width - 32 - nameLength * 7.4;
  const bottom = top + depth;
  return {
    left,
    right,
    top,
    bottom,
    x: (milliseconds) => left + (milliseconds / span) * (right - left),
    // One percent is a tenth of the height, where a linear scale would hide it.
    y: (percent) => bottom - Math.sqrt(percent / 100) * depth,
  };
}

function axes(timeline: Timeline, plot: Plot, lanesBottom: number, { width }: ChartSize): readonly Content[] {
  const percents = levels.flatMap((percent) => [
    lineShape('cc-grid', plot.left, plot.y(percent), plot.right, plot.y(percent)),
    label(plot.left - 8, plot.y(percent) + 4, `${percent} %`, 'cc-quiet', 'end'),
  ]);
  const times = timeTicks(timeline.span, Math.floor(width / 90)).flatMap((time) => [
    lineShape('cc-grid', plot.x(time), plot.top, plot.x(time), lanesBottom),
    label(plot.x(time), plot.bottom + 18, elapsed(time), 'cc-quiet', 'middle'),
  ]);
  const name = label(12, 16, 'weight, on a square-root scale', 'cc-quiet');
  return [name, ...percents, ...times, lineShape('cc-axis', plot.left, plot.bottom, plot.right, plot.bottom)];
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

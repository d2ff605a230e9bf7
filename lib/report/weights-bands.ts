import { weightsText, elapsed, shortened } from './format';
import type { Content, Markup } from './markup';
import { element } from './markup';
import { pixel, spread } from './scale';
import { at, label, line } from './shapes';
import type { SlotMark } from './slot-marks';
import { texture } from './textures';
import type { Stretch, Timeline } from './timeline';
import { weightOf } from './timeline';

/** Where the plot is, and how time and weight become places. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: (milliseconds: number) => number;
  readonly y: (percent: number) => number;
}

const whole = 100;

/** The share of each slot over time, one on top of the other, each with a line along its upper edge. */
export function weightBands(
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
export function bandLabels(
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
export function eventLines(timeline: Timeline, plot: Plot): readonly Content[] {
  const back = timeline.writes.find(({ rollback }) => rollback);
  const events = [
    ...(back === undefined ? [] : [{ at: back.at, text: 'rolled back' }]),
    ...(timeline.foreign === undefined ? [] : [{ at: timeline.foreign, text: 'found at the end' }]),
  ];
  return events.flatMap((event) => {
    const x = plot.x(event.at);
    const isLate = x > (plot.left + plot.right) / 2;
    return [
      line('cc-event', x, plot.top - 8, x, plot.bottom),
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
export function description(timeline: Timeline): string {
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

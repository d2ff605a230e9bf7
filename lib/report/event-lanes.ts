import { elapsed, shortened, weightsText } from './format';
import type { Content } from './markup';
import { element } from './markup';
import { pixel } from './scale';
import { label, line, statusShape } from './shapes';
import type { Timeline, WriteMoment } from './timeline';
import { weightOf } from './timeline';
import type { Plot } from './weights-bands';

/** A lane has its name on top and its marks below; the marks of writes have a text as well. */
const nameDepth = 11;
const writesHeight = 54;
const checkHeight = 38;

const letterWidth = 6.2;

/** Height of all lanes: one for the writes, and one for each check. */
export function lanesHeight({ checks }: Timeline): number {
  return writesHeight + checkHeight * checks.size;
}

/** Below the weights, on the same time axis: the writes, and every verdict of every check. */
export function eventLanes(timeline: Timeline, plot: Plot, top: number): readonly Content[] {
  const checks = [...timeline.checks].flatMap(([name, moments], index) => {
    const start = top + writesHeight + checkHeight * index;
    const y = start + 26;
    return [
      ...lane(plot, start, y, name),
      ...moments.map(({ at, status, reason }) =>
        statusShape(plot.x(at), y, status, `${elapsed(at)}: ${status}: ${reason}`),
      ),
    ];
  });
  return [...writesLane(timeline, plot, top), ...checks];
}

function writesLane(timeline: Timeline, plot: Plot, top: number): readonly Content[] {
  const y = top + 38;
  const [gaining] = timeline.slots;
  const ofOne = timeline.slots.length <= 2 && gaining !== undefined;
  const name = ofOne ? `writes, by the weight of ${gaining}` : `writes, as ${timeline.slots.join('/')}`;
  const text = ({ weights }: WriteMoment): string =>
    ofOne
      ? `${weightOf(weights, gaining)} %`
      : timeline.slots.map((slot) => weightOf(weights, slot)).join('/');
  let free = -Infinity;
  const marks = timeline.writes.flatMap((write) => {
    const x = plot.x(write.at);
    const width = text(write).length * letterWidth;
    const hasRoom = x - width / 2 >= free;
    free = hasRoom ? x + width / 2 + letterWidth : free;
    const kind = write.rollback ? 'cc-write cc-write-back' : 'cc-write';
    return [
      element(
        'line',
        { class: kind, x1: pixel(x), x2: pixel(x), y1: pixel(y - 5), y2: pixel(y + 5) },
        element('title', {}, `${elapsed(write.at)}: ${weightsText(write.weights)}`),
      ),
      hasRoom && label(x, y - 9, text(write), write.rollback ? 'cc-alert' : undefined, 'middle'),
    ];
  });
  return [...lane(plot, top, y, name), ...marks];
}

function lane(plot: Plot, top: number, y: number, name: string): readonly Content[] {
  const longest = Math.floor((plot.right - plot.left) / letterWidth);
  return [
    line('cc-grid', plot.left, y, plot.right, y),
    label(plot.left, top + nameDepth, shortened(name, longest), 'cc-quiet'),
  ];
}

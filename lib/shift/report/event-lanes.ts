import { label, lineShape, pixel, statusShape } from './drawing';
import { elapsed, shortened, weightsText } from './format';
import { element } from './markup';
import type { Content } from './markup';
import { weightOf } from './timeline';
import type { CheckMoment, Timeline, WriteMoment } from './timeline';

/**
 * Colours and lines of the charts. The same text is in the page and in the SVG file, so every class begins with
 * `cc-`. Dark colours are for screens only: paper is white.
 */
const light = `
  --cc-surface: #ffffff; --cc-ink: #1c2430; --cc-quiet: #586474; --cc-grid: #e3e7ec; --cc-axis: #8894a1;
  --cc-good: #46566a; --cc-bad: #b3261e; --cc-bad-area: #b3261e14;
  --cc-blue: #3474b9; --cc-orange: #c77d12; --cc-green: #1c8a68; --cc-purple: #9c5a94; --cc-red: #b8503c;`;

const dark = `
  --cc-surface: #141a21; --cc-ink: #e6ebf0; --cc-quiet: #9fabb8; --cc-grid: #28313b; --cc-axis: #5c6875;
  --cc-good: #aab7c5; --cc-bad: #ff8a80; --cc-bad-area: #ff8a801a;
  --cc-blue: #5b9bdf; --cc-orange: #e0a040; --cc-green: #3fb48f; --cc-purple: #c78abf; --cc-red: #e08370;`;

export const chartStyle = `
.cc-chart {${light}
  color-scheme: light dark; forced-color-adjust: none;
  font: 12px/1.3 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
@media screen and (prefers-color-scheme: dark) { .cc-chart {${dark} } }
.cc-surface { fill: var(--cc-surface); }
.cc-chart text { fill: var(--cc-ink); font-variant-numeric: tabular-nums; unicode-bidi: isolate; }
.cc-chart .cc-quiet { fill: var(--cc-quiet); }
.cc-chart .cc-strong { font-weight: 600; }
.cc-chart .cc-alert { fill: var(--cc-bad); font-weight: 600; }
.cc-chart .cc-halo { paint-order: stroke; stroke: var(--cc-surface); stroke-width: 4px; stroke-linejoin: round; }
.cc-grid { stroke: var(--cc-grid); stroke-width: 1; }
.cc-axis { stroke: var(--cc-axis); stroke-width: 1; }
.cc-leader { stroke: var(--cc-axis); stroke-width: 1; fill: none; }
.cc-band { fill: var(--hue); fill-opacity: 0.2; }
.cc-edge { stroke: var(--hue); fill: none; stroke-linejoin: round; }
.cc-texture-ink { stroke: var(--hue); stroke-opacity: 0.55; fill: none; }
.cc-texture-dot { fill: var(--hue); fill-opacity: 0.55; }
.cc-event { stroke: var(--cc-bad); stroke-width: 1.5; stroke-dasharray: 5 4; }
.cc-event-quiet { stroke: var(--cc-ink); stroke-width: 1.5; stroke-dasharray: 2 4; }
.cc-write { stroke: var(--cc-good); stroke-width: 2; stroke-linecap: round; }
.cc-write-back { stroke: var(--cc-bad); }
.cc-pass { fill: var(--cc-good); }
.cc-inconclusive { fill: var(--cc-surface); stroke: var(--cc-good); stroke-width: 1.5; }
.cc-fail { stroke: var(--cc-bad); stroke-width: 2.5; stroke-linecap: round; fill: none; }
.cc-line { stroke: var(--hue); stroke-width: 2; fill: none; stroke-linejoin: round; }
.cc-point { fill: var(--hue); stroke: var(--cc-surface); stroke-width: 1; }
.cc-limit { stroke: var(--cc-bad); stroke-width: 1.25; stroke-dasharray: 5 4; fill: none; }
.cc-beyond { fill: var(--cc-bad-area); }
.cc-hue-blue { --hue: var(--cc-blue); } .cc-hue-orange { --hue: var(--cc-orange); }
.cc-hue-green { --hue: var(--cc-green); } .cc-hue-purple { --hue: var(--cc-purple); }
.cc-hue-red { --hue: var(--cc-red); } .cc-hue-none { --hue: var(--cc-good); }
`;

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
      ...apart(moments, plot).map(({ at, status, reason }) =>
        statusShape(plot.x(at), y, status, `${elapsed(at)}: ${status}: ${reason}`),
      ),
    ];
  });
  return [...writesLane(timeline, plot, top), ...checks];
}

/** So far apart are marks of one status, in pixels: of those that would overlap, the first is drawn. */
const leastApart = 14;

function apart(moments: readonly CheckMoment[], plot: Plot): readonly CheckMoment[] {
  let last: CheckMoment | undefined;
  return moments.filter((moment) => {
    const hides = last?.status === moment.status && plot.x(moment.at) - plot.x(last.at) < leastApart;
    last = hides ? last : moment;
    return !hides;
  });
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
    lineShape('cc-grid', plot.left, y, plot.right, y),
    label(plot.left, top + nameDepth, shortened(name, longest), 'cc-quiet'),
  ];
}

/** Where the plot is, and how time and weight become places. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: (milliseconds: number) => number;
  readonly y: (percent: number) => number;
}

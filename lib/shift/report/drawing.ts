import type { CheckStatus } from '../engine';
import { element } from './markup';
import type { Markup } from './markup';

/** How a slot is shown: colour, pattern and shape each distinguish slots on their own. */
export interface SlotMark {
  readonly slot: string;
  readonly hue: Hue;
  /** Number of the pattern and the shape, from 0. */
  readonly index: number;
}

export type Hue = (typeof hues)[number];

/**
 * The first ones are distinguished with every kind of colour-blindness; the order is of the set by Okabe and Ito.
 *
 * @see https://jfly.uni-koeln.de/color/
 */
const hues = ['blue', 'orange', 'green', 'purple', 'red'] as const;

/** Slots are often named after colours: a slot `green` drawn in orange would be misread. */
const names: Readonly<Record<string, Hue>> = {
  amber: 'orange',
  crimson: 'red',
  magenta: 'purple',
  pink: 'purple',
  violet: 'purple',
  yellow: 'orange',
  ...Object.fromEntries(hues.map((hue) => [hue, hue])),
};

/** The marks of the slots, in their order. */
export function slotMarks(slots: readonly string[]): readonly SlotMark[] {
  const named = new Map<string, Hue>();
  const taken = new Set<Hue>();
  for (const slot of slots) {
    const hue = Object.hasOwn(names, slot) ? names[slot] : undefined;
    if (hue !== undefined && !taken.has(hue)) {
      named.set(slot, hue);
      taken.add(hue);
    }
  }
  return slots.map((slot, index) => {
    const hue = named.get(slot) ?? hues.find((free) => !taken.has(free)) ?? hues[index % hues.length]!;
    taken.add(hue);
    return { slot, hue, index };
  });
}

const second = 1000;

const minute = 60 * second;

const hour = 60 * minute;

const timeSteps = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((amount) => amount * second),
  ...[1, 2, 5, 10, 15, 30].map((amount) => amount * minute),
  ...[1, 2, 3, 6, 12, 24].map((amount) => amount * hour),
];

/** Places on a time axis from 0, at most `most` of them beside the first. */
export function timeTicks(span: number, most: number): readonly number[] {
  const day = 24 * hour;
  const step =
    timeSteps.find((each) => span / each <= most) ?? day * Math.ceil(span / day / Math.max(1, most));
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
}

/** What is smaller has no power of ten left that is a number, and is nothing on any axis. */
const least = 1e-300;

/** The smallest 1, 2, 2.5 or 5 times a power of ten that is not below the value. */
export function niceCeiling(value: number): number {
  if (!(value >= least) || !Number.isFinite(value)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= value * (1 - 1e-9))!;
  return factor * power;
}

/** Moves labels apart that would overlap, and keeps them between two ends where there is room. */
export function spread(
  wanted: readonly number[],
  distance: number,
  least: number,
  most: number,
): readonly number[] {
  const order = wanted.map((_, index) => index).sort((one, other) => wanted[one]! - wanted[other]!);
  const placed = [...wanted];
  let floor = least;
  for (const index of order) {
    placed[index] = Math.max(placed[index]!, floor);
    floor = placed[index] + distance;
  }
  let ceiling = most;
  for (const index of order.reverse()) {
    placed[index] = Math.min(placed[index]!, ceiling);
    ceiling = placed[index] - distance;
  }
  return placed;
}

/** A coordinate, short: a tenth of a pixel is not seen. */
export function pixel(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A circle, a square, a triangle, a diamond, a triangle on its head: one a slot, so that colour is not needed. */
const outlines: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `M${at(x - 3.5, y)}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z`,
  (x, y) => `M${at(x - 3.2, y - 3.2)}h6.4v6.4h-6.4z`,
  (x, y) => `M${at(x, y - 4.4)}l4.2 7.4h-8.4z`,
  (x, y) => `M${at(x, y - 4.8)}l4.8 4.8l-4.8 4.8l-4.8 -4.8z`,
  (x, y) => `M${at(x, y + 4.4)}l4.2 -7.4h-8.4z`,
];

/** The point of a slot. */
export function slotShape(x: number, y: number, index: number): Markup {
  return element('path', { class: 'cc-point', d: outlines[index % outlines.length]!(x, y) });
}

/** A verdict of a check: a full dot, an empty diamond, a cross. */
export function statusShape(x: number, y: number, status: CheckStatus, title?: string): Markup {
  const tip = title !== undefined && element('title', {}, title);
  switch (status) {
    case 'pass':
      return element('path', { class: 'cc-pass', d: outlines[0]!(x, y) }, tip);
    case 'inconclusive':
      return element('path', { class: 'cc-inconclusive', d: outlines[3]!(x, y) }, tip);
    case 'fail':
      return element('path', { class: 'cc-fail', d: cross(x, y, 4.5) }, tip);
  }
}

/** A cross over a figure beyond its bound. */
export function failShape(x: number, y: number): Markup {
  return element('path', { class: 'cc-fail', d: cross(x, y, 5.5) });
}

function cross(x: number, y: number, arm: number): string {
  return `M${at(x - arm, y - arm)}L${at(x + arm, y + arm)}M${at(x + arm, y - arm)}L${at(x - arm, y + arm)}`;
}

/** `12.5 40` */
export function at(x: number, y: number): string {
  return `${pixel(x)} ${pixel(y)}`;
}

/** A line from one point to another. */
export function lineShape(kind: string, x1: number, y1: number, x2: number, y2: number): Markup {
  return element('line', { class: kind, x1: pixel(x1), y1: pixel(y1), x2: pixel(x2), y2: pixel(y2) });
}

/** Text at a point. */
export function label(x: number, y: number, text: string, kind?: string, anchor?: 'middle' | 'end'): Markup {
  return element('text', { x: pixel(x), y: pixel(y), class: kind, 'text-anchor': anchor }, text);
}

const size = 8;

/** What lies over the colour of a band: nothing, stripes, dots, stripes the other way, level lines. */
const drawings: readonly (() => Markup | undefined)[] = [
  () => undefined,
  () => stroke('M-2 10L10 -2M-2 2L2 -2M6 10L10 6'),
  () => element('circle', { class: 'cc-texture-dot', cx: 4, cy: 4, r: 1.3 }),
  () => stroke('M-2 -2L10 10M-2 6L2 10M6 -2L10 2'),
  () => stroke('M0 4H8'),
];

/** Definitions of the patterns of the slots. */
export function textures(prefix: string, marks: readonly SlotMark[]): Markup {
  const patterns = marks.map(({ index, hue }) => {
    const drawing = drawings[index % drawings.length]!();
    return (
      drawing &&
      element(
        'pattern',
        {
          id: textureId(prefix, index),
          class: `cc-hue-${hue}`,
          width: size,
          height: size,
          patternUnits: 'userSpaceOnUse',
        },
        drawing,
      )
    );
  });
  return element('defs', {}, ...patterns);
}

/** The fill of a slot's pattern; unset where it has none. */
export function texture(prefix: string, index: number): string | undefined {
  return index % drawings.length === 0 ? undefined : `url(#${textureId(prefix, index)})`;
}

function textureId(prefix: string, index: number): string {
  return `${prefix}-texture-${index}`;
}

function stroke(d: string): Markup {
  return element('path', { class: 'cc-texture-ink', 'stroke-width': 1.4, d });
}

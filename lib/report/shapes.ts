import type { CheckStatus } from '../shift';
import type { Markup } from './markup';
import { element } from './markup';
import { pixel } from './scale';

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
export function line(kind: string, x1: number, y1: number, x2: number, y2: number): Markup {
  return element('line', { class: kind, x1: pixel(x1), y1: pixel(y1), x2: pixel(x2), y2: pixel(y2) });
}

/** Text at a point. */
export function label(x: number, y: number, text: string, kind?: string, anchor?: 'middle' | 'end'): Markup {
  return element('text', { x: pixel(x), y: pixel(y), class: kind, 'text-anchor': anchor }, text);
}

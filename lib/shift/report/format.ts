import type { Figure, Weights } from '../engine';

const second = 1000;

const minute = 60 * second;

const hour = 60 * minute;

/** Time since the start, for a person: `0 s`, `2 min 30 s`, `1 h 5 min`. */
export function elapsed(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 10 * second) {
    return `${figureDigits(Math.round(milliseconds / 100) / 10)} s`;
  }
  const rounded = Math.round(milliseconds / second) * second;
  const parts = [
    [Math.floor(rounded / hour), 'h'],
    [Math.floor((rounded % hour) / minute), 'min'],
    [(rounded % minute) / second, 's'],
  ] as const;
  const shown = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`);
  return shown.slice(0, 2).join(' ') || '0 s';
}

/** A figure's value, or one of its bounds, with its unit: `1.1 %`, `12,000`, `0.25 s`. */
export function figureValue(value: number | null, unit: Figure['unit']): string {
  if (value === null) {
    return 'no data';
  }
  switch (unit) {
    case 'share':
      return `${figureDigits(value * 100)} %`;
    case 'seconds':
      return `${figureDigits(value)} s`;
    case 'perSecond':
      return `${figureDigits(value)} /s`;
    case 'count':
    case undefined:
      return figureDigits(value);
  }
}

/** Three digits are enough to compare; a whole number is shown as it is. */
function figureDigits(value: number): string {
  if (!Number.isFinite(value)) {
    return String(value);
  }
  const options = Number.isInteger(value) ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
  return value.toLocaleString('en-US', options);
}

/** What a figure is held against: `at most 1 %`, `from 200 to 400`, or nothing. */
export function bounds({ min, max, unit }: Pick<Figure, 'min' | 'max' | 'unit'>): string {
  if (min !== undefined && max !== undefined) {
    return `from ${figureValue(min, unit)} to ${figureValue(max, unit)}`;
  }
  if (max !== undefined) {
    return `at most ${figureValue(max, unit)}`;
  }
  return min === undefined ? '' : `at least ${figureValue(min, unit)}`;
}

/** `blue 90 %, green 10 %` */
export function weightsText(weights: Weights): string {
  return Object.entries(weights)
    .map(([slot, weight]) => `${slot} ${weight} %`)
    .join(', ');
}

/** Cuts a name that does not fit; the whole one is in the tables. */
export function shortened(name: string, longest: number): string {
  const characters = Array.from(name);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : name;
}

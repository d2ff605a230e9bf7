import { formatDuration } from '../../core/durations';
import type { CheckResult, Figure } from './check';
import type { Verdict } from './outcome';
import type { Weights } from './weights';

/** `blue 90, green 10` */
export function formatWeights(weights: Weights): string {
  const parts = Object.entries(weights).map(([slot, weight]) => `${slot} ${weight}`);
  return parts.join(', ') || 'none';
}

/** How a shift has ended, in a sentence about it. */
export const endWords: Readonly<Record<Verdict, string>> = {
  completed: 'completed',
  rolledBack: 'rolled back',
  held: 'held where it was',
  aborted: 'aborted',
};

/** The first sentence about a shift of a program that did not complete. */
export function endSentence(what: string, verdict: Verdict): string {
  return `The traffic shift of ${what} was ${endWords[verdict]}.`;
}

/** Whether an error, which Pulumi has as a text alone, is of a shift that was aborted. */
export function saysAborted(text: string): boolean {
  return /The traffic shift of .+ was aborted\./.test(text);
}

/** `error share of green 5.2 % (52 of 1000, blue 0.1 %, at most 1 %)` */
export function formatFigure(figure: Figure): string {
  const { name, slot, value, unit, min, max, counts, beside } = figure;
  const bounds = [
    ...(counts === undefined ? [] : [`${round(counts.counted)} of ${round(counts.of)}`]),
    ...(beside === undefined
      ? []
      : [`${beside.slots.join(' and ')} ${beside.value === null ? 'unknown' : amount(beside.value, unit)}`]),
    ...(min === undefined ? [] : [`at least ${amount(min, unit)}`]),
    ...(max === undefined ? [] : [`at most ${amount(max, unit)}`]),
  ];
  const of = slot === undefined ? name : `${name} of ${slot}`;
  const held = bounds.length > 0 ? ` (${bounds.join(', ')})` : '';
  return `${of} ${value === null ? 'unknown' : amount(value, unit)}${held}`;
}

/** A check's result in one line, with its figures. */
export function formatResult(result: CheckResult & { readonly name: string }): string {
  const figures = result.figures.map(formatFigure).join('; ');
  return `${result.name}: ${result.reason}${figures ? ` [${figures}]` : ''}`;
}

/** `2m30s`, without parts of a second where it is longer than one. */
export function formatRoundedDuration(milliseconds: number): string {
  const whole = milliseconds < 1000 ? Math.round(milliseconds) : Math.round(milliseconds / 1000) * 1000;
  return formatDuration(Math.max(0, whole));
}

function amount(value: number, unit: Figure['unit']): string {
  switch (unit) {
    case 'share':
      return `${round(value * 100)} %`;
    case 'seconds':
      return `${round(value)} s`;
    case 'perSecond':
      return `${round(value)}/s`;
    case 'count':
    case undefined:
      return String(round(value));
  }
}

/** Four digits say enough. */
function round(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}

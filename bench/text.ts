import type { Spread } from './measure';

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [lines[0]!, `|${'---|'.repeat(head.length)}`, ...lines.slice(1)];
}

/** The middle value, with the least and the greatest. */
export function spread({ median, min, max }: Spread): string {
  return `${number(median)} (${number(min)}–${number(max)})`;
}

/** Three digits or so. */
export function number(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** With thousands apart. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** When a section was measured that can be measured alone, and what else the machine did. */
export function measuredLine(date: string, node: string, load: number): string {
  return `Measured ${date} with Node.js ${node}; load average before: ${number(load)}.`;
}

import { isMapping } from '../problems';
import type { Figure } from '../shift';

/** What a program says for itself on stdout. */
export interface ProgramOutput {
  /** One line. */
  readonly reason?: string;
  readonly figures: readonly Figure[];
  /** Names of figures with a bound that have no value to hold against it. @default - none */
  readonly unknown?: readonly string[];
}

/** A report has room for some figures and one line. */
const mostFigures = 50;
const longestText = 200;

const units: readonly unknown[] = ['share', 'count', 'seconds', 'perSecond'];

/**
 * Reads `{ "reason": "…", "figures": [{ "name": "queue", "slot": "green", "value": 3, "max": 10 }] }`, where everything but
 * a figure's name and value may be left out. Other output, and entries of another form, say nothing: the exit status
 * decides, and text that nobody has asked for may hold secrets. A figure with a bound and without a value that can be held
 * against it is named: `null`, text, and the `NaN` and `Infinity` that some languages write for JSON.
 */
export function readProgramOutput(text: string): ProgramOutput {
  let content: unknown;
  try {
    content = JSON.parse(withoutBareWords(text));
  } catch {
    return { figures: [] };
  }
  const { reason, figures } = (isMapping(content) ? content : {}) as { reason?: unknown; figures?: unknown };
  const list: readonly unknown[] = Array.isArray(figures) ? figures : [];
  const unknown = list.flatMap(unknownIn);
  return {
    ...(typeof reason === 'string' && reason.trim() !== '' ? { reason: line(reason) } : {}),
    figures: list.slice(0, mostFigures).flatMap(figureOf),
    ...(unknown.length > 0 ? { unknown } : {}),
  };
}

/** As Python's `json` writes what is no finite number. Such a word within a text is left as it is. */
function withoutBareWords(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"?|-?\bInfinity\b|\bNaN\b/g, (found) =>
    found.startsWith('"') ? found : 'null',
  );
}

function unknownIn(entry: unknown): readonly string[] {
  if (!isMapping(entry) || typeof entry.name !== 'string' || isNumber(entry.value)) {
    return [];
  }
  return isNumber(entry.min) || isNumber(entry.max) ? [line(entry.name)] : [];
}

function figureOf(entry: unknown): Figure[] {
  if (!isMapping(entry) || typeof entry.name !== 'string' || !isValue(entry.value)) {
    return [];
  }
  const { name, slot, value, unit, min, max } = entry;
  return [
    {
      name: line(name),
      value: value as number | null,
      ...(typeof slot === 'string' ? { slot: line(slot) } : {}),
      ...(units.includes(unit) ? { unit: unit as Figure['unit'] & string } : {}),
      ...(isNumber(min) ? { min } : {}),
      ...(isNumber(max) ? { max } : {}),
    },
  ];
}

function line(text: string): string {
  const short = text.replace(/\s+/g, ' ').trim();
  return short.length > longestText ? `${short.slice(0, longestText - 1)}…` : short;
}

function isValue(value: unknown): boolean {
  return value === null || isNumber(value);
}

/** JSON has no other numbers, but `1e999` is read as infinity. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

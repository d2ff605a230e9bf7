import type { Format } from '../core/validation/problems';

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const fields: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  {
    least: 1,
    most: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { least: 0, most: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/**
 * A schedule of five fields as Argo CD's parser reads it: minute, hour, day of month, month, day of week
 * (0 to 6; 7 is no Sunday there).
 * @see https://pkg.go.dev/github.com/robfig/cron/v3#hdr-CRON_Expression_Format
 */
export const cronSchedule: Format = {
  allowed: 'five cron fields (minute, hour, day of month, month, day of week 0-6), such as "0 22 * * 1-5"',
  accepts: (value) => {
    if (typeof value !== 'string') {
      return false;
    }
    const texts = value.trim().split(/\s+/);
    return (
      texts.length === fields.length &&
      texts.every((text, position) => text.split(',').every((part) => isRange(part, fields[position]!)))
    );
  },
};

/** `*`, `5`, `1-5`, each with an optional `/step`. */
function isRange(text: string, field: Field): boolean {
  const match = /^(\*|\?|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/(\d+))?$/i.exec(text);
  if (!match) {
    return false;
  }
  const [, whole, from, to, step] = match;
  if (step !== undefined && Number(step) < 1) {
    return false;
  }
  if (whole === '*' || whole === '?') {
    return true;
  }
  const start = numberOf(from!, field);
  const end = to === undefined ? start : numberOf(to, field);
  return start >= field.least && end <= field.most && start <= end;
}

/** NaN, which no comparison lets pass, for what is neither a number nor a name. */
function numberOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) {
    return field.least + named;
  }
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

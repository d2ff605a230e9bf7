import { oneLine } from '../printable-text';

/** What a server or an object says, as one line that is not too long. */
export function said(text = ''): string {
  const line = oneLine(text.replace(/\s+/g, ' ').trim());
  return line.length > 400 ? `${line.slice(0, 397)}...` : line;
}

/** `a, b, c and 4 more` */
export function listed(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map(said).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

/** `1 node group`, `3 node groups` */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

import { oneLine } from '../../core/printable-text';
import type { PageRequest } from './guard';

/** No name of a person is longer; in characters. */
const longestName = 60;

/** Who does something on a page, and how that is known. */
export function personOf(
  { headers }: Pick<PageRequest, 'headers'>,
  {
    by,
    approverHeader,
    places,
  }: {
    /** Who runs the shift: user and machine. */
    readonly by: string;
    readonly approverHeader?: string;
    readonly places: { readonly publicUrl?: string };
  },
  typed: string | undefined,
): string {
  const named = approverHeader === undefined ? '' : shown(headers[approverHeader]);
  if (named !== '') {
    return `${named} (${approverHeader})`;
  }
  const name = shown(typed);
  if (name !== '') {
    return `${name} (as written there)`;
  }
  return places.publicUrl === undefined ? by : `a person with the address that ${by} has`;
}

function shown(text: string | undefined): string {
  return oneLine(text ?? '')
    .trim()
    .slice(0, longestName);
}

import { shellWord } from '../../core/process/shell-word';
import type { PreviewValue, SlotPreview } from '../engine';

/** What a person sets to the value of a header that is read from a file, or that a program keeps. */
export const previewVariable = 'PREVIEW_VALUE';

/**
 * The command that asks a slot, for a POSIX shell. A value that is read from somewhere stands there as a variable: the one that
 * it is read from, or `$PREVIEW_VALUE`.
 */
export function curlLine({ url, headers = {} }: SlotPreview): string {
  return [
    'curl',
    // curl takes these for patterns.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    shellWord(url),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', headerWord(name, value)]),
  ].join(' ');
}

function headerWord(name: string, value: PreviewValue): string {
  if (typeof value === 'string') {
    return shellWord(`${name}: ${value}`);
  }
  const variable = 'env' in value ? value.env : previewVariable;
  return /^[A-Za-z0-9-]+$/.test(name) ? `"${name}: $${variable}"` : `${shellWord(`${name}: `)}"$${variable}"`;
}

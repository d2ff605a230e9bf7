import type { Untyped } from './mapping';
import { nearKey } from './near-key';
import type { Problems } from './problems';

/** Nobody corrects more keys by hand, and a comparison takes time. */
const mostCompared = 100;

/**
 * Adds a problem for each key that is not known, with the known key that it may be meant for. A key whose value is undefined
 * sets nothing, and is passed over.
 *
 * @param path of the settings; empty for the input itself
 * @returns the settings without those keys
 */
export function knownKeys(
  problems: Problems,
  path: string,
  settings: Untyped,
  known: readonly string[],
): Untyped {
  const names = new Set(known);
  const unknown = Object.keys(settings).filter((key) => !names.has(key) && settings[key] !== undefined);
  for (const [position, key] of unknown.entries()) {
    const near = position < mostCompared ? nearKey(key, known) : undefined;
    const meant = near === undefined ? 'left out' : `spelled "${near}", or left out`;
    // Its value may be a key or a password that somebody took for a setting.
    problems.addSecret(
      path === '' ? key : `${path}.${key}`,
      `${meant}: the keys here are ${known.join(', ')}`,
    );
  }
  return Object.fromEntries(Object.entries(settings).filter(([key]) => names.has(key)));
}

import type { Untyped } from './mapping';
import { nearKey } from './near-key';
import type { Problems } from './problems';

/** What must be done with a key that is not known: left out, or spelled like the known one that it may be meant for. */
export function unknownKey(key: string, known: readonly string[]): string {
  const near = nearKey(key, known);
  const meant = near === undefined ? 'left out' : `spelled "${near}", or left out`;
  return `${meant}: the keys here are ${known.join(', ')}`;
}

/** Whether that was said of a key. */
export function isUnknownKey(allowed: string): boolean {
  return allowed.includes('the keys here are ');
}

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
  settings: object,
  known: readonly string[],
): Untyped {
  const names = new Set(known);
  const unknown = Object.keys(settings).filter(
    (key) => !names.has(key) && (settings as Untyped)[key] !== undefined,
  );
  for (const [position, key] of unknown.entries()) {
    const allowed = position < mostCompared ? unknownKey(key, known) : unknownKey('', known);
    // Its value may be a key or a password that somebody took for a setting.
    problems.addSecret(path === '' ? key : `${path}.${key}`, allowed);
  }
  return Object.fromEntries(Object.entries(settings).filter(([key]) => names.has(key)));
}

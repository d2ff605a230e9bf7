import type { Addon } from './addon';

/**
 * Stands for an add-on that something else installs, say on a cluster that was made elsewhere: it meets the
 * requirements of others and registers nothing.
 *
 * @param name name of the add-on, `cert-manager`
 */
export function existingAddon(name: string): Addon {
  return { name, requires: [], install: () => ({ resources: [] }) };
}

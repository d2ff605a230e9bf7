import type { Ordered } from './order';

/**
 * The wave of each add-on: 0 where it requires none of the list, else one more than the highest of those that it requires.
 * Requirements that are not in the list are met before. The list must be free of cycles, as `checkAddons` says.
 */
export function wavesOf(addons: readonly Ordered[]): ReadonlyMap<string, number> {
  const byName = new Map(addons.map((addon) => [addon.name, addon]));
  const waves = new Map<string, number>();
  const waveOf = (name: string): number => {
    const known = waves.get(name);
    if (known !== undefined) {
      return known;
    }
    const required = byName.get(name)!.requires.filter((each) => byName.has(each));
    const wave = required.length === 0 ? 0 : 1 + Math.max(...required.map(waveOf));
    waves.set(name, wave);
    return wave;
  };
  addons.forEach(({ name }) => waveOf(name));
  return waves;
}

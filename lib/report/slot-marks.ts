/** How a slot is shown: colour, pattern and shape each tell slots apart by themselves. */
export interface SlotMark {
  readonly slot: string;
  readonly hue: Hue;
  /** Number of the pattern and the shape, from 0. */
  readonly index: number;
}

export type Hue = (typeof hues)[number];

/**
 * The first ones are told apart with every kind of colour-blindness; the order is of the set by Okabe and Ito.
 *
 * @see https://jfly.uni-koeln.de/color/
 */
const hues = ['blue', 'orange', 'green', 'purple', 'red'] as const;

/** Slots are often named after colours: a slot `green` drawn in orange would be misread. */
const names: Readonly<Record<string, Hue>> = {
  amber: 'orange',
  crimson: 'red',
  magenta: 'purple',
  pink: 'purple',
  violet: 'purple',
  yellow: 'orange',
  ...Object.fromEntries(hues.map((hue) => [hue, hue])),
};

/** The marks of the slots, in their order. */
export function slotMarks(slots: readonly string[]): readonly SlotMark[] {
  const named = new Map<string, Hue>();
  const taken = new Set<Hue>();
  for (const slot of slots) {
    const hue = Object.hasOwn(names, slot) ? names[slot] : undefined;
    if (hue !== undefined && !taken.has(hue)) {
      named.set(slot, hue);
      taken.add(hue);
    }
  }
  return slots.map((slot, index) => {
    const hue = named.get(slot) ?? hues.find((free) => !taken.has(free)) ?? hues[index % hues.length]!;
    taken.add(hue);
    return { slot, hue, index };
  });
}

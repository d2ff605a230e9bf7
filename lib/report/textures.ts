import type { Markup } from './markup';
import { element } from './markup';
import type { SlotMark } from './slot-marks';

const size = 8;

/** What lies over the colour of a band: nothing, stripes, dots, stripes the other way, level lines. */
const drawings: readonly (() => Markup | undefined)[] = [
  () => undefined,
  () => stroke('M-2 10L10 -2M-2 2L2 -2M6 10L10 6'),
  () => element('circle', { class: 'cc-texture-dot', cx: 4, cy: 4, r: 1.3 }),
  () => stroke('M-2 -2L10 10M-2 6L2 10M6 -2L10 2'),
  () => stroke('M0 4H8'),
];

/** Definitions of the patterns of the slots. */
export function textures(prefix: string, marks: readonly SlotMark[]): Markup {
  const patterns = marks.map(({ index, hue }) => {
    const drawing = drawings[index % drawings.length]!();
    return (
      drawing &&
      element(
        'pattern',
        {
          id: textureId(prefix, index),
          class: `cc-hue-${hue}`,
          width: size,
          height: size,
          patternUnits: 'userSpaceOnUse',
        },
        drawing,
      )
    );
  });
  return element('defs', {}, ...patterns);
}

/** The fill of a slot's pattern; unset where it has none. */
export function texture(prefix: string, index: number): string | undefined {
  return index % drawings.length === 0 ? undefined : `url(#${textureId(prefix, index)})`;
}

function textureId(prefix: string, index: number): string {
  return `${prefix}-texture-${index}`;
}

function stroke(d: string): Markup {
  return element('path', { class: 'cc-texture-ink', 'stroke-width': 1.4, d });
}

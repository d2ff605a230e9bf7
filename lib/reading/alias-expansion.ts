/** How many values aliases may add to a document where each is written out. */
const mostAdded = 100_000;

interface Extent {
  readonly size: number;
  readonly depth: number;
}

/**
 * What is wrong with the aliases of a document: a few lines can name one value so often that nobody has the memory to write
 * it out, as whoever takes the value must.
 *
 * @param deepest how deep values may nest, aliases written out
 * @returns nothing where they are in order
 */
export function aliasProblem(value: unknown, deepest = 1_000): string | undefined {
  const known = new Map<object, Extent | undefined>();
  try {
    const { size } = extentOf(value, known, deepest);
    let distinct = 0;
    known.forEach((_, each) => (distinct += Object.keys(each).length));
    return size - distinct > mostAdded ? `aliases that stand for more than ${mostAdded} values` : undefined;
  } catch (error) {
    if (error instanceof TooDeep) {
      return error.message;
    }
    throw error;
  }
}

class TooDeep extends Error {}

/** @param left how many levels may follow: a walk that goes on would end where the stack does */
function extentOf(value: unknown, known: Map<object, Extent | undefined>, left: number): Extent {
  if (typeof value !== 'object' || value === null) {
    return { size: 0, depth: 0 };
  }
  const seen = known.get(value);
  if (!seen && known.has(value)) {
    throw new TooDeep('a value that contains itself');
  }
  if (left <= (seen?.depth ?? 0) - 1 || left <= 0) {
    throw new TooDeep('aliases that nest too deep');
  }
  if (seen) {
    return seen;
  }
  known.set(value, undefined);
  let [size, depth] = [0, 0];
  for (const each of Object.values(value)) {
    const inner = extentOf(each, known, left - 1);
    size += inner.size + 1;
    depth = Math.max(depth, inner.depth);
  }
  const extent = { size, depth: depth + 1 };
  known.set(value, extent);
  return extent;
}

/** How many values aliases may add to a document where each is written out. */
const mostAdded = 100_000;

/** How deep values may nest, aliases written out. */
const deepest = 1_000;

interface Extent {
  readonly size: number;
  readonly depth: number;
}

/**
 * What is wrong with the aliases of a document: a few lines can name one value so often that nobody has the memory to write
 * it out, as whoever takes the object must.
 *
 * @returns nothing where they are in order
 */
export function aliasProblem(value: unknown): string | undefined {
  const known = new Map<object, Extent | undefined>();
  try {
    const { size } = extentOf(value, known);
    let distinct = 0;
    known.forEach((_, each) => (distinct += Object.keys(each).length));
    return size - distinct > mostAdded ? `aliases that stand for more than ${mostAdded} values` : undefined;
  } catch (error) {
    if (error instanceof TooDeep || error instanceof RangeError) {
      return error instanceof TooDeep ? error.message : 'aliases that nest too deep';
    }
    throw error;
  }
}

class TooDeep extends Error {}

function extentOf(value: unknown, known: Map<object, Extent | undefined>): Extent {
  if (typeof value !== 'object' || value === null) {
    return { size: 0, depth: 0 };
  }
  const seen = known.get(value);
  if (seen) {
    return seen;
  }
  if (known.has(value)) {
    throw new TooDeep('a value that contains itself');
  }
  known.set(value, undefined);
  let [size, depth] = [0, 0];
  for (const each of Object.values(value)) {
    const inner = extentOf(each, known);
    size += inner.size + 1;
    depth = Math.max(depth, inner.depth);
  }
  if (depth >= deepest) {
    throw new TooDeep('aliases that nest too deep');
  }
  const extent = { size, depth: depth + 1 };
  known.set(value, extent);
  return extent;
}

/** No known one is near to a longer one; comparing takes time and memory by its length. */
const longestKey = 60;

/** The known word that is nearest, if a slip of the fingers may explain the difference. */
export function nearKey(given: string, known: readonly string[]): string | undefined {
  if (given.length > longestKey) {
    return undefined;
  }
  const limit = Math.max(1, Math.floor(given.length / 3));
  const [best] = known
    .filter((word) => Math.abs(word.length - given.length) <= limit)
    .map((word) => ({ word, far: distance(given.toLowerCase(), word.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((one, other) => one.far - other.far);
  return best?.word ?? longerOrShorter(given.toLowerCase(), known);
}

/** The only known word that begins with the given one, or that it begins with: `prio` for `priority`, `idleTimeout` for `idleTimeoutSeconds`. */
function longerOrShorter(given: string, known: readonly string[]): string | undefined {
  const words = known.filter((word) => {
    const [shorter, longer] = [given, word.toLowerCase()].sort((one, other) => one.length - other.length);
    return shorter!.length >= 4 && longer!.startsWith(shorter!);
  });
  return words.length === 1 ? words[0] : undefined;
}

/**
 * How many letters have to be added, taken away, changed or swapped with the next.
 * @see https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
 */
function distance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      line.push(
        Math.min(
          rows[row - 1]![column]! + 1,
          line[column - 1]! + 1,
          rows[row - 1]![column - 1]! + change,
          swapped ? rows[row - 2]![column - 2]! + 1 : Infinity,
        ),
      );
    }
    rows.push(line);
  }
  return rows[from.length]![to.length]!;
}

/** Nobody corrects more keys by hand, and a comparison takes time. */
export const mostCompared = 100;

/** Values of a query at a time, in seconds; none where there is no series. */
export type Leaf = (query: string, at: number) => number[];

const token =
  /\s*(sum_over_time|vector|max|min|sum|offset|and on\(\)|or|[a-z_]+\{[^}]*\}|\d+s|\d+(?:\.\d+)?(?:e[+-]\d+)?|[+-]?Inf|>=|[><()/:[\]])/y;

/**
 * The part of Prometheus' language that is written around a user's queries, over vectors without labels. The user's
 * queries are plain names with labels: `requests{version="new"}`.
 */
export function evaluateQuery(text: string, leaf: Leaf, at: number): number[] {
  const words = wordsOf(text);
  const [value, end] = parse(words, 0);
  if (end !== words.length) {
    throw new Error(`unexpected "${words[end]}" in ${text}`);
  }
  return value(at).map((each) => each);

  type Value = (time: number) => number[];
  type Parsed = [Value, number];

  function parse(from: readonly string[], position: number): Parsed {
    let [left, next] = parseAnd(from, position);
    while (from[next] === 'or') {
      const [right, after] = parseAnd(from, next + 1);
      const before = left;
      left = (time) => (before(time).length > 0 ? before(time) : right(time));
      next = after;
    }
    return [left, next];
  }

  function parseAnd(from: readonly string[], position: number): Parsed {
    let [left, next] = parseComparison(from, position);
    while (from[next] === 'and on()') {
      const [right, after] = parseComparison(from, next + 1);
      const before = left;
      left = (time) => (right(time).length > 0 ? before(time) : []);
      next = after;
    }
    return [left, next];
  }

  function parseComparison(from: readonly string[], position: number): Parsed {
    let [left, next] = parseQuotient(from, position);
    while (['>', '<', '>='].includes(from[next]!)) {
      const [how, bound] = [from[next]!, numberOf(from[next + 1]!)];
      const before = left;
      left = (time) =>
        before(time).filter((each) =>
          how === '>' ? each > bound : how === '<' ? each < bound : each >= bound,
        );
      next += 2;
    }
    return [left, next];
  }

  function parseQuotient(from: readonly string[], position: number): Parsed {
    const [left, next] = parseOne(from, position);
    if (from[next] !== '/') {
      return [left, next];
    }
    const [right, after] = parseOne(from, next + 1);
    return [(time) => left(time).flatMap((each) => right(time).map((other) => each / other)), after];
  }

  function parseOne(from: readonly string[], position: number): Parsed {
    const word = from[position]!;
    if (word === '(') {
      const [inner, next] = parse(from, position + 1);
      return [inner, next + 1];
    }
    if (word === 'vector') {
      return [() => [numberOf(from[position + 2]!)], position + 4];
    }
    if (word === 'sum_over_time') {
      const [inner, next] = parse(from, position + 2);
      const [range, step] = [seconds(from[next + 1]!), seconds(from[next + 3]!)];
      const offset = from[next + 5] === 'offset' ? seconds(from[next + 6]!) : 0;
      const sums: Value = (time) => {
        const last = Math.floor((time - offset) / step) * step;
        const points: number[] = [];
        for (let moment = last; moment > time - offset - range; moment -= step) {
          points.push(...inner(moment));
        }
        return points.length > 0 ? [points.reduce((sum, each) => sum + each, 0)] : [];
      };
      return [sums, next + (offset > 0 ? 8 : 6)];
    }
    if (['max', 'min', 'sum'].includes(word)) {
      const [inner, next] = parse(from, position + 2);
      const over = (values: number[]): number =>
        word === 'sum' ? values.reduce((sum, each) => sum + each, 0) : Math[word as 'max' | 'min'](...values);
      return [(time) => (inner(time).length > 0 ? [over(inner(time))] : []), next + 1];
    }
    return [(time) => leaf(word, time), position + 1];
  }
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const from = token.lastIndex;
    const found = token.exec(text);
    if (!found) {
      throw new Error(`no word at ${text.slice(from, from + 30)}`);
    }
    words.push(found[1]!);
  }
  return words;
}

function numberOf(word: string): number {
  return word.endsWith('Inf') ? (word.startsWith('-') ? -Infinity : Infinity) : Number(word);
}

function seconds(word: string): number {
  return Number(word.replace('s', ''));
}

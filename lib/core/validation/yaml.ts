import type * as Yaml from 'yaml';
import type { CST, Document, ErrorCode, LineCounter, ScalarTag } from 'yaml';

/** The package `yaml`, loaded where something of it is first used: it has seventy files, and most programs need none. */
export const yaml = new Proxy({} as typeof Yaml, {
  // Of a file with thousands of keys, something is asked for tens of thousands of times.
  get: (_, name): unknown => Reflect.get((loaded ??= require('yaml') as object), name),
});

let loaded: object | undefined;

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

/**
 * Characters of a YAML file that people and tools write for this library: a kubeconfig of a thousand clusters has three
 * million. The reader takes seconds for that much.
 */
export const longestYaml = 4_000_000;

/** How deep values may nest. The deepest that a plan, a set or a kubeconfig needs is ten. */
export const deepestYaml = 100;

/** The reader looks for the anchor of each alias among all that there are. */
const mostAliases = 1_000;

/** Why a text is not read. */
export interface YamlProblem {
  /** Character of the text, from 0. */
  readonly offset: number;
  /** The reader's own code, or one of the limits of this library. */
  readonly code: ErrorCode | 'TOO_LONG' | 'TOO_DEEP' | 'TOO_MANY_ALIASES';
  /** In words of one line; they may quote the text. */
  readonly message: string;
}

/** How a text is read. */
export interface YamlOptions {
  /** Tags that the text may have beside those of YAML. */
  readonly customTags?: ScalarTag[];
  /** Which scalars are numbers, booleans and null: none of them in `failsafe`. @default 'core' */
  readonly schema?: 'core' | 'failsafe';
  /** Whether nodes keep the tokens that they were made of. @default false */
  readonly keepSourceTokens?: boolean;
}

/** A text that was read, with its places. */
export interface YamlReading {
  /** An empty one where the text goes beyond a limit. */
  readonly document: Document.Parsed;
  /** Lines and columns of offsets. */
  readonly lines: LineCounter;
  /** Everything that is wrong, warnings included. */
  readonly problems: readonly YamlProblem[];
}

/**
 * Reads a YAML or JSON text that came from outside. Length, depth and aliases have bounds, so that a few lines can neither
 * end nor hold up the process; the check for keys that stand twice takes time in proportion to the text.
 *
 */
export function readYaml(
  text: string,
  { customTags = [], schema = 'core', keepSourceTokens = false }: YamlOptions = {},
): YamlReading {
  const lines = new yaml.LineCounter();
  if (text.length > longestYaml) {
    return refused(lines, {
      offset: 0,
      code: 'TOO_LONG',
      message: `more than ${longestYaml} characters`,
    });
  }
  // The parser keeps a stack of its own, unlike what is made of its tokens.
  const tokens = [...new yaml.Parser(lines.addNewLine).parse(text)];
  const beyond = beyondLimits(tokens);
  if (beyond) {
    return refused(lines, beyond);
  }
  const composer = new yaml.Composer({
    prettyErrors: false,
    uniqueKeys: false,
    customTags,
    schema,
    keepSourceTokens,
    // The reader's own warnings on stderr would quote the text.
    logLevel: 'error',
  });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  const found = [...document!.errors, ...document!.warnings].map(({ pos, code, message }): YamlProblem => ({
    offset: pos[0],
    code,
    message: oneLine(message),
  }));
  const several: YamlProblem[] = second
    ? [{ offset: second.range[0], code: 'MULTIPLE_DOCS', message: 'a second document' }]
    : [];
  return { document: document!, lines, problems: [...found, ...repeatedKeys(document!), ...several] };
}

/** The content as plain data, or what its aliases make of it. */
export function plainYaml(document: Document): { readonly value: unknown } | { readonly reason: string } {
  let value: unknown;
  try {
    // What an alias stands for is one object, however often it is named.
    value = document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    // The reader throws for an alias without an anchor before it.
    return { reason: oneLine((error as Error).message) };
  }
  const reason = aliasProblem(value, deepestYaml);
  return reason === undefined ? { value } : { reason };
}

function refused(lines: LineCounter, problem: YamlProblem): YamlReading {
  const [document] = [...new yaml.Composer().compose([], true, 0)];
  return { document: document!, lines, problems: [problem] };
}

/** Level by level, since a walk that calls itself would end where the stack does. */
function beyondLimits(tokens: readonly CST.Token[]): YamlProblem | undefined {
  let level: readonly CST.Token[] = tokens;
  let aliases = 0;
  // The document is a level as well.
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: CST.Token[] = [];
    for (const token of level) {
      aliases += token.type === 'alias' ? 1 : 0;
      insideOf(token, next);
    }
    if (depth > deepestYaml) {
      return {
        offset: level[0]!.offset,
        code: 'TOO_DEEP',
        message: `values that nest deeper than ${deepestYaml} levels`,
      };
    }
    level = next;
  }
  return aliases > mostAliases
    ? { offset: 0, code: 'TOO_MANY_ALIASES', message: `more than ${mostAliases} aliases` }
    : undefined;
}

function insideOf(token: CST.Token, found: CST.Token[]): void {
  if (token.type === 'document' && token.value) {
    found.push(token.value);
  }
  if ('items' in token) {
    for (const { key, value } of token.items) {
      found.push(...(key ? [key] : []), ...(value ? [value] : []));
    }
  }
}

function repeatedKeys(document: Document): YamlProblem[] {
  const found: YamlProblem[] = [];
  yaml.visit(document, {
    Map: (_, map) => {
      const seen = new Set<unknown>();
      for (const { key } of yaml.isMap(map) ? map.items : []) {
        if (!yaml.isScalar(key) && !yaml.isAlias(key)) {
          continue;
        }
        const name = yaml.isScalar(key) ? key.value : key.source;
        if (seen.has(name)) {
          found.push({
            offset: key.range?.[0] ?? 0,
            code: 'DUPLICATE_KEY',
            message: `the key ${keyText(name)} is there twice`,
          });
        }
        seen.add(name);
      }
    },
  });
  return found;
}

function keyText(name: unknown): string {
  const text = JSON.stringify(String(name));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function oneLine(message: string): string {
  return message.replace(/\s+/g, ' ').trim();
}

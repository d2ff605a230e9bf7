import { isDeepStrictEqual } from 'node:util';
import { readYaml } from '../../reading';
import type { Change } from '../change';
import { parseYaml } from '../reading/parse-yaml';
import { changed } from './apply-changes';
import { editedText } from './edit-text';
import { Aliased, rewrittenTexts } from './rewrite-text';
import type { SourceText } from './source-text';
import { jsonText, styleOf } from './text-style';

/** A mended text, or why there is none. */
export type Mended = { readonly text: string } | { readonly reason: string };

/**
 * Writes changes into the text of one document; all that is not changed stays byte for byte, where the text is written in a way
 * that allows it. What comes out is read again, and taken only where it says exactly what the changes ask for.
 *
 * @param text a YAML or JSON document
 */
export function mendDocument(text: string, changes: readonly Change[]): Mended {
  try {
    let [mended, value] = [text, parseYaml(text)];
    const isJson = jsonIs(text);
    const together = allAtOnce(text, changes, value, isJson);
    if (together !== undefined) {
      return { text: together };
    }
    for (const change of changes) {
      const wanted = changed(value, [change]);
      const next = withChange(mended, change, wanted, isJson);
      if (next === undefined) {
        return { reason: 'the text cannot be changed without changing more than that' };
      }
      [mended, value] = [next, wanted];
    }
    return { text: mended };
  } catch (error) {
    return { reason: error instanceof Aliased || error instanceof RangeError ? error.message : whyNot };
  }
}

const whyNot = 'the text cannot be written again';

function jsonIs(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Most changes have nothing to do with each other: then the text is read once for all of them. */
function allAtOnce(
  text: string,
  changes: readonly Change[],
  before: unknown,
  isJson: boolean,
): string | undefined {
  const wanted = changed(before, changes);
  const source = sourceOf(text, isJson);
  const candidate = source && editedText(source, changes);
  return candidate !== undefined && says(candidate, wanted) ? candidate : undefined;
}

/** The first of the texts that says what is wanted. */
function withChange(text: string, change: Change, wanted: unknown, isJson: boolean): string | undefined {
  for (const candidate of candidates(text, change, wanted, isJson)) {
    if (candidate !== undefined && says(candidate, wanted)) {
      return candidate;
    }
  }
  return undefined;
}

function says(text: string, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(parseYaml(text), wanted);
  } catch {
    return false;
  }
}

/** The text with a change, the one with the fewest other differences first. */
function* candidates(
  text: string,
  change: Change,
  wanted: unknown,
  isJson: boolean,
): Iterable<string | undefined> {
  const source = sourceOf(text, isJson);
  if (source) {
    yield editedText(source, [change]);
  }
  if (isJson) {
    const style = source?.style ?? styleOf(text, readYaml('{}').document, true);
    yield `${jsonText(wanted, style, '')}${text.endsWith('\n') ? style.eol : ''}`;
  } else if (source) {
    yield* rewrittenTexts(source, change);
  }
}

/** Without types, so that every scalar is what stands there, whatever it means to whom. */
function sourceOf(text: string, isJson: boolean): SourceText | undefined {
  // JSON may be indented with tabs, which YAML refuses; a text in it never goes over a line.
  const readable = isJson ? text.replace(/^[ \t]+/gm, (blank) => blank.replaceAll('\t', ' ')) : text;
  const { document, problems } = readYaml(readable, { schema: 'failsafe', keepSourceTokens: true });
  if (problems.length === 0) {
    return { text, document, style: styleOf(text, document, isJson) };
  }
  if (!isJson) {
    throw new Error(problems[0]!.message);
  }
  return undefined;
}

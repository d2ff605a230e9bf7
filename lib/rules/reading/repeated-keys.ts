import { LineCounter, parseDocument } from 'yaml';
import type { RepeatedKey } from '../judged-object';

/** The keys of a document that stand in a map where they stood before, each with its line in the document, from 0. */
export function repeatedKeys(text: string): RepeatedKey[] {
  const lineCounter = new LineCounter();
  const { errors } = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  return errors
    .filter(({ code }) => code === 'DUPLICATE_KEY')
    .map(({ pos: [at] }) => {
      const [, key = ''] = /^["']?([^"':\n]*)/.exec(text.slice(at, at + 200)) ?? [];
      return { key: key.trim(), line: lineCounter.linePos(at).line - 1 };
    });
}

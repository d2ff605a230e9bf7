import type { Scalar, YAMLMap } from 'yaml';
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { RepeatedKey } from '../judged-object';
import { plainScalar } from './schema';

/**
 * The keys of a document that stand in a map where they stood before, each with its line in the document, from 0. Time in
 * proportion to the keys: the parser's own check holds each against every other.
 */
export function repeatedKeys(text: string): RepeatedKey[] {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const found: RepeatedKey[] = [];
  visit(document, {
    Map: (_, map: YAMLMap) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key) || key.source === '<<') {
          continue;
        }
        const name = nameOf(key);
        if (seen.has(name)) {
          found.push({ key: name, line: lineCounter.linePos(key.range?.[0] ?? 0).line - 1 });
        }
        seen.add(name);
      }
    },
  });
  // Maps inside of a map come before its other keys.
  return found.sort((one, other) => one.line - other.line);
}

/** As an object has it: `yes` and `true` are the same key. */
function nameOf({ type, source = '', value }: Scalar): string {
  return String(type === 'PLAIN' ? (plainScalar(source) ?? source) : value).split('\n')[0]!;
}

import * as fc from 'fast-check';
import { parseDocument, stringify } from 'yaml';
import { deepestYaml, longestYaml, plainYaml, readYaml } from '../../../lib/core/validation/yaml';

const codes = (text: string): string[] => readYaml(text).problems.map(({ code }) => code);
const valueOf = (text: string): unknown => {
  const { document, problems } = readYaml(text);
  expect(problems).toEqual([]);
  return plainYaml(document);
};
const listsIn = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  ['the deepest', listsIn(deepestYaml), []],
  ['one level more', listsIn(deepestYaml + 1), ['TOO_DEEP']],
  ['a hundred thousand levels', listsIn(100_000), ['TOO_DEEP']],
  ['levels in keys', '? '.repeat(200) + 'a', ['TOO_DEEP']],
  ['the longest', `a${' '.repeat(longestYaml - 1)}`, []],
  ['a character more', `a${' '.repeat(longestYaml)}`, ['TOO_LONG']],
  ['a thousand aliases', `a: &a 1\nb: [${Array(1_000).fill('*a').join(',')}]`, []],
  ['one more', `a: &a 1\nb: [${Array(1_001).fill('*a').join(',')}]`, ['TOO_MANY_ALIASES']],
  ['keys that stand twice, all of them', 'a: 1\na: 2\nb: {c: 1, c: 2}', ['DUPLICATE_KEY', 'DUPLICATE_KEY']],
  ['the same key as a text and as a number', '1: a\n"1": b', []],
  ['a second document', 'a: 1\n---\nb: 1', ['MULTIPLE_DOCS']],
  ['a byte order mark, and line ends of Windows', '\uFEFFa: 1\r\nb: 2\r\n', []],
])('%s', (_name, text, expected) => {
  expect(codes(text)).toEqual(expected);
});

test('places of what is refused', () => {
  const { lines, problems } = readYaml('a: 1\nb:\n  c: 1\n  c: 2\n');
  expect(problems.map(({ offset }) => lines.linePos(offset))).toEqual([{ line: 4, col: 3 }]);
});

test('what aliases stand for', () => {
  expect(valueOf('a: &x { b: 1 }\nc: *x')).toEqual({ value: { a: { b: 1 }, c: { b: 1 } } });
  expect(valueOf('a: &a [*a]')).toEqual({ reason: 'a value that contains itself' });
  expect(valueOf('a: *b')).toEqual({ reason: expect.stringContaining('Unresolved alias') });
});

test('every value is read as the parser itself reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, json) => {
      const text = json ? JSON.stringify(value, null, 1) : stringify(value);
      expect(valueOf(text)).toEqual({ value: parseDocument(text).toJS() });
    }),
    { numRuns: 300 },
  );
});

test('no text makes it throw', () => {
  const piece = fc.constantFrom(
    ...['[', ']', '{', '}', ': ', '- ', '? ', '&a ', '*a', '!!x ', '%Y\n', '---\n', '\n', '\n  ', '"', "'"],
    ...['|\n ', '>', '<<: ', '\t', '\0', '\uFEFF', 'a', '1', '#', ',', '\r'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const { document, problems } = readYaml(pieces.join(''));
      return problems.length > 0 || Object.keys(plainYaml(document)).length === 1;
    }),
    { numRuns: 2_000 },
  );
});

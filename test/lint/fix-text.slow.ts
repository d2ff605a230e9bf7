import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parseDocument, stringify } from 'yaml';
import type { JsonPatchOperation } from '../../lib/lint';
import { applyPatch, Field, harden, parseYaml } from '../../lib/lint';
import { fixDocument } from '../../lib/lint/fix/fix-document';
import { splitDocuments } from '../../lib/lint/read/documents';
import { loadBalancerChart } from './hardening/load-balancer-chart';
import { scaled } from '../runs';

/** The text after a change that must succeed. */
const fixed = (text: string, ...changes: readonly JsonPatchOperation[]): string => {
  const outcome = fixDocument(text, changes);
  expect(outcome).toHaveProperty('text');
  return (outcome as { text: string }).text;
};

/** How many lines one text has in the place of how many of the other. */
function difference(before: string, after: string): { removed: number; added: number } {
  const [one, other] = [before, after].map((text) => text.split('\n')) as [string[], string[]];
  const isSame = (each: number, from: (list: string[], at: number) => string | undefined): boolean =>
    each < Math.min(one.length, other.length) && from(one, each) === from(other, each);
  let start = 0;
  while (isSame(start, (list, at) => list[at])) {
    start += 1;
  }
  let end = 0;
  while (start + end < Math.min(one.length, other.length) && isSame(end, (list, at) => list.at(-1 - at))) {
    end += 1;
  }
  return { removed: one.length - start - end, added: other.length - start - end };
}

describe('a change of a text is as small as it can be', () => {
  test.each<[string, string, JsonPatchOperation, string]>([
    [
      'indentation of four, lists under their keys',
      'a:\n    b:\n    - x:   1\n      y:\n            deep: 1\n',
      { op: 'add', path: '/a/c', value: { d: [1] } },
      'a:\n    b:\n    - x:   1\n      y:\n            deep: 1\n    c:\n        d:\n        - 1\n',
    ],
    [
      'quotes, single and double',
      'a: \'x\'   # one\nb: "x"\nc: "x\\ty"\n',
      { op: 'replace', path: '/a', value: 'no' },
      'a: \'no\'   # one\nb: "x"\nc: "x\\ty"\n',
    ],
    [
      'a number in the place of a text',
      'a: "5" # five\n',
      { op: 'replace', path: '/a', value: 5 },
      'a: 5 # five\n',
    ],
    [
      'a list of quoted items',
      'a:\n- "x"   \n\n# end\nb: 1\n',
      { op: 'add', path: '/a/-', value: 'y' },
      'a:\n- "x"   \n- "y"\n\n# end\nb: 1\n',
    ],
    [
      'a first item with its comment',
      'a:\n  # of x\n  - x\n',
      { op: 'add', path: '/a/0', value: 'w' },
      'a:\n  - w\n  # of x\n  - x\n',
    ],
    [
      'line ends of Windows',
      'a:\r\n  b: |\r\n    t\r\n\r\nc: 1\r\n',
      { op: 'add', path: '/a/d', value: { e: 1 } },
      'a:\r\n  b: |\r\n    t\r\n  d:\r\n    e: 1\r\n\r\nc: 1\r\n',
    ],
    ['no line end at the end', 'a:\n  b: 1', { op: 'add', path: '/a/c', value: 2 }, 'a:\n  b: 1\n  c: 2'],
    [
      'a block that keeps its blank lines',
      'a:\n  b: |+\n    t\n\nc: 1\n',
      { op: 'add', path: '/a/d', value: 2 },
      'a:\n  b: |+\n    t\n\n  d: 2\nc: 1\n',
    ],
    [
      'a block in the place of a block',
      'a:\n  b: |\n    t\n  c: 1\n',
      { op: 'replace', path: '/a/b', value: 'one\ntwo\n' },
      'a:\n  b: |\n    one\n    two\n  c: 1\n',
    ],
    [
      'braces over several lines',
      'a: {\n  b: 1,  # one\n  c: [x,  y]\n}\n',
      { op: 'add', path: '/a/d', value: 'e' },
      'a: {\n  b: 1,  # one\n  c: [x,  y],  # one\n  d: e\n}\n'.replace('y],  # one', 'y],'),
    ],
    ['a comma before a bracket', 'a: [x, y,]\n', { op: 'add', path: '/a/-', value: 'z' }, 'a: [x, y, z,]\n'],
    [
      'a text in braces that needs quotes',
      'a: {b: c}\n',
      { op: 'add', path: '/a/d', value: 'e, f' },
      'a: {b: c, d: "e, f"}\n',
    ],
    [
      'empty braces',
      'a: {} # none\nb: { c: d }\n',
      { op: 'add', path: '/a/e', value: { f: 1 } },
      'a: { e: { f: 1 } } # none\nb: { c: d }\n',
    ],
    [
      'JSON within YAML',
      'a: {"b":"c"}\n',
      { op: 'add', path: '/a/d', value: 'e' },
      'a: {"b":"c", "d":"e"}\n',
    ],
    [
      'nothing behind a key',
      'a: # nothing\nb: 1\n',
      { op: 'replace', path: '/a', value: { c: { d: 1 } } },
      'a: # nothing\n  c:\n    d: 1\nb: 1\n',
    ],
    [
      'the last key of a map',
      'a:  # of a\n    # of b\n    b: 1\nc: 1\n',
      { op: 'remove', path: '/a/b' },
      'a: {}  # of a\n    # of b\nc: 1\n',
    ],
    [
      'the first key behind a dash',
      'a:\n- b: 1 # one\n\n  c: 2 # two\n',
      { op: 'remove', path: '/a/0/b' },
      'a:\n- c: 2 # two\n',
    ],
    ['the first item in brackets', 'a: [x,   y, z]\n', { op: 'remove', path: '/a/0' }, 'a: [y, z]\n'],
    ['the last item in brackets', 'a: [x, y  , z ]\n', { op: 'remove', path: '/a/2' }, 'a: [x, y ]\n'],
    [
      'a key that YAML 1.1 takes for a boolean',
      'a:\n  b: 1\n',
      { op: 'add', path: '/a/on', value: 'yes' },
      'a:\n  b: 1\n  "on": "yes"\n',
    ],
    [
      'a key with an anchor before it',
      'a:\n- &x\n  b: 1\n  c: 2\nd: 1\n',
      { op: 'add', path: '/a/0/e', value: 3 },
      'a:\n- &x\n  b: 1\n  c: 2\n  e: 3\nd: 1\n',
    ],
    [
      'a marker, a tag and a folded text',
      '%YAML 1.1\n---   # first\na: !!str >-\n   long\n   text\nb: 1\n...\n',
      { op: 'add', path: '/c', value: 1 },
      '%YAML 1.1\n---   # first\na: !!str >-\n   long\n   text\nb: 1\nc: 1\n...\n',
    ],
    [
      'JSON with tabs',
      '{\n\t"a": {\n\t\t"b": [ 1 ]\n\t},\n\t"c": {}\n}\n',
      { op: 'add', path: '/a/d', value: { e: [true] } },
      '{\n\t"a": {\n\t\t"b": [ 1 ],\n\t\t"d": {\n\t\t\t"e": [\n\t\t\t\ttrue\n\t\t\t]\n\t\t}\n\t},\n\t"c": {}\n}\n',
    ],
    [
      'JSON in one line',
      '{"a":{"b":1},"c":[]}',
      { op: 'add', path: '/c/-', value: 'x' },
      '{"a":{"b":1},"c":["x"]}',
    ],
  ])('%s', (_, text, change, expected) => {
    expect(fixed(text, change)).toBe(expected);
  });

  test('several at once, in their order, also where one rests on another', () => {
    const text = 'a:\n- x # one\nb: {c: d}\n';
    const add = (path: string, value: unknown): JsonPatchOperation => ({ op: 'add', path, value });
    expect(
      fixed(text, add('/a/-', 'q'), add('/b/e', 1), add('/a/-', 'r'), add('/f', { g: 1 }), add('/f/h', 2)),
    ).toBe('a:\n- x # one\n- q\n- r\nb: {c: d, e: 1}\nf:\n  g: 1\n  h: 2\n');
    expect(fixed(text, { op: 'remove', path: '/b/c' }, add('/b/e', 'f'))).toBe('a:\n- x # one\nb: {e: f}\n');
    expect(fixDocument(text, [add('/a/-', 'y'), { op: 'remove', path: '/none' }])).toEqual({
      reason: '/none is not there',
    });
  });

  test('what is written in a rare way is written anew as little as possible', () => {
    const text = 'odd:   [a,   b]\nlist:\n- - ? x\n    : 1\n  -   q\n';
    const after = fixed(text, { op: 'add', path: '/list/0/0/z', value: 2 });
    expect(after).toContain('odd:   [a,   b]\n');
    expect(parseYaml(after)).toEqual({ odd: ['a', 'b'], list: [[{ x: 1, z: 2 }, 'q']] });
  });
});

const words = fc.constantFrom(
  'web',
  'a b',
  'on',
  '010',
  'x: y',
  '- z',
  '# c',
  '',
  'é',
  '{{ v }}',
  'null',
  'l1\nl2\n',
);
const scalars = fc.oneof(words, fc.integer({ min: 0, max: 99 }), fc.boolean());
const keys = fc.constantFrom('name', 'spec', 'app.kubernetes.io/name', 'on', 'x-y', 'labels', '8080');
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalars,
    fc.dictionary(keys, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
}));
const roots = fc.dictionary(keys, tree, { minKeys: 1, maxKeys: 5, noNullPrototype: true });
const styles = fc.record({
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
  collectionStyle: fc.constantFrom('any' as const, 'any' as const, 'flow' as const),
  defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
  flowCollectionPadding: fc.boolean(),
  isWindows: fc.boolean(),
  json: fc.constantFrom(undefined, undefined, '  ', '\t', ''),
});

interface Written {
  readonly text: string;
  readonly value: unknown;
}

/** A value in some style, with comments behind lines where that can't change what they say. */
const written = fc.tuple(roots, styles).map(([value, { isWindows, json, ...style }]): Written => {
  const plain =
    json === undefined
      ? stringify(value, { ...style, lineWidth: 0, version: '1.1', doubleQuotedMinMultiLineLength: 1_000 })
      : `${JSON.stringify(value, null, json)}\n`;
  const isBlock = json === undefined && style.collectionStyle === 'any' && !/[|>]/.test(plain);
  const noted = isBlock
    ? plain.replace(/^( *)(.*[a-z\d"'}\]:])$/gm, (line, indent: string, rest: string, at: number) =>
        at % 3 === 0 ? `${indent}# note ${at}\n${line}` : `${indent}${rest} # note ${at}`,
      )
    : plain;
  return { text: isWindows ? noted.replaceAll('\n', '\r\n') : noted, value: parseYaml(noted) };
});

/** Every place below a value. */
function placesOf(field: Field): Field[] {
  const inner = [...field.items, ...field.entries.map(([, each]) => each)];
  return inner.flatMap((each) => [each, ...placesOf(each)]);
}

const linesIn = (value: unknown): number => JSON.stringify(value, null, 1).split(/\n|\\n/).length + 1;
const notesIn = (text: string): string[] => text.match(/# note \d+/g) ?? [];

describe('whatever the document', () => {
  test('a change keeps every line that it is not about, and every comment', () => {
    fc.assert(
      fc.property(
        written,
        fc.nat(),
        fc.constantFrom('add', 'replace', 'remove'),
        scalars,
        (source, at, op, value) => {
          const all = placesOf(Field.ofValue(source.value));
          const place = all[at % all.length]!;
          const isMap =
            typeof place.value === 'object' && place.value !== null && !Array.isArray(place.value);
          const change: JsonPatchOperation =
            op === 'remove'
              ? { op, path: place.pointer }
              : op === 'add' && Array.isArray(place.value)
                ? { op, path: `${place.pointer}/-`, value }
                : op === 'add' && isMap
                  ? { op, path: place.get('new').pointer, value }
                  : { op: 'replace', path: place.pointer, value };
          const after = fixed(source.text, change);
          expect(parseYaml(after)).toEqual(applyPatch(source.value, [change]));
          const { removed, added } = difference(source.text, after);
          const old = change.op === 'add' ? 1 : linesIn(place.value) * 2 + notesIn(source.text).length;
          expect(removed).toBeLessThanOrEqual(old);
          expect(added).toBeLessThanOrEqual(
            (change.op === 'remove' ? 2 : linesIn(value)) + 2 + (removed > 0 ? 1 : 0),
          );
          if (change.op === 'add') {
            expect(notesIn(after)).toEqual(notesIn(source.text));
          }
          expect(after.includes('\r\n')).toBe(source.text.includes('\r\n'));
          expect(after.replaceAll('\r\n', '').includes('\n')).toBe(
            source.text.replaceAll('\r\n', '').includes('\n'),
          );
        },
      ),
      { numRuns: scaled(400) },
    );
  });
});

const folder = join(__dirname, 'examples');
/** Keys that stand twice in a map: such a document is left alone. */
const repeated = 'YAML01.fires.yaml';
const manifests = [
  ...readdirSync(folder)
    .filter((file) => file.endsWith('.yaml') && file !== repeated)
    .map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const),
  ['the chart of a controller', loadBalancerChart({ enableCertManager: true })] as const,
];

describe('manifests', () => {
  test('a key that is added to any map of them takes one line, and is the only difference', () => {
    let [places, more] = [0, 0];
    for (const [, whole] of manifests) {
      for (const { text } of splitDocuments(whole)) {
        const { contents } = parseDocument(text);
        const maps = placesOf(Field.ofValue(contents?.toJSON())).filter(({ keys: all }) => all.length > 0);
        for (const { pointer } of maps.slice(0, 12)) {
          const outcome = fixDocument(text, [{ op: 'add', path: `${pointer}/new`, value: 'x' }]);
          // What an alias stands for can't be changed in one place alone.
          const after = 'text' in outcome || !text.includes('&') ? (outcome as { text: string }).text : text;
          const { removed, added } = difference(text, after);
          places += added;
          more += added <= 1 && removed <= 1 ? 0 : 1;
        }
      }
    }
    expect([places > 300, more]).toEqual([true, 0]);
  });

  test.each(manifests)('%s: hardened, only lines of what is changed are others', (_, text) => {
    const { text: once, changed: all } = harden(text);
    // Of a change: a line with another value, or one that is new, and another one for each map or list on the way.
    const kept = new Set(text.split('\n'));
    const others = once.split('\n').filter((line) => !kept.has(line));
    const lines = all.flatMap(({ fixPatch: patch = [] }) =>
      patch.flatMap((each) => ('value' in each ? stringify(each.value).trim().split('\n') : [])),
    );
    const heads = all.reduce((count, { fixPatch: patch = [] }) => count + patch.length, 0);
    expect(others.length).toBeLessThanOrEqual(lines.length + heads);
    expect(harden(once).text).toBe(once);
  });
});

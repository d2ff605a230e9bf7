import * as fc from 'fast-check';
import { LineCounter, parseDocument, stringify } from 'yaml';
import type { ReadManifests } from '../../lib/lint';
import { decodeText, parseYaml, toJsonPointer, readManifests } from '../../lib/lint';
import { locate, splitDocuments } from '../../lib/lint/read/documents';

function read(text: string): ReadManifests {
  return readManifests(text, { file: 'a.yaml', read: () => text });
}

const object = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`;
const names = ({ objects }: ReadManifests): string[] => objects.map(({ name }) => name);

// What sigs.k8s.io/yaml makes of each: tried with its version 1.6.0.
describe('scalars are what Kubernetes takes them for', () => {
  test.each([
    ['on', true],
    ['No', false],
    ['y', true],
    ['true', true],
    ['oN', 'oN'],
    ['', null],
    ['~', null],
    ['Null', null],
    ['010', 8],
    ['0o10', 8],
    ['08', 8],
    ['0x1F', 31],
    ['-0b11', -3],
    ['1_000', 1000],
    ['+12', 12],
    ['1e3', 1000],
    ['.5', 0.5],
    ['1.', 1],
    ['-.inf', -Infinity],
    ['1:30', '1:30'],
    ['2001-01-01', '2001-01-01'],
    ['1.2.3', '1.2.3'],
    ['0x', '0x'],
    ['-', '-'],
    ['"on"', 'on'],
    ['!!str 1', '1'],
    ['!!int "3"', 3],
    ['!secret x', 'x'],
    ['!list [a]', ['a']],
  ])('%s', (text, expected) => {
    expect(parseYaml(`- ${text}\n`)).toEqual(text === '-' ? [[null]] : [expected]);
  });

  test('keys are texts, merge keys are merged, and nothing reaches a prototype', () => {
    const value = parseYaml('1: a\nyes: b\n<<: { c: d }\n__proto__: { e: f }\n') as object;
    expect(Object.entries(value)).toEqual([
      ['1', 'a'],
      ['true', 'b'],
      ['c', 'd'],
      ['__proto__', { e: 'f' }],
    ]);
    expect((value as { e?: string }).e).toBeUndefined();
  });
});

describe('documents', () => {
  test.each([
    ['none', '', []],
    ['comments only', '# a\n---\n# b\n---\n', []],
    ['one', 'a: 1\n', [1]],
    ['a marker before, comments between', '# a\n---\n# b\na: 1\n---\n\n---\nb: 2\n', [2, 7]],
    ['a value behind the marker', '--- {a: 1}\n--- # c\nb: 2\n', [1, 2]],
    ['directives belong to what follows', '%YAML 1.2\n---\na: 1\n---\nb: 2\n', [1, 4]],
    ['directives after an end', 'a: 1\n...\n# c\n%YAML 1.2\n---\nb: 2\n', [1, 2]],
    ['markers in a block of text end it', 'a: |\n  ---\n  x\n--- \nb: 2\n', [1, 4]],
    ['longer lines are no markers', 'a: |\n  x\n----\n', [1]],
    ['carriage returns', 'a: 1\r\n---\r\nb: 2\r\n', [1, 2]],
    ['a byte order mark', '\uFEFF---\na: 1\n', [1]],
  ])('%s', (_, text, lines) => {
    const found = splitDocuments(text);
    expect(found.map(({ line }) => line)).toEqual(lines);
    found.forEach((each) => expect(text.slice(each.start, each.end)).toBe(each.text));
  });

  test('one that is broken leaves the others, and is named with its line', () => {
    const manifests = read(`${object('a')}---\nb: [1\n---\n${object('c')}---\nd: "x\n---\ne: *none\n`);
    expect(names(manifests)).toEqual(['a', 'c']);
    expect(manifests.unreadable).toEqual([
      { file: 'a.yaml', line: 5, reason: expect.stringMatching(/^not YAML: unexpected end/) },
      { file: 'a.yaml', line: 11, reason: expect.stringMatching(/^not YAML: unexpected end/) },
      { file: 'a.yaml', line: 13, column: 9, reason: 'not YAML: unidentified alias "none"' },
    ]);
  });

  test('items of Lists are objects with their own place', () => {
    const { objects } = read(
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n- apiVersion: v1\n' +
        '  kind: ConfigMapList\n  items:\n    - metadata: {name: b}\n      data: {k: v}\n- 7\n',
    );
    expect(objects.map(({ kind, name, source }) => [kind, name, source!.line, source!.pointer])).toEqual([
      ['Pod', 'a', 4, '/items/0'],
      ['ConfigMap', 'b', 11, '/items/1/items/0'],
    ]);
    expect(objects[1]!.source!.lineOf('/data/k')).toBe(12);
  });

  test('JSON is read too, whatever it is indented with', () => {
    const text = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', spec: { a: [1, { b: 2 }] } }, null, '\t');
    const [pod] = read(text).objects;
    expect(pod!.source!.lineOf('/spec/a/1/b')).toBe(8);
  });

  test('what is no object is counted', () => {
    const manifests = read(`replicas: 3\n---\n${object('a')}---\n- 1\n---\ntext\n---\nnull\n`);
    expect([names(manifests), manifests.others, manifests.unreadable]).toEqual([['a'], 3, []]);
  });

  test('a key that stands twice: the last one counts, and all of them are known', () => {
    const { objects } = read(
      `kind: List\napiVersion: v1\nitems:\n- ${object('a').replaceAll('\n', '\n  ')}data:\n    k: 1\n    "k": 2\n    k: 3\n- ${object('b').replaceAll('\n', '\n  ')}kind: Secret\n`,
    );
    expect(objects.map(({ kind, source }) => [kind, source!.repeatedKeys])).toEqual([
      [
        'ConfigMap',
        [
          { key: 'k', line: 9 },
          { key: 'k', line: 10 },
        ],
      ],
      ['Secret', [{ key: 'kind', line: 14 }]],
    ]);
    expect(objects[0]!.value['data']).toEqual({ k: 3 });
  });
});

describe('a key that stands twice', () => {
  test.each([
    ['as Kubernetes reads it', 'yes: 1\n"true": 2\n', 'true', 5],
    ['in braces', 'a: {b: 1,\n  b: 2}\n', 'b', 5],
    ['in a list', 'a:\n- b: 1\n  c: 2\n  b: 3\n', 'b', 7],
  ])('%s', (_, more, key, line) => {
    expect(read(object('a') + more).objects[0]!.source!.repeatedKeys).toEqual([{ key, line }]);
  });

  test('among many others is found without holding each against every other', () => {
    const text = `${object('a')}${Array.from({ length: 30_000 }, (_, at) => `k${at}: 1\n`).join('')}k7: 2\n`;
    const time = (run: () => unknown): number => {
      const started = performance.now();
      run();
      return performance.now() - started;
    };
    let found: ReadManifests['objects'] = [];
    const once = time(() => parseYaml(text, { repeatedKeys: true }));
    // Some 15 times as long; 100 times as long where each is held against every other.
    expect(time(() => (found = read(text).objects))).toBeLessThan(50 * Math.max(once, 20));
    expect(found[0]!.source!.repeatedKeys).toEqual([{ key: 'k7', line: 30_004 }]);
  });

  test('merging twice is none', () => {
    const text = `${object('a')}x: &x {a: 1}\ny: &y {b: 1}\nz: {<<: [*x, *y], a: 2}\n`;
    expect(read(text).objects[0]!.source!.repeatedKeys).toEqual([]);
  });
});

test('a text is read again once, however many of its documents are asked for lines', () => {
  const text = Array.from({ length: 50 }, (_, at) => object(`a${at}`)).join('---\n');
  let times = 0;
  const { objects } = readManifests(text, {
    file: 'a.yaml',
    read: () => {
      times += 1;
      return text;
    },
  });
  expect(objects.map(({ source }) => source!.lineOf('/kind'))).toEqual(objects.map((_, at) => 4 * at + 2));
  expect(times).toBe(1);
});

describe('templates that were not rendered', () => {
  test.each([
    ['a value', `${object('a')}data:\n  k: {{ .Values.k }}\n`, 5],
    ['a line', '{{- if .Values.on }}\napiVersion: v1\n{{- end }}\n', 1],
    ['a name in quotes', "apiVersion: v1\nkind: A\nmetadata:\n  name: '{{ .Release.Name }}-a'\n", 4],
    ['a name in a List', 'kind: List\napiVersion: v1\nitems: [{metadata: {name: "{{ x }}"}}]\n', 3],
    ['a broken line', 'apiVersion: v1\nmetadata:\n  labels:\n    {{- include "labels" . | nindent 4 }}\n', 4],
  ])('%s', (_, text, line) => {
    expect(read(text).unreadable).toEqual([
      { file: 'a.yaml', line, reason: expect.stringContaining('never rendered') },
    ]);
  });

  test.each([
    ['in quotes', "args: ['{{inputs.parameters.x}}']\n"],
    ['inside a text', 'path: apps/{{path.basename}}\n'],
    ['in a block of text', 'script: |\n  {{ $labels.instance }}\n'],
    ['in a comment', '# {{ .Values.x }}\na: 1\n'],
  ])('braces %s are none', (_, text) => {
    expect(read(object('a') + text)).toMatchObject({ objects: [{ name: 'a' }], unreadable: [] });
  });
});

describe('texts made to break readers', () => {
  const levels = (count: number): string =>
    Array.from({ length: count }, (_, level) => {
      const inner = level === 0 ? 'x' : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array(10).fill(inner).join(', ')}]\n`;
    }).join('');
  const chain = Array.from(
    { length: 5000 },
    (_, at) => `c${at}: &c${at} [${at === 0 ? '1' : `*c${at - 1}`}]\n`,
  );
  const merges = Array.from(
    { length: 500 },
    (_, at) => `m${at}: {<<: [${Array(90).fill('*a').join(', ')}]}\n`,
  );

  test.each([
    ['aliases of aliases', levels(8), 'aliases that stand for more than 100000 values'],
    ['a chain of aliases', chain.join(''), 'aliases that nest too deep'],
    ['a value in itself', 'a: &a\n  b: *a\n', 'a value that contains itself'],
    ['depth', '['.repeat(100_000), 'not YAML: nesting exceeded maxDepth (500)'],
    ['depth in blocks', '- '.repeat(10_000), 'not YAML: nesting exceeded maxDepth (500)'],
    [
      'merges',
      `a: &a {${[...'abcdefghij'].map((key) => `${key}: 1`).join(', ')}}\n${merges.join('')}`,
      'merge keys exceeded',
    ],
    ['depth in JSON', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 'nesting exceeded'],
  ])('%s', (_, text, reason) => {
    const started = performance.now();
    expect(read(object('a') + '---\n' + text).unreadable).toEqual(
      [
        { file: 'a.yaml', line: expect.any(Number), reason: expect.stringContaining(reason) },
        // Some name a column too.
      ].map((each) => expect.objectContaining(each)),
    );
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('depth in a whole file of JSON', () => {
    const deep = `{"apiVersion":"v1","kind":"Pod","a":${'['.repeat(600)}${']'.repeat(600)}}`;
    expect(read(deep)).toMatchObject({
      objects: [],
      unreadable: [{ line: 1, reason: expect.stringContaining('nesting exceeded') }],
    });
    expect(read(deep.replaceAll(/\[{200}|\]{200}/g, '')).objects).toHaveLength(1);
  });

  test('aliases as people use them are in order', () => {
    const text = `${object('a')}x: &x {a: 1}\ny: [*x, *x]\nz:\n  <<: *x\n`;
    expect(read(text).objects[0]!.value['z']).toEqual({ a: 1 });
  });
});

describe('a line', () => {
  const text = [
    'apiVersion: v1 # 1',
    'kind: X',
    'spec: # 3',
    '  list:',
    '  - a: 1 # 5',
    '    b: {c: [1,',
    '        2]} # 7',
    '  -',
    '    - x # 9',
    '  "quoted": |',
    '    kind: no',
    '  anchor: &a # 12',
    '    k: v',
    '  alias: *a # 14',
    '  ? explicit',
    '  : folded >-',
  ].join('\n');

  test.each([
    ['', 1],
    ['/spec', 3],
    ['/spec/list/0', 5],
    ['/spec/list/0/a', 5],
    ['/spec/list/0/b/c', 6],
    ['/spec/list/0/b/c/1', 7],
    ['/spec/list/0/none', 5],
    ['/spec/list/1/0', 9],
    ['/spec/list/2', 4],
    ['/spec/quoted', 10],
    ['/spec/anchor/k', 13],
    ['/spec/alias', 14],
    ['/spec/alias/k', 14],
    ['/spec/explicit', 15],
    ['/metadata/name', 1],
  ])('of %s is %i', (pointer, line) => {
    expect(read(text).objects[0]!.source!.lineOf(pointer)).toBe(line);
  });

  test('is that of another YAML reader, for any value in any style', () => {
    const key = fc.oneof(
      fc.constantFrom('a', 'b/c', 'on', 'k v', '7'), // As keys, 0x0 and 1_0 are numbers to one of them.
      fc.string({ maxLength: 5 }).filter((text) => !/^[-+]?(0[xob]|\d.*_)/i.test(text)),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.string(), fc.integer(), fc.boolean(), tie('map'), tie('list')),
      map: fc.dictionary(key, tie('tree'), { minKeys: 1, maxKeys: 4 }),
      list: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }));
    const style = fc.record({
      indent: fc.constantFrom(2, 4),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
      lineWidth: fc.constantFrom(20, 80),
    });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('x', 'y', 'z'), tree), style, (value, options) => {
        // Written as YAML 1.1, so that a text stays a text for both.
        const yaml = stringify(value, { ...options, version: '1.1' });
        const lines = new LineCounter();
        const document = parseDocument(yaml, { lineCounter: lines, version: '1.1' });
        const locator = locate(yaml);
        for (const { path, line } of placesOf(document.contents, lines, [])) {
          expect([yaml, path, locator.lineOf(toJsonPointer(...path)) + 1]).toEqual([yaml, path, line]);
        }
      }),
      { numRuns: 200 },
    );
  });
});

function placesOf(
  node: any,
  lines: LineCounter,
  path: (string | number)[],
): { path: (string | number)[]; line: number }[] {
  return (node?.items ?? []).flatMap((item: any, position: number) => {
    const isPair = item.key !== undefined;
    const step = isPair ? String(item.key.value) : position;
    const start = isPair ? item.key.range[0] : item.range[0];
    return [
      { path: [...path, step], line: lines.linePos(start).line },
      ...placesOf(isPair ? item.value : item, lines, [...path, step]),
    ];
  });
}

test.each([
  [Buffer.from('a: ä\n'), { text: 'a: ä\n' }],
  [Buffer.from([0x61, 0x00, 0x62]), { reason: 'binary, not text in UTF-8' }],
  [Buffer.from([0x61, 0xff, 0x62]), { reason: 'not text in UTF-8' }],
  ...['\ufeffa: 1', '\ufeff'].flatMap((text) =>
    [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()].map(
      (bytes): [Buffer, { reason: string }] => [
        bytes,
        { reason: 'text in UTF-16: write it in UTF-8 (in Windows PowerShell: | Out-File -Encoding utf8)' },
      ],
    ),
  ),
  [Buffer.from('\ufeffa: 1\n'), { text: '\ufeffa: 1\n' }],
  [Buffer.from('a: 1', 'utf16le'), { reason: 'binary, not text in UTF-8' }],
])('%j is decoded or refused', (bytes, expected) => {
  expect(decodeText(bytes)).toEqual(expected);
});

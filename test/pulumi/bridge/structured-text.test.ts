import * as fc from 'fast-check';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { marker } from '../../../lib/core/tokens';
import { fillText } from '../../../lib/pulumi/bridge/structured-text';

const one = marker(1);
const fill = (text: string, value: unknown, key = '') => fillText(text, new Map([[1, value]]), key);

/** What breaks naive templating. */
const nasty = [
  'a"b',
  "it's",
  'back\\slash',
  'line\nbreak',
  'colon: space',
  '${other}',
  'ключ 鍵 🔑',
  '- dash',
  '#hash',
  '{a}',
  '',
  '123',
  'true',
  ' padded ',
];

describe('a whole value', () => {
  test.each([[7], [true], [null], [['a', 1]], [{ a: { b: 1 } }], ['text']])('keeps its type: %j', (value) => {
    expect(fill(one, value)).toEqual(value);
  });
});

describe('plain text', () => {
  test.each(nasty)('takes %j as it is', (value) => {
    expect(fill(`Bearer ${one}.`, value)).toBe(`Bearer ${value}.`);
  });
  test('takes numbers and booleans', () => {
    expect(fill(`port ${one}`, 80)).toBe('port 80');
    expect(fill(`on: ${one}`, true)).toBe('on: true');
  });
  test.each([
    [undefined, 'no value'],
    [null, 'no value'],
    [[1], 'a list'],
    [{ a: 1 }, 'an object'],
  ])('refuses %j', (value, what) => {
    expect(() => fill(`x ${one}`, value)).toThrow(
      `must be a string, a number or a boolean, but it is ${what}`,
    );
  });
  test('a text without markers is the same text', () => {
    expect(fill('{"a": 1 }', 'x')).toBe('{"a": 1 }');
  });
});

describe('JSON in a string', () => {
  test.each(nasty)('escapes %j', (value) => {
    const text = JSON.stringify({ caData: one, url: `https://${one}/x` });
    expect(JSON.parse(fill(text, value) as string)).toEqual({ caData: value, url: `https://${value}/x` });
  });
  test('JSON inside JSON is escaped twice', () => {
    const text = JSON.stringify({ inner: JSON.stringify({ key: one }) });
    const outer = JSON.parse(fill(text, 'q"\n\\') as string);
    expect(JSON.parse(outer.inner)).toEqual({ key: 'q"\n\\' });
  });
  test('a whole value inside keeps its type, and the layout stays', () => {
    expect(fill(`${JSON.stringify({ a: one, b: [1] }, undefined, 4)}\n`, 5)).toBe(
      `${JSON.stringify({ a: 5, b: [1] }, undefined, 4)}\n`,
    );
    expect(fill(JSON.stringify({ a: one }), { b: 1 })).toBe('{"a":{"b":1}}');
  });
  test('a marker without quotes brings its own', () => {
    expect(fill(`{"replicas": ${one}, "x": [${one}]}`, 3)).toBe('{"replicas": 3, "x": [3]}');
    expect(JSON.parse(fill(`{"name": ${one}}`, 'a"b') as string)).toEqual({ name: 'a"b' });
  });
  test('quoted and bare markers in one text would break it, so it is refused', () => {
    expect(() => fill(`{"a": "x ${one}", "b": ${one}}`, 'a"b')).toThrow('quote all of its outputs, or none');
  });
});

describe('YAML in a string', () => {
  test.each(nasty)('keeps the structure with %j', (value) => {
    const text = `# why\nserver:\n  url: ${one}\n  list:\n    - "${one}"\n    - 'x ${one}'\nother: 1\n`;
    const filled = fill(text, value) as string;
    expect(parse(filled)).toEqual({ server: { url: value, list: [value, `x ${value}`] }, other: 1 });
    expect(filled).toContain('# why');
  });
  test('in flow collections and block scalars', () => {
    expect(parse(fill(`a: { b: ${one}, c: [${one}] }\nd: 1\n`, 'x, y') as string)).toEqual({
      a: { b: 'x, y', c: ['x, y'] },
      d: 1,
    });
    expect(parse(fill(`a: |\n  first ${one}\n  last\n`, 'two\nlines') as string)).toEqual({
      a: 'first two\nlines\nlast\n',
    });
  });
  test.each([[[]], [['a', { b: 1 }]], [{ a: [1], b: null }], [null], [7]])(
    'a value that is all of a text keeps its type: %j',
    (value) => {
      const filled = fill(
        `# why\na: ${one} # here\nlist:\n  - ${one}\nflow: { b: ${one} }\n`,
        value,
      ) as string;
      expect(parse(filled)).toEqual({ a: value, list: [value], flow: { b: value } });
      expect(filled).toMatch(/# why[^]*# here/);
    },
  );
  test('tags, anchors and empty lines stay', () => {
    const text = `a: !keep ${one}\nb: &name ${one}\nlist:\n  - 1\n\n  - ${one}\n`;
    expect(fill(text, 'v')).toBe('a: !keep v\nb: &name v\nlist:\n  - 1\n\n  - v\n');
  });
  test('several documents stay several', () => {
    const filled = fill(`a: ${one}\n---\nb: ${one}\n`, 'v: w') as string;
    expect((parseAllDocuments(filled) as any[]).map((each) => each.toJS())).toEqual([
      { a: 'v: w' },
      { b: 'v: w' },
    ]);
  });
  test('JSON inside YAML is escaped as JSON', () => {
    const text = stringify({ config: JSON.stringify({ token: one }), more: 1 });
    expect(JSON.parse(parse(fill(text, '"\\') as string).config)).toEqual({ token: '"\\' });
  });
  test('the extension of the key decides where the text alone could be either', () => {
    expect(parse(fill(`token: ${one}`, 'a: b', 'config.yaml') as string)).toEqual({ token: 'a: b' });
    expect(fill(`Authorization: ${one}`, 'a: b', 'header')).toBe('Authorization: a: b');
    expect(fill(`a: ${one}\nb: c`, 'x: y', 'app.properties')).toBe('a: x: y\nb: c');
  });
  test('a script or a certificate of several lines is plain text', () => {
    expect(fill(`set -e\ncurl -H "Authorization: ${one}" x\n`, 'a"b')).toBe(
      'set -e\ncurl -H "Authorization: a"b" x\n',
    );
    expect(fill(`-----BEGIN CERTIFICATE-----\n${one}\n-----END CERTIFICATE-----\n`, 'MII')).toBe(
      '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n',
    );
  });
});

test('any value survives JSON and YAML', () => {
  fc.assert(
    fc.property(fc.fullUnicodeString(), (value) => {
      expect(JSON.parse(fill(JSON.stringify({ a: [`<${one}>`] }), value) as string)).toEqual({
        a: [`<${value}>`],
      });
      expect(parse(fill(stringify({ a: [`<${one}>`], b: 1 }), value) as string)).toEqual({
        a: [`<${value}>`],
        b: 1,
      });
    }),
  );
});

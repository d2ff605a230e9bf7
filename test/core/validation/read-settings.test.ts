import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { InvalidInput } from '../../../lib/core/validation';
import { readForeignSettings, readSettings } from '../../../lib/core/validation/read-settings';
import type { PathSteps } from '../../../lib/core/validation/schema';

/** What is wrong with a file, without its name. */
function problemsOf(text: string, evaluate: Parameters<typeof readSettings>[2] = () => []) {
  try {
    readSettings(text, 'f', evaluate);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    return error.problems.map((problem) => ({ ...problem, path: problem.path.replace(/^f:/, '') }));
  }
}

/** Where a problem is reported. */
const placeOf = (text: string, steps: PathSteps) =>
  problemsOf(text, () => [{ path: '', steps, allowed: 'other' }])[0]!
    .path.split(':')
    .map(Number);

const lines = (...text: string[]) => text.join('\n');

describe('a file that is no plain YAML', () => {
  test('of another language shows its first errors', () => {
    const program = lines(
      "import { x } from 'y';",
      'const a = { b: [1, 2] };',
      'x({ c: 3 }, [a]);',
      'y({ d: 4 });',
    );
    expect(problemsOf(program)).toHaveLength(3);
  });

  test.each([
    ['a tab for indentation', 'a:\n\tb: 1', '2:1', /^YAML or JSON: /],
    ['an open bracket', 'a: [1, 2', '1:9', /^YAML or JSON: /],
    ['a colon too many', 'a: b: c', '1:4', /^YAML or JSON: /],
    ['a key twice', 'a: 1\nb: 2\na: 3', '3:1', /^another key: the key "a" is there twice$/],
    ['a key twice further in', 'a:\n  b: 1\n  b: 2', '3:3', /^another key/],
    ['two documents', 'a: 1\n---\nb: 1', '2:1', /^the end of the file: it has one document$/],
    ['a tag', 'a: !secret x', '1:4', /^plain YAML without tags of its own$/],
    ['JavaScript in a tag', 'a: !!js/function "x"', '1:4', /^plain YAML without tags/],
    ['an alias that leads nowhere', 'a: *b', expect.anything(), /alias/],
    ['a part that contains itself', 'a: &a\n  b: *a', '1:1', /^YAML without a value that contains itself$/],
  ])('%s', (_name, text, place, allowed) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]!.path).toEqual(place);
    expect(problems[0]!.allowed).toMatch(allowed);
  });

  test('keys that are there twice are told in the order of their lines, beside other problems', () => {
    expect(problemsOf('a: !x 1\nb: 1\nb: 2\nc: !y 2').map(({ path }) => path)).toEqual(['1:4', '3:1', '4:4']);
  });

  test.each(['', '# nothing\n', '---\n', 'null'])('a file without settings is called empty: %j', (text) => {
    const of =
      (...steps: readonly string[]) =>
      () => [{ path: steps.join('.'), steps, allowed: 'a text' }];
    expect(problemsOf(text, of())).toEqual([
      { path: '1:1', allowed: 'a file with settings: this one is empty' },
    ]);
    expect(problemsOf(text, of('config', 'apps'))).toMatchObject([
      { path: expect.stringMatching(/config\.apps$/) },
    ]);
    expect(problemsOf(text)).toEqual([]);
  });

  test('an alias bomb takes no memory', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih'].map((pair) => [...pair])) {
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`);
    }
    const started = Date.now();
    const problems = problemsOf(bomb.join('\n'));
    expect(problems).toEqual([
      { path: '1:1', allowed: 'YAML without aliases that stand for more than 100000 values' },
    ]);
    expect(Date.now() - started).toBeLessThan(1000);
  });

  test('every fault of the text is said at once', () => {
    expect(problemsOf('a: 1\na: 2\nb: 3\nb: 4').map(({ path }) => path)).toEqual(['2:1', '4:1']);
  });
});

test.each([
  ['an empty file', '', null],
  ['a comment alone', '# nothing', null],
  ['JSON', '{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
  ['JSON with tabs', '{\n\t"a": [\n\t\t1\n\t]\n}', { a: [1] }],
  ['a shared value', 'a: &x { b: 1 }\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
  ['Windows line ends', 'a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
])('%s is read', (_name, text, value) => {
  expect(readSettings(text, 'f', () => [])).toEqual(value);
});

describe('the place of', () => {
  const document = lines(
    '# a comment', // 1
    'weights: { blue: 0, green: 101 }', // 2
    'shift:', // 3
    '  step: [5, 3]', // 4
    '  checks:', // 5
    '    - targetHealth: {}', // 6
    '    - cloudWatch.errorShare:', // 7
    '        max: 2', // 8
    'shared: &one', // 9
    '  key: 1', // 10
    'again: *one', // 11
  );

  test.each<[PathSteps, number, number]>([
    [[], 2, 1],
    [['weights'], 2, 1],
    [['weights', 'green'], 2, 21],
    [['weights', 'red'], 2, 1],
    [['shift', 'step', 1], 4, 13],
    [['shift', 'step', 7], 4, 3],
    [['shift', 'every'], 3, 1],
    [['shift', 'checks', 1, 'cloudWatch.errorShare', 'max'], 8, 9],
    [['shift', 'checks', 1, 'cloudWatch.errorShare', 'min'], 7, 7],
    [['again', 'key'], 10, 3],
    [['nothing', 'of', 'it'], 2, 1],
  ])('%j is line %d, column %d', (steps, line, column) => {
    expect(placeOf(document, steps)).toEqual([line, column]);
  });
});

test('what YAML writes is read again, and every value has its place', () => {
  const value = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,4}(\.[a-z]{1,4})?$/),
    fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer(), { maxLength: 3 })),
    { minKeys: 1, maxKeys: 5 },
  );
  fc.assert(
    fc.property(value, (content) => {
      const text = stringify(content);
      expect(readSettings(text, 'f', () => [])).toEqual(content);
      for (const key of Object.keys(content)) {
        const [line, column] = placeOf(text, [key]);
        const found = text.split('\n')[line! - 1]!.slice(column! - 1);
        expect(found.replace(/^["']/, '').startsWith(key)).toBe(true);
      }
    }),
  );
});

describe('merge keys', () => {
  const read = (...text: string[]): unknown => readSettings(lines(...text), 'f', () => []);
  const common = 'x-common: &common { timeout: 1h, approve: true }';
  const more = 'x-more: &more { timeout: 2h, skip: true }';

  test.each([
    ['one mapping', '{ <<: *common }', { timeout: '1h', approve: true }],
    [
      'whose own keys go first, before and after it',
      '{ approve: false, <<: *common, timeout: 3h }',
      { timeout: '3h', approve: false },
    ],
    [
      'several, the first of them first',
      '{ <<: [*common, *more] }',
      { timeout: '1h', approve: true, skip: true },
    ],
    ['a mapping in place', '{ <<: { skip: true } }', { skip: true }],
    ['nothing in it', '{ <<: {}, a: 1 }', { a: 1 }],
  ])('%s', (_name, text, expected) => {
    expect(read(common, more, `a: ${text}`)).toEqual({ a: expected });
  });

  test('one that merges another one, in a list', () => {
    expect(read('x-a: &a { b: 1 }', 'x-b: &b { <<: *a, c: 2 }', 'd: [{ <<: *b }]')).toEqual({
      d: [{ b: 1, c: 2 }],
    });
  });

  test.each(['a text', '[*common, 1]', '1'])(
    'a value that is no mapping stays an unknown key: %s',
    (value) => {
      expect(read(common, `a: { <<: ${value} }`)).toMatchObject({ a: { '<<': expect.anything() } });
    },
  );

  test('a key is told at the mapping that merges it', () => {
    expect(placeOf(lines(common, 'a:', '  b: { <<: *common }'), ['a', 'b', 'timeout'])).toEqual([3, 3]);
  });

  test('no key of a file reaches the prototype of an object', () => {
    const merged = read('x-a: &a { __proto__: { polluted: 1 } }', 'b: { <<: *a }') as { b: object };
    expect(Object.keys(merged.b)).toEqual(['__proto__']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('a thousand of them take no time', () => {
    const chain = Array.from(
      { length: 900 },
      (_, index) => `k${index}: &k${index} { <<: *k${index - 1}, v${index}: 1 }`,
    );
    const started = Date.now();
    expect(problemsOf(lines('k-1: &k-1 {}', ...chain)).length).toBeLessThan(2);
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});

describe('keys of a file that begin with x-', () => {
  const text = 'x-anchors: [1]\na: { x-b: 1 }';

  test("are the user's own, at its top alone", () => {
    expect(readSettings(text, 'f', () => [])).toEqual({ a: { 'x-b': 1 } });
  });

  test('are keys of a file of another format', () => {
    expect(readForeignSettings(text, 'f', () => [])).toEqual({ 'x-anchors': [1], a: { 'x-b': 1 } });
  });

  test('and merge keys are, too', () => {
    expect(readForeignSettings('a: { <<: { b: 1 } }', 'f', () => [])).toEqual({ a: { '<<': { b: 1 } } });
  });
});

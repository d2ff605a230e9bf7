import * as fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { editedYaml, NotEditable } from '../../../lib/core/validation/yaml-edit';

const edit = (text: string, value: unknown, ...path: string[]) => editedYaml(text, [{ path, value }]);

describe('an edit of a file', () => {
  test.each([
    ['a number', 'a: 1 # why\nb: 2\n', 'a: 5 # why\nb: 2\n', 5, ['a']],
    ['the same', "a:   '1.35'  \n", "a:   '1.35'  \n", '1.35', ['a']],
    ['a text in its quotes', "a: '1.35'\n", "a: '1.36'\n", '1.36', ['a']],
    ['a text without quotes gets some', 'a: blue\n', 'a: "green"\n', 'green', ['a']],
    [
      'a pair of a flow map',
      "c:\n  t: { blue: '1.35' } # x\n",
      "c:\n  t: { blue: '1.35', green: '1.36' } # x\n",
      { blue: '1.35', green: '1.36' },
      ['c', 't'],
    ],
    ['the first of a flow map', 't: {a: 1, b: 2}', 't: {b: 2}', { b: 2 }, ['t']],
    ['the last of a flow map', 't: {a: 1, b: 2}', 't: {a: 1}', { a: 1 }, ['t']],
    ['all of a flow map', 't: { a: 1, b: 2 }', 't: { c: 3 }', { c: 3 }, ['t']],
    ['an empty map', 't: {}\n', 't: {"a":1}\n', { a: 1 }, ['t']],
    [
      'a pair of a block map',
      't:\n    # first\n    a: 1 # one\n\n# end\nu: 0\n',
      't:\n    # first\n    a: 1 # one\n    b: 2\n\n# end\nu: 0\n',
      { a: 1, b: 2 },
      ['t'],
    ],
    [
      'away with a map in a block map',
      't:\n  a:\n    v: 1\n  b: 2\nu: 0',
      't:\n  b: 2\nu: 0',
      { b: 2 },
      ['t'],
    ],
    ['the last of a block map', 't:\n  a: 1\n  b:\n    v: 2', 't:\n  a: 1\n', { a: 1 }, ['t']],
    [
      'a map beside a map',
      't:\n  a:\n    version: "1"\nu: 0\n',
      't:\n  a:\n    version: "1"\n  b: {"version":"2"}\nu: 0\n',
      { a: { version: '1' }, b: { version: '2' } },
      ['t'],
    ],
    [
      'JSON of several lines',
      '{\n  "t": {\n    "a": "1"\n  }\n}\n',
      '{\n  "t": {\n    "a": "1",\n    "b": "2"\n  }\n}\n',
      { a: '1', b: '2' },
      ['t'],
    ],
    [
      'a key that YAML would not read as a text',
      't: { a: 1 }',
      't: { a: 1, "no": 2 }',
      { a: 1, no: 2 },
      ['t'],
    ],
    ['a text in the place of a map', 't:\n  a:\n    v: 1\nu: 0\n', 't:\n  a: "x"\nu: 0\n', { a: 'x' }, ['t']],
    ['a list in the place of a list', 't:\n  - 1\n\n# u\nu: 0\n', 't: [2]\n\n# u\nu: 0\n', [2], ['t']],
    ['numbers with noughts before them stay', 'n: 0123\na: 1', 'n: 0123\na: 2', 2, ['a']],
  ])('%s', (_name, before, after, value, path) => {
    expect(edit(before, value, ...path)).toBe(after);
  });

  test.each([
    ['what is not there', 'a: 1', 2, ['b']],
    ['what an alias stands for, too', 'a: &x { k: 1 }\nb: *x\n', { k: 2 }, ['a']],
    ['no YAML', 'a: [', 1, ['a']],
  ])('refused: %s', (_name, text, value, path) => {
    expect(() => edit(text, value, ...path)).toThrow(NotEditable);
  });

  test('whatever the maps are, the file says it afterwards, and its other lines are the same', () => {
    const key = fc.constantFrom('a', 'b', 'c-d', 'no', '1');
    const leaf = fc.oneof(fc.integer(), fc.stringMatching(/^[ -~]{0,8}$/));
    const map = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { minKeys: 1 })), { minKeys: 1 });
    fc.assert(
      fc.property(map, map, fc.boolean(), fc.boolean(), (before, after, isJson, isFlow) => {
        const file = { first: 1, at: before, last: ['x'] };
        const text = isJson
          ? JSON.stringify(file, undefined, 2)
          : stringify(file, isFlow ? { collectionStyle: 'flow' } : {});
        const result = edit(text, after, 'at');
        expect(parse(result)).toEqual({ ...file, at: after });
        expect(isJson ? JSON.parse(result) : undefined).toEqual(isJson ? { ...file, at: after } : undefined);
      }),
      { numRuns: 40 },
    );
  });
});

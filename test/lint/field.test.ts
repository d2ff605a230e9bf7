import * as fc from 'fast-check';
import {
  applyPatch,
  Field,
  manifestObject,
  toJsonPointer,
  setValuePatch,
  parseJsonPointer,
} from '../../lib/lint';

const field = Field.ofValue({
  text: 'x',
  zero: 0,
  no: false,
  nothing: null,
  list: ['a', 1, 'b'],
  map: { 'a/b': { 'c~d': 'deep' }, n: 1 },
});

test.each([
  [['text'], '/text', { text: 'x', exists: true }],
  [['zero'], '/zero', { number: 0, text: undefined, exists: true }],
  [['no'], '/no', { boolean: false, exists: true }],
  [['nothing'], '/nothing', { exists: false, value: null, keys: [], items: [] }],
  [['gone', 'deeper', 3], '/gone/deeper/3', { exists: false, value: undefined, text: undefined }],
  [['list'], '/list', { texts: ['a', 'b'], keys: [], labels: {} }],
  [['list', 1], '/list/1', { number: 1 }],
  [['list', '2'], '/list/2', { text: 'b' }],
  [['list', 'length'], '/list/length', { exists: false }],
  [['map', 'a/b', 'c~d'], '/map/a~1b/c~0d', { text: 'deep' }],
  [['map'], '/map', { keys: ['a/b', 'n'], labels: {} }],
  [['text', 'length'], '/text/length', { exists: false }],
  [['constructor'], '/constructor', { exists: false }],
  [['map', '__proto__'], '/map/__proto__', { exists: false }],
])('%j', (steps, pointer, expected) => {
  const found = field.get(...steps);
  expect(found.pointer).toBe(pointer);
  expect(found.steps).toEqual(steps.map(String));
  for (const [key, value] of Object.entries(expected)) {
    expect(found).toHaveProperty([key], value);
  }
});

test('items and entries know where they stand', () => {
  expect(field.get('list').items.map(({ pointer }) => pointer)).toEqual(['/list/0', '/list/1', '/list/2']);
  expect(field.get('map').entries.map(([key, { pointer }]) => [key, pointer])).toEqual([
    ['a/b', '/map/a~1b'],
    ['n', '/map/n'],
  ]);
});

describe('a map over another one', () => {
  const upper = Field.ofValue({ a: { x: 1, list: [1], gone: null }, b: [], text: 't' }, '/upper');
  const lower = Field.ofValue({ a: { y: 2, list: [2, 3], gone: { z: 1 } }, b: {}, text: {}, c: 3 }, '/lower');
  const both = upper.over(lower);

  test.each([
    [['a', 'x'], '/upper/a/x', 1],
    [['a', 'y'], '/lower/a/y', 2],
    [['a', 'list'], '/upper/a/list', [1]],
    [['a', 'list', 1], '/upper/a/list/1', undefined],
    [['a', 'gone'], '/upper/a/gone', null],
    [['a', 'gone', 'z'], '/upper/a/gone/z', undefined],
    [['text', 'x'], '/upper/text/x', undefined],
    [['c'], '/lower/c', 3],
    [['new', 'x'], '/lower/new/x', undefined],
  ])('%j', (steps, pointer, value) => {
    expect(both.get(...steps)).toMatchObject({ pointer, value });
    expect(both.get(steps[0]!).get(...steps.slice(1))).toMatchObject({ pointer, value });
  });

  test('is one value, and its entries have their own places', () => {
    expect(both.value).toEqual({ a: { x: 1, y: 2, list: [1], gone: null }, b: [], text: 't', c: 3 });
    expect(both.entries.map(([key, { pointer }]) => `${key} ${pointer}`).sort()).toEqual([
      'a /upper/a',
      'b /upper/b',
      'c /lower/c',
      'text /upper/text',
    ]);
  });

  test('is the other one where there is none, and leaves nothing of one that is no map', () => {
    expect(Field.ofValue(undefined, '/x').over(lower)).toBe(lower);
    const [one, other] = [Field.ofValue([1], '/x'), Field.ofValue({ a: 1 }, '/y')];
    expect([one.over(other), other.over(one)]).toEqual([one, other]);
    expect(other.over(Field.ofValue(undefined, '/z')).get('b', 'c').pointer).toBe('/z/b/c');
  });
});

test.each([
  [undefined, undefined],
  [null, undefined],
  ['x', undefined],
  [{}, { matchLabels: {}, matchExpressions: [] }],
  [
    {
      matchLabels: { a: 'b', c: 1 },
      matchExpressions: [{ key: 'k', operator: 'In', values: ['v', 2] }, { key: 'k', operator: 'Like' }, 7],
    },
    { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['v'] }] },
  ],
])('selector %j', (value, expected) => {
  expect(Field.ofValue(value).selector).toEqual(expected);
});

test('a pointer and its steps are the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (steps) => {
      expect(parseJsonPointer(toJsonPointer(...steps))).toEqual(steps);
    }),
  );
});

test('whatever stands there, reading it does not fail', () => {
  fc.assert(
    fc.property(
      fc.anything(),
      fc.array(fc.oneof(fc.string(), fc.nat(3)), { maxLength: 4 }),
      (value, steps) => {
        const found = Field.ofValue(value).get(...steps);
        expect(found.texts.every((each) => typeof each === 'string')).toBe(true);
        expect(
          found.items.length + found.keys.length + Object.keys(found.labels).length,
        ).toBeGreaterThanOrEqual(0);
        expect(typeof found.exists).toBe('boolean');
        expect(found.selector === undefined || typeof found.selector === 'object').toBe(true);
      },
    ),
  );
});

describe('the change that sets a value', () => {
  const value = {
    apiVersion: 'v1',
    kind: 'X',
    spec: { list: ['a'], empty: null, text: 't', map: { there: 1 } },
  };
  const object = manifestObject(value)!;

  test.each([
    [['spec', 'map', 'there'], 2, { op: 'replace', path: '/spec/map/there', value: 2 }],
    [['spec', 'map', 'new'], 2, { op: 'add', path: '/spec/map/new', value: 2 }],
    [['spec', 'list', '-'], 'b', { op: 'add', path: '/spec/list/-', value: 'b' }],
    [['spec', 'more', 'list', '-'], 'b', { op: 'add', path: '/spec/more', value: { list: ['b'] } }],
    [['spec', 'empty', '-'], 'b', { op: 'replace', path: '/spec/empty', value: ['b'] }],
    [
      ['metadata', 'annotations', 'a/b'],
      'c',
      { op: 'add', path: '/metadata', value: { annotations: { 'a/b': 'c' } } },
    ],
  ])('%j', (steps, wanted, expected) => {
    expect(setValuePatch(object, steps, wanted)).toEqual([expected]);
  });

  test.each([[['spec', 'text', 'x']], [['spec', 'map', '-']], [['spec', 'list', 'x']]])(
    '%j: there is none',
    (steps) => {
      expect(setValuePatch(object, steps, 1)).toBeUndefined();
    },
  );

  test('does what it says, and leaves the object as it was', () => {
    const changes = setValuePatch(object, ['spec', 'list', '-'], 'b')!;
    expect(applyPatch(value, changes)).toEqual({ ...value, spec: { ...value.spec, list: ['a', 'b'] } });
    expect(value.spec.list).toEqual(['a']);
  });
});

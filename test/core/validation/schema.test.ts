import { formatProblem as sentence } from '../../../lib/core/validation';
import {
  across,
  either,
  falseOr,
  list,
  object,
  oneKeyOf,
  optional,
  record,
} from '../../../lib/core/validation/collections';
import type { Schema } from '../../../lib/core/validation/schema';
import { problemsOf } from '../../../lib/core/validation/schema';
import {
  flag,
  following,
  later,
  number,
  oneOf,
  orNull,
  secret,
  text,
  that,
  whole,
} from '../../../lib/core/validation/values';

interface Period {
  readonly from: string;
  readonly until?: string;
}

interface Settings {
  readonly name: string;
  readonly percent?: number;
  readonly periods?: readonly Period[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly drain?: false | { readonly within: number };
}

const label = text('lower-case letters', /^[a-z]+$/, 5);
const period = object<Period>({ from: text('a time'), until: optional(text('a time')) });
const settings: Schema<Settings> = across(
  object({
    name: label,
    percent: optional(whole(0, 100)),
    periods: optional(list(period, 1)),
    labels: optional(record(text('a text'), label)),
    token: optional(secret(text('a token', /^t-/))),
    drain: optional(falseOr(object({ within: whole(1, 9) }), 'false, or { within: 5 }')),
  }),
  ({ name, percent, token }, { conflicts, mustBe }) => {
    if (percent === 7 && token !== undefined) {
      conflicts(['token'], 'percent 7');
    }
    if (percent === 8 && name === 'green') {
      mustBe(['percent'], 'another one for green');
    }
  },
);

const sentences = (value: unknown, schema: Schema = settings): string[] =>
  problemsOf(schema, value).map((problem) => sentence(problem));

test.each<[unknown, string[]]>([
  [{ name: 'blue' }, []],
  [
    {
      name: 'blue',
      percent: 100,
      periods: [{ from: '1' }],
      labels: { a: 'b' },
      token: 't-1',
      drain: false,
    },
    [],
  ],
  [{ name: 'blue', percent: undefined, other: undefined, drain: { within: 9 } }, []],
  [undefined, [': nothing: must be an object with name, percent, periods, labels, token, drain']],
  [[], [': []: must be an object with name, percent, periods, labels, token, drain']],
  [{}, ['name: is required: lower-case letters']],
  [{ name: undefined }, ['name: is required: lower-case letters']],
  [{ name: null }, ['name: null: must be lower-case letters']],
  // One sentence, whichever of form and length is wrong.
  [{ name: 'TOO LONG' }, ['name: "TOO LONG": must be lower-case letters']],
  [
    { name: 'blue', percent: 1.5, periods: [] },
    ['percent: 1.5: must be a whole number from 0 to 100', 'periods: []: must be a list of at least one'],
  ],
  [
    { name: 'blue', periods: [{ from: '1', untill: '2' }, { until: 3 }] },
    [
      'periods[0].untill: unknown key, did you mean "until"?; known keys: from, until',
      'periods[1].from: is required: a time',
      'periods[1].until: 3: must be a time',
    ],
  ],
  [
    { name: 'blue', labels: { B: 'b', a: 1 } },
    ['labels.B: "B": must be lower-case letters', 'labels.a: 1: must be a text'],
  ],
  [
    { name: 'blue', labels: { A: 'a', B: 'b' } },
    ['labels.A: "A": must be lower-case letters', 'labels.B: "B": must be lower-case letters'],
  ],
  [{ name: 'blue', labels: 'geheim' }, ['labels: must be an object']],
  [{ name: 'blue', labels: ['a'] }, ['labels: must be an object']],
  [{ name: 'blue', token: 'geheim' }, ['token: must be a token']],
  [
    { name: 'blue', toke: 't-geheim' },
    [expect.stringMatching(/^toke: unknown key, did you mean "token"\?; known/)],
  ],
  [{ name: 'blue', drain: true }, ['drain: true: must be false, or { within: 5 }']],
  [{ name: 'blue', drain: { within: 0 } }, ['drain.within: 0: must be a whole number from 1 to 9']],
  // Rules over several fields are asked where others are wrong, too.
  [
    { name: 1, percent: 7, token: 't-geheim' },
    ['name: 1: must be lower-case letters', 'token: conflicts with percent 7'],
  ],
  [{ name: 'green', percent: 8 }, ['percent: 8: must be another one for green']],
])('%j', (value, expected) => {
  expect(sentences(value)).toEqual(expected);
});

test('keys that objects inherit, or that libraries pass over, are keys like others', () => {
  const keys = ['constructor', 'prototype', 'toString', 'hasOwnProperty', '__proto__'];
  const given = JSON.parse(`{"name": "blue", ${keys.map((key) => `"${key}": 1`).join(', ')}}`);
  expect(problemsOf(settings, given).map(({ path }) => path)).toEqual(keys);
  expect(
    problemsOf(record(flag), JSON.parse('{"constructor": 1, "__proto__": 2}')).map(({ path }) => path),
  ).toEqual(['constructor', '__proto__']);
  // What an object inherits is no key of it.
  const inherited = Object.create({ name: 'blue' });
  expect(sentences(inherited)).toEqual(['name: is required: lower-case letters']);
});

test.each<[string, Schema, unknown[], unknown[]]>([
  ['number', number('n', { above: 0, below: 1 }), [0.5], [0, 1, NaN, Infinity, '1', null]],
  ['finite', number('n'), [-1e300, 0], [Infinity, NaN, 10n]],
  ['oneOf', oneOf('a', 'b'), ['a', 'b'], ['c', '', 1, ['a']]],
  ['flag', flag, [true, false], ['true', 0, null]],
  ['that', that(text('even'), 'even', (value) => value.length % 2 === 0), ['', 'ab'], ['a', 2]],
  [
    'oneKeyOf',
    oneKeyOf({ name: label, server: text('a') }),
    [{ name: 'a' }, { server: '' }],
    [{}, { name: 'a', server: 'b' }, [], 'name', { nam: 'a' }],
  ],
  ['later', later(label), ['a', Promise.resolve('A'), { __pulumiOutput: true }], ['A', 1, { then: 1 }]],
])('%s', (_name, schema, good, bad) => {
  expect(good.map((value) => problemsOf(schema, value).length)).toEqual(good.map(() => 0));
  expect(bad.filter((value) => problemsOf(schema, value).length === 0)).toEqual([]);
});

test('an item that an array leaves open is missing', () => {
  // eslint-disable-next-line no-sparse-arrays
  const found = problemsOf(list(whole(1, 9)), [1, , 3]);
  expect(found.map(({ path, allowed }) => [path, allowed])).toEqual([['[1]', 'a whole number from 1 to 9']]);
});

test('a key without a name can be seen in the path', () => {
  const found = problemsOf(record(record(label)), { labels: { '': 7 } });
  expect(found.map(({ path }) => path)).toEqual(['labels[""]']);
});

test('a form is chosen by the value, and evaluates it', () => {
  const schema = either<string | { readonly size: number }>(
    'a text, or { size: 1 }',
    { when: (value) => typeof value === 'string', schema: label },
    { when: (value) => typeof value === 'object' && value !== null, schema: object({ size: whole(1, 2) }) },
  );
  expect(['a', { size: 2 }, 'A', { size: 3 }, 1, null].map((value) => sentences(value, schema))).toEqual([
    [],
    [],
    [': "A": must be lower-case letters'],
    ['size: 3: must be a whole number from 1 to 2'],
    [': 1: must be a text, or { size: 1 }'],
    [': null: must be a text, or { size: 1 }'],
  ]);
  expect(schema.json).toMatchObject({ anyOf: [{ type: 'string' }, { type: 'object', required: ['size'] }] });
});

test('a value that must be plain says that it is an Output', () => {
  const [problem] = problemsOf(settings, { name: { __pulumiOutput: true } });
  expect(sentence(problem!)).toBe(
    'name: an Output, known only during a deployment; here a plain value is needed',
  );
});

test('a text made of an Output is no text', () => {
  const made = 'id-Calling [toString] on an [Output<T>] is not supported.';
  const rule = { allowed: 'not empty', accepts: (value: unknown) => value !== '' };
  for (const schema of [text('a text'), following(rule), record(text('a text'))]) {
    const value = schema.json.type === 'object' ? { a: made } : made;
    expect(problemsOf(schema, value).map(sentence)).toEqual([
      expect.stringContaining('a text made of an Output, known only during a deployment'),
    ]);
  }
});

test('a text in the place of an object or a list may be a secret, and is not shown', () => {
  for (const schema of [object({ name: label }), record(label), list(label)]) {
    expect(problemsOf(schema, 'hunter2')).toEqual([{ path: '', allowed: schema.allowed, steps: [] }]);
    for (const shown of [7, 'off', '1.35']) {
      expect(problemsOf(schema, shown)).toMatchObject([{ value: shown }]);
    }
  }
  for (const [schema, value] of [
    [record(label), ['hunter2']],
    [list(label), { password: 'hunter2' }],
  ] as const) {
    expect(problemsOf(schema, value)).toEqual([{ path: '', allowed: schema.allowed, steps: [] }]);
  }
});

test('many wrong keys are told in time, the first thousand of them', () => {
  const keys = Array.from({ length: 20_000 }, (_, at) => [`wrong-key-${at}`, at]);
  expect(problemsOf(settings, { name: 'blue', ...Object.fromEntries(keys) })).toHaveLength(1_000);
});

test('the JSON Schema says the same', () => {
  expect(settings.json).toEqual({
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
      percent: { type: 'integer', minimum: 0, maximum: 100 },
      periods: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['from'],
          additionalProperties: false,
          properties: { from: { type: 'string' }, until: { type: 'string' } },
        },
      },
      labels: {
        type: 'object',
        propertyNames: { pattern: '^[a-z]+$', maxLength: 5 },
        additionalProperties: { type: 'string' },
      },
      token: { type: 'string', pattern: '^t-' },
      drain: {
        anyOf: [
          { const: false },
          {
            type: 'object',
            required: ['within'],
            additionalProperties: false,
            properties: { within: { type: 'integer', minimum: 1, maximum: 9 } },
          },
        ],
      },
    },
  });
});

test('a key without a value can count as left out', () => {
  const percent = object<{ readonly percent?: number }>({ percent: optional(orNull(whole(0, 100))) });
  expect(sentences({ percent: null }, percent)).toEqual([]);
  expect(sentences({ percent: 101 }, percent)).toEqual([
    'percent: 101: must be a whole number from 0 to 100',
  ]);
  expect(percent.json.properties!.percent).toEqual({ type: ['integer', 'null'], minimum: 0, maximum: 100 });
  expect(orNull(oneOf('a', 'b')).json).toEqual({ enum: ['a', 'b', null] });
  expect(orNull(falseOr(whole(1, 9), 'false, or a number')).json.anyOf).toEqual([
    { const: false },
    { type: 'integer', minimum: 1, maximum: 9 },
    { type: 'null' },
  ]);
});

test('keys of others are passed over, and say so', () => {
  const own = object<{ readonly name: string }>({ name: label }, undefined, ['status']);
  expect(sentences({ name: 'blue', status: { phase: 1 }, state: 1 }, own)).toEqual([
    'state: unknown key; known keys: name',
  ]);
  expect(own.json.properties!.status).toEqual({ description: 'Not looked at.' });
});

test('a rule is a schema, and several fields can object to a value that is not shown', () => {
  const even = following({ allowed: 'an even number', accepts: (value) => Number(value) % 2 === 0 }, {});
  const both = across(object<{ a: number; b: number }>({ a: even, b: even }), ({ a, b }, rules) => {
    if (a === b) {
      rules.mustBeSecretly(['b'], 'another one');
    }
  });
  expect(sentences({ a: 3, b: 3 }, both)).toEqual([
    'a: 3: must be an even number',
    'b: 3: must be an even number',
    'b: must be another one',
  ]);
});

test('a schema has the keys of its type', () => {
  // @ts-expect-error a key is missing
  object<Period>({ from: text('a time') });
  // @ts-expect-error a key is too many
  object<Period>({ from: text('a time'), until: optional(text('a time')), other: flag });
  // @ts-expect-error a key that may be left out
  object<Period>({ from: text('a time'), until: text('a time') });
  // @ts-expect-error another type
  object<Period>({ from: flag, until: optional(text('a time')) });
  expect(Object.keys(period.json.properties!)).toEqual(['from', 'until']);
});

test.each<[string, object]>([
  ['Map', new Map([['blue', 100]])],
  ['Set', new Set(['blue'])],
  ['Date', new Date(0)],
  ['RegExp', /blue/],
  ['Error', new Error('blue')],
  ['Uint8Array', new Uint8Array(2)],
])('a %s is no object: what it holds is not in its keys', (name, value) => {
  const period = object<{ from?: string }>({ from: optional(text('a day')) });
  for (const schema of [record(whole(0, 100)), period]) {
    const [problem] = problemsOf(schema, value);
    expect(problem).toMatchObject({ path: '', allowed: schema.allowed });
    expect(sentence({ ...problem!, path: 'weights' })).toMatch(/^weights: .*must be an object/);
  }
  expect(sentence({ path: 'weights', value, allowed: 'x' })).toBe(`weights: a ${name}: must be x`);
});

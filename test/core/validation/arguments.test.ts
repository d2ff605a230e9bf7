import * as pulumi from '@pulumi/pulumi';
import { Problems, formatProblem as sentence } from '../../../lib/core/validation';
import {
  argumentProblems,
  namesIn,
  opaque,
  plainData,
  refuseArguments,
} from '../../../lib/core/validation/arguments';
import { record, list, object, optional } from '../../../lib/core/validation/collections';
import { problemsOf } from '../../../lib/core/validation/schema';
import { anything, callback, flag, secret, text, whole } from '../../../lib/core/validation/values';

interface Slot {
  readonly version?: string;
  readonly nodes?: { readonly max: number };
  readonly zones?: readonly string[];
}

interface Args {
  readonly slots: Readonly<Record<string, Slot>>;
  readonly force?: boolean;
  readonly raw?: object;
}

const version = text('a version', /^\d+$/);
const schema = object<Args>({
  slots: record(
    object<Slot>({
      version: optional(version),
      nodes: optional(object({ max: whole(1, 9) })),
      zones: optional(list(version)),
    }),
    text('lower-case letters', /^[a-z]+$/),
  ),
  force: optional(flag),
  raw: optional(opaque('raw arguments')),
});

/** Says of each field whether it is there, and finds something wrong everywhere. */
function together(seen: unknown[]) {
  return (sound: Partial<Args>) => {
    seen.push(sound);
    const problems = new Problems('args');
    problems.conflicts('force', 'something');
    problems.require('slots.blue.version', 'a version');
    problems.require('slots.blue.zones', 'a list');
    problems.conflicts('slots.blue.nodes', 'something');
    return problems.all;
  };
}

test('what goes together is evaluated by what is sound by itself, and nothing is told twice', () => {
  const seen: unknown[] = [];
  const given = {
    slots: { blue: { version: 'x', nodes: { max: 10, min: 1 }, zones: ['1', 'a'] }, Green: {}, red: null },
    force: true,
    other: 1,
  };
  expect(argumentProblems(schema, given, together(seen)).map((each) => sentence(each))).toEqual([
    'other: unknown key; known keys: slots, force, raw',
    'slots.blue.version: "x": must be a version',
    'slots.blue.nodes.min: unknown key; known keys: max',
    'slots.blue.nodes.max: 10: must be a whole number from 1 to 9',
    'slots.blue.zones[1]: "a": must be a version',
    'slots.Green: "Green": must be lower-case letters',
    'slots.red: null: must be an object with version, nodes, zones',
    'force: conflicts with something',
    'slots.blue.nodes: conflicts with something',
  ]);
  expect(seen).toEqual([{ slots: { blue: { nodes: {} } }, force: true }]);
  expect(namesIn(given.slots)).toEqual(['blue', 'Green', 'red']);
  expect(namesIn('blue')).toEqual([]);
});

test('what are no arguments at all is evaluated alone', () => {
  const seen: unknown[] = [];
  for (const [given, line] of [
    [undefined, 'args: nothing: must be an object with slots, force, raw'],
    ['hunter2', 'args: must be an object with slots, force, raw'],
    [pulumi.output({}), 'args: an Output, known only during a deployment; here a plain value is needed'],
  ]) {
    expect(argumentProblems(schema, given, together(seen)).map((each) => sentence(each))).toEqual([line]);
  }
  expect(seen).toEqual([]);
  expect(() => refuseArguments('Thing "a"', schema, { slots: {} })).not.toThrow();
  expect(() => refuseArguments('Thing "a"', schema, {})).toThrow(
    'Thing "a": 1 problem\n  slots: is required: an object',
  );
});

test('what is opaque is an object, and not looked into', () => {
  class Component {
    public readonly anything = 'hunter2';
  }
  const raw = opaque('raw arguments');
  expect([{}, { a: pulumi.output(1) }, new Component()].flatMap((each) => problemsOf(raw, each))).toEqual([]);
  expect(['a', [], null, 1, pulumi.output({})].map((each) => problemsOf(raw, each).length)).toEqual([
    1, 1, 1, 1, 1,
  ]);
  expect(problemsOf(raw, 'hunter2').map((each) => sentence(each))).toEqual([': must be raw arguments']);
});

test('in plain data an Output is refused at any depth, and classes are not looked into', () => {
  class Component {
    public readonly id = pulumi.output(1);
  }
  const data = plainData('an object of data');
  const lines = (value: unknown): string[] => problemsOf(data, value).map((each) => sentence(each));
  const around: Record<string, unknown> = { a: 1 };
  around.self = around;
  expect([{}, around, { a: [null, 'b'], c: new Component() }].flatMap(lines)).toEqual([]);
  const later = 'known only during a deployment; here a plain value is needed';
  expect(lines({ a: [{ b: pulumi.output(1) }], c: Promise.resolve(1), d: [1, pulumi.output(2)] })).toEqual([
    `a[0].b: an Output, ${later}`,
    `c: a Promise, ${later}`,
    `d[1]: an Output, ${later}`,
  ]);
  expect(lines('hunter2')).toEqual([': must be an object of data']);
});

test('a function is one, and no Output', () => {
  expect([() => 1, class {}].flatMap((each) => problemsOf(callback, each))).toEqual([]);
  for (const each of [1, 'f', {}, null, pulumi.output(() => 1)]) {
    expect(problemsOf(callback, each)).toHaveLength(1);
  }
});

test('of a secret that is an Output no more is said', () => {
  const token = object({ token: secret(version), any: optional(anything) });
  expect(problemsOf(token, { token: 'hunter2' }).map((each) => sentence(each))).toEqual([
    'token: must be a version',
  ]);
  expect(problemsOf(token, { token: pulumi.output('hunter2') }).map((each) => sentence(each))).toEqual([
    'token: an Output, known only during a deployment; here a plain value is needed',
  ]);
});

test('a name made of an Output is one', () => {
  const text = String(pulumi.output('a') as unknown);
  expect(problemsOf(record(flag), { [text]: true }).map((each) => sentence(each))).toEqual([
    expect.stringMatching(/: a text made of an Output, known only during a deployment/),
  ]);
});

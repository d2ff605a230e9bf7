import * as pulumi from '@pulumi/pulumi';
import type { OptionsOf } from 'cluster-canary/validation';
import {
  byKind,
  formatProblem as lineOf,
  listOf,
  mapOf,
  nearKey,
  optionKeyProblems,
  Problems,
  refuseOptions,
  textOr,
} from 'cluster-canary/validation';

const later = 'known only during a deployment; here a plain value is needed';
const keys = {
  name: 'plain',
  role: 'open',
  weights: 'plain',
  routes: mapOf({ hosts: 'list' }),
  steps: listOf(byKind({ pause: { duration: 'plain' }, weight: { percent: 'plain' } })),
  network: { vpcId: 'open' },
  onFailure: textOr({ rollbackTo: 'plain' }),
} as const;
const lines = (options: unknown): string[] => optionKeyProblems(options, keys).map(lineOf);

test('all keys that there are not are said, with the nearest spelling, and no value of theirs', () => {
  expect(
    lines({ nmae: 'hunter2', routes: { web: { host: ['a'] } }, steps: [{ kind: 'pause', percent: 1 }] }),
  ).toEqual([
    'nmae: must be spelled "name", or left out: the keys here are name, role, weights, routes, steps, network, onFailure',
    'routes.web.host: must be spelled "hosts", or left out: the keys here are hosts',
    'steps[0].percent: must be left out: the keys here are kind, duration',
  ]);
  expect(lines({ nmae: undefined })).toEqual([]);
  expect(() => refuseOptions('Thing "a"', 'text', keys)).toThrow(
    /^Thing "a": 1 problem\n {2}options: "text"/,
  );
});

test('a list where an object is needed, an object or a text where a list is needed, and the like are said', () => {
  expect(
    lines({
      routes: [{ host: 'www.example.com' }],
      steps: { kind: 'pause' },
      network: 'hunter2',
      onFailure: ['blue'],
    }),
  ).toEqual([
    'routes: must be an object, with a name for each, and not a list',
    'steps: must be a list, and not an object',
    'network: must be an object with vpcId, and not a text',
    'onFailure: must be an object with rollbackTo, and not a list',
  ]);
  expect(lines({ routes: { web: null, api: { hosts: 'hunter2' } }, steps: ['pause'], network: 3 })).toEqual([
    'routes.web: must be an object with hosts, and not null',
    'routes.api.hosts: must be a list, and not a text',
    'steps[0]: must be an object with kind, duration, percent, and not a text',
    'network: must be an object with vpcId, and not a number',
  ]);
});

test.each([
  ['prio', ['priority', 'hosts'], 'priority'],
  ['idleTimeout', ['idleTimeoutSeconds', 'cidrs'], 'idleTimeoutSeconds'],
  ['configuration', ['config', 'stack'], 'config'],
  ['subnet', ['subnetIds', 'subnetNames'], undefined],
  ['min', ['minReady'], undefined],
])(
  'a key that is the beginning of one known key, or begins with it, may be meant for it: %s',
  (given, known, meant) => {
    expect(nearKey(given, known)).toBe(meant);
  },
);

test('what takes the place of options is left to other rules: false, a text where one may be, an instance of a class', () => {
  class Own {}
  expect(lines({ network: false, onFailure: 'hold', routes: new Own(), weights: [1] })).toEqual([]);
  expect(lines({ network: undefined, steps: undefined, onFailure: 3 })).toEqual([]);
});

test('Outputs are refused where plain values belong: in lists, in texts, as keys', () => {
  const output = pulumi.output('a');
  expect(
    lines({
      role: output,
      name: output,
      weights: { [String(output as unknown)]: 1, blue: [Promise.resolve(1)] },
    }),
  ).toEqual([
    `name: an Output, ${later}`,
    `weights: a key: a text made of an Output, ${later}`,
    `weights.blue[0]: a Promise, ${later}`,
  ]);
  expect(lines(output)).toEqual([`options: an Output, ${later}`]);
});

test('nothing in the place of options is refused, by its path', () => {
  expect(lines({ routes: { web: null, api: undefined }, steps: [null], name: null })).toEqual([
    'routes.web: must be an object with hosts, and not null',
    'routes.api: must be an object with hosts, and not nothing',
    'steps[0]: must be an object with kind, duration, percent, and not null',
  ]);
  expect(lines({ routes: null, steps: undefined })).toEqual([
    'routes: must be an object, with a name for each, and not null',
  ]);
  expect(lines(null)).toEqual([
    'options: null: must be an object with name, role, weights, routes, steps, network, onFailure',
  ]);
});

test('plain values that contain themselves, or stand in many places, are looked through once', () => {
  const output = pulumi.output(1);
  const weights: Record<string, unknown> = { blue: output, green: output };
  weights.self = { weights: [weights] };
  expect(lines({ weights })).toEqual([
    `weights.blue: an Output, ${later}`,
    `weights.green: an Output, ${later}`,
  ]);
  let many: unknown[] = ['a'];
  for (let depth = 0; depth < 60; depth += 1) {
    many = [many, many];
  }
  expect(lines({ weights: many, name: 'a' })).toEqual([]);
});

test('any rule that is given an Output says so, and a list of them shows none of their text', () => {
  const problems = new Problems('thing');
  const never = { allowed: 'a port', accepts: () => false };
  problems.check('port', pulumi.output(80), never);
  problems.check('ports', [pulumi.output(80)], never);
  expect(problems.all.map(lineOf)).toEqual([
    `port: an Output, ${later}`,
    expect.not.stringContaining('Calling'),
  ]);
});

test('the keys are those of the type', () => {
  const some: OptionsOf<{ readonly a?: string; readonly b: pulumi.Input<string> }> = {
    a: 'plain',
    b: 'open',
  };
  // @ts-expect-error a key is missing
  const fewer: OptionsOf<{ readonly a?: string; readonly b: number }> = { a: 'plain' };
  // @ts-expect-error a text is plain, and nothing else
  const open: OptionsOf<{ readonly a?: string }> = { a: 'open' };
  // @ts-expect-error an Output may be there
  const plain: OptionsOf<{ readonly a: pulumi.Input<string> }> = { a: 'plain' };
  const lists: OptionsOf<{ readonly a: readonly string[]; readonly b: readonly { readonly c: string }[] }> = {
    a: 'list',
    b: listOf({ c: 'plain' }),
  };
  // @ts-expect-error a list is no single text
  const single: OptionsOf<{ readonly a: readonly string[] }> = { a: 'plain' };
  type Deep = { readonly a: { readonly b: readonly { readonly c: string }[] } };
  // @ts-expect-error nor are options in a list single ones, however deep
  const deep: OptionsOf<Deep> = { a: { b: { c: 'plain' } } };
  // @ts-expect-error a text may be there
  const text: OptionsOf<{ readonly a: 'none' | { readonly b: string } }> = { a: { b: 'plain' } };
  expect(
    [some, fewer, open, plain, lists, single, deep, text].map((each) => Object.keys(each).length),
  ).toEqual([2, 1, 1, 1, 2, 1, 1, 1]);
});

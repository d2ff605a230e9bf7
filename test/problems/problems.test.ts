import {
  dnsLabel,
  dnsSubdomain,
  InvalidInput,
  labelKey,
  labelValue,
  oneOf,
  port,
  Problems,
  wholeNumber,
} from '../../lib/problems';

test('every problem is in one error: path, value, what is allowed', () => {
  const problems = new Problems('ClusterFleet "apps"');
  problems.check('weights.blue', 101, wholeNumber(0, 100));
  problems.check('slots.Blue', 'Blue', dnsLabel);
  problems.addSecret('repositories[0].password', 'a Pulumi secret');
  problems.addAll([{ path: 'type', value: undefined, allowed: 'ip' }], 'entries.web');
  expect(problems.check('fine', 1, port)).toBe(true);
  const thrown = (() => {
    try {
      problems.throwIfAny();
      return undefined;
    } catch (error) {
      return error as InvalidInput;
    }
  })();
  expect(thrown).toBeInstanceOf(InvalidInput);
  expect(thrown!.problems).toHaveLength(4);
  expect(thrown!.message.split('\n')).toEqual([
    'ClusterFleet "apps": 4 problems',
    '  weights.blue: 101: must be a whole number from 0 to 100',
    expect.stringMatching(/^ {2}slots\.Blue: "Blue": must be lower-case letters/),
    '  repositories[0].password: must be a Pulumi secret',
    '  entries.web.type: nothing: must be ip',
  ]);
});

test('no problem, no error; a long value is cut', () => {
  expect(() => new Problems('x').throwIfAny()).not.toThrow();
  const message = new InvalidInput('x', [{ path: 'a', value: 'y'.repeat(500), allowed: 'short' }]).message;
  expect(message.length).toBeLessThan(150);
  expect(message).toContain('x: 1 problem\n');
});

const long = (length: number) => 'a'.repeat(length);
test.each([
  [dnsLabel, ['a', 'a-1', long(63)], ['', 'A', '-a', 'a-', 'a.b', long(64), 'a_b', 7, undefined, 'ä', 'a\n']],
  [dnsSubdomain, ['a', 'a.b-c.d', long(63)], ['', '.a', 'a..b', 'a.', 'A', `${long(60)}.`.repeat(5)]],
  [labelValue, ['', 'a', 'A.b_c-9', long(63)], ['-a', 'a-', long(64), 'a/b', 'a b']],
  [
    labelKey,
    ['a', 'example.com/a_B', 'cluster-canary/active'],
    ['', '/a', 'a/', 'a/b/c', 'Example.com/a', '-a', 'a b'],
  ],
  [port, [1, 65535], [0, 65536, 1.5, '80', NaN]],
  [oneOf('ip', 'instance'), ['ip', 'instance'], ['IP', '', undefined]],
] as const)('rule %#', (rule, good, bad) => {
  expect(good.filter((value) => !rule.accepts(value as never))).toEqual([]);
  expect(bad.filter((value) => rule.accepts(value as never))).toEqual([]);
});

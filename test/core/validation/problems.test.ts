import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  formatProblem as described,
  dnsLabel,
  dnsSubdomain,
  InvalidInput,
  labelKey,
  labelValue,
  oneOfWords,
  port,
  Problems,
  readText,
  wholeNumber,
} from '../../../lib/core/validation';
import { errorLine } from '../../../lib/core/validation/problems';
import { expectNoHang } from '../../hostile/texts';

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

test('the name of a file is shown whole', () => {
  const file = `/srv/${'clusters/'.repeat(20)}hub.yaml`;
  expect(new InvalidInput('x', [{ path: 'kubeconfig', value: file, allowed: 'a file' }]).message).toContain(
    `kubeconfig: "${file}": must be a file`,
  );
});

test('no problem, no error; a long value is cut', () => {
  expect(() => new Problems('x').throwIfAny()).not.toThrow();
  const message = new InvalidInput('x', [{ path: 'a', value: 'y'.repeat(500), allowed: 'short' }]).message;
  expect(message.length).toBeLessThan(150);
  expect(message).toContain('x: 1 problem\n');
});

describe('an error on one line', () => {
  const line = (subject: string, ...paths: string[]) =>
    errorLine(
      new InvalidInput(
        subject,
        paths.map((path) => ({ path, allowed: 'a text' })),
      ),
    );

  test.each([
    ['one problem', line('fleet "apps"', 'a'), 'fleet "apps": a: must be a text'],
    [
      'one in a file, whose name is said once',
      line('f.yaml', 'f.yaml:1:1 a'),
      'f.yaml:1:1 a: must be a text',
    ],
    ['several', line('f', 'a', 'b'), 'f: 2 problems; a: must be a text; b: must be a text'],
    ['another error', errorLine(new Error('no\nroute')), 'no\\nroute'],
    ['one without a message', errorLine(new RangeError()), 'RangeError'],
  ])('%s', (_name, text, expected) => {
    expect(text).toBe(expected);
  });
});

const circular: { self?: unknown } = {};
circular.self = circular;
test.each([
  [NaN, 'NaN'],
  [-Infinity, '-Infinity'],
  [0.5, '0.5'],
  [10n, 'a bigint'],
  [circular, 'an object'],
  [() => 1, 'a function'],
  [Symbol('x'), 'a symbol'],
  [null, 'null'],
] as const)('a value without JSON is told all the same: %p', (value, shown) => {
  expect(described({ path: 'a', value, allowed: 'b' })).toBe(`a: ${shown}: must be b`);
});

describe('a file that a user names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-problems-'));
  beforeAll(() => {
    writeFileSync(join(folder, 'latin1'), '# caf\xe9\n', 'latin1');
    writeFileSync(join(folder, 'utf16'), '\ufeffa: 1', 'utf16le');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is read', () => {
    writeFileSync(join(folder, 'plan'), 'weights: {}');
    expect(readText(join(folder, 'plan'), 'a plan')).toBe('weights: {}');
  });

  test.each([
    ['none', /none: must be a plan; there is no such file$/],
    ['plan/below', /plan\/below: must be a plan; there is no such file$/],
    ['', /must be a file; it is a folder$/],
    ['utf16', /utf16: must be a plan; it is text in UTF-16: write it in UTF-8 \(.* -Encoding utf8\)$/],
    ['latin1', /latin1: must be a plan; it is not text in UTF-8$/],
    ['\0', /must be a plan; it can not be read \(ERR_INVALID_ARG_VALUE\)$/],
  ])('%j can not be', (name, message) => {
    expect(() => readText(`${folder}/${name}`, 'a plan')).toThrow(message);
    expect(() => readText(`${folder}/${name}`, 'a plan')).toThrow(InvalidInput);
  });
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
  [oneOfWords('ip', 'instance'), ['ip', 'instance'], ['IP', '', undefined]],
] as const)('rule %#', (rule, good, bad) => {
  expect(good.filter((value) => !rule.accepts(value as never))).toEqual([]);
  expect(bad.filter((value) => rule.accepts(value as never))).toEqual([]);
});

test.each([
  ['http://me:hunter2@example.com/path', '"http://[secret]@example.com/path"'],
  ['https://me:hunt/er2@example.com', '"https://[secret]@example.com"'],
  [
    'https://example.com/?page=1&access_token=hunter2#x',
    '"https://example.com/?page=1&access_token=[secret]#x"',
  ],
  [{ url: 'ssh://hunter2@x', b: 'a@b' }, '{"url":"ssh://[secret]@x","b":"a@b"}'],
])('a problem shows no login of a URL: %j', (value, shown) => {
  expect(described({ path: 'x', value, allowed: 'y' })).toBe(`x: ${shown}: must be y`);
});

test('a long value is shown at once', () => {
  const value = '://?a='.repeat(500_000);
  expectNoHang('a long value', () => described({ path: 'x', value, allowed: 'y' }));
});

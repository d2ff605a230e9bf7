import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { InvalidInput } from '../../lib/core/validation';
import { parseYaml, readLintConfig } from '../../lib/lint';

const schema = JSON.parse(readFileSync(join(__dirname, '../../schemas/lint-config.json'), 'utf8')) as object;
const fitsSchema = new Ajv2020({ strict: true, strictTypes: false }).compile(schema);

const read = (text: string) => readLintConfig(text, 'cluster-canary.yaml', ['WH01', 'WH02']);

function problemsOf(text: string): string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

test('a configuration is read with the lines of its suppressions', () => {
  const text = `suppress:
  - rule: WH01
    object: { kind: Webhook, namespace: a, name: b }
    file: ./rendered/
    reason: known
  - { rule: WH02 }
rules:
  WH01: info
  WH02: off
`;
  expect(read(text)).toEqual({
    file: 'cluster-canary.yaml',
    suppress: [
      {
        rule: 'WH01',
        object: { kind: 'Webhook', namespace: 'a', name: 'b' },
        file: 'rendered/',
        reason: 'known',
        line: 2,
      },
      { rule: 'WH02', line: 6 },
    ],
    rules: new Map([
      ['WH01', 'info'],
      ['WH02', 'off'],
    ]),
  });
  expect(fitsSchema(parseYaml(text) ?? null)).toBe(true);
});

test.each([
  '',
  '# nothing\n',
  'suppress:\nrules:\n',
  'suppress: []\n',
  'suppress: [{ rule: WH09, reason: }]\n',
])('%j is in order', (text) => {
  expect(problemsOf(text)).toEqual([]);
  expect(fitsSchema(parseYaml(text) ?? null)).toBe(true);
});

test('all problems come at once, with line and column', () => {
  const text = `supress: []
suppress:
  - rule: 3
    object: web
  - reason: [why]
    files: a
  - text
rules:
  WH01: fatal
  WH77: info
`;
  expect(problemsOf(text)).toEqual([
    'cluster-canary.yaml:1:1 supress: unknown key, did you mean "suppress"?; known keys: suppress, rules, kubernetesVersion, harden',
    'cluster-canary.yaml:3:5 suppress[0].rule: 3: must be the id of a rule, such as WH03',
    'cluster-canary.yaml:4:5 suppress[0].object: must be an object with kind, namespace, name',
    'cluster-canary.yaml:5:5 suppress[1].rule: is required: the id of a rule, such as WH03',
    'cluster-canary.yaml:5:5 suppress[1].reason: ["why"]: must be a text',
    'cluster-canary.yaml:6:5 suppress[1].files: unknown key, did you mean "file"?; known keys: rule, object, file, reason',
    'cluster-canary.yaml:7:5 suppress[2]: must be an object with rule, object, file, reason',
    'cluster-canary.yaml:9:3 rules.WH01: "fatal": must be one of "error", "warning", "info", "off"',
    'cluster-canary.yaml:10:3 rules.WH77: "WH77": must be the id of a rule',
  ]);
});

test.each([
  ['- a\n', '1:1: must be an object with suppress, rules, kubernetesVersion, harden'],
  ['suppress: {}\n', '1:1 suppress: {}: must be a list'],
  ['rules: []\n', '1:1 rules: []: must be an object of severities by rule'],
  ['suppress: [\nrules: {}\n', /^cluster-canary.yaml:\d+:\d+: must be YAML or JSON/],
  ['a: 1\na: 2\n', /^cluster-canary.yaml:2:1: must be another key/],
  [
    'suppress: [{ rule: WH01, file: " " }]\n',
    '1:26 suppress[0].file: " ": must be a text of one character or more',
  ],
])('%j is refused', (text, expected) => {
  const problem =
    typeof expected === 'string' ? `cluster-canary.yaml:${expected}` : expect.stringMatching(expected);
  expect(problemsOf(text)[0]).toEqual(problem);
});

test('without more than the text, it is one of the library’s rules', () => {
  const { file, rules } = readLintConfig('rules: { WH01: info, SUP02: off }\n');
  expect([file, [...rules]]).toEqual([
    'cluster-canary.yaml',
    [
      ['WH01', 'info'],
      ['SUP02', 'off'],
    ],
  ]);
  expect(() => readLintConfig('rules: { ACME01: info }\n')).toThrow('the id of a rule');
});

test('rules of somebody’s own can be ignored, and typing errors can not', () => {
  const readAll = (config: string) => readLintConfig(config, undefined, undefined, { ignoreOthers: true });
  const { suppress, rules } = readAll(
    'suppress:\n  - { rule: ACME01, reason: x }\n  - { rule: WH01, reason: x }\nrules: { ACME01: info, WH02: off }\n',
  );
  expect([suppress.map(({ rule }) => rule), [...rules]]).toEqual([['WH01'], [['WH02', 'off']]]);
  expect(() => readAll('rules: { WH033: info }\n')).toThrow('the id of a rule');
  expect(() => readAll('rules: { ACME01: loud }\n')).toThrow('rules.ACME01: "loud"');
});

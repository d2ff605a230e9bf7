import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { InvalidInput } from '../../../lib/core/validation';
import { allRules, readDecisions, readLintConfig } from '../../../lib/lint';

const read = (text: string) => readDecisions(text, 'cluster-canary.yaml');
const problemsOf = (text: string): string[] => {
  try {
    read(text);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).message.split('\n').slice(1);
  }
  return [];
};

const config = `rules:
  WH09: info
harden:
  - service: platform/gate
    injectCaFrom: platform/gate-ca-g1
    timeoutSeconds: 5
  - webhook: pods.gate.example.com
    failurePolicy: Ignore
    optIn: { example.com/gate: enabled }
    leaveOut: [kube-system]
`;

test('decisions stand beside suppressions and severities', () => {
  expect(read(config)).toEqual([
    { service: 'platform/gate', injectCaFrom: 'platform/gate-ca-g1', timeoutSeconds: 5 },
    {
      webhook: 'pods.gate.example.com',
      failurePolicy: 'Ignore',
      optIn: { 'example.com/gate': 'enabled' },
      leaveOut: ['kube-system'],
    },
  ]);
  const ids = allRules.map(({ id }) => id);
  expect([...readLintConfig(config, 'cluster-canary.yaml', ids).rules]).toEqual([['WH09', 'info']]);
});

test.each(['', 'rules: {}\n', 'harden:\n'])('%j has none', (text) => {
  expect(read(text)).toEqual([]);
});

test('everything that is wrong is told with its line', () => {
  expect(problemsOf('rules: {}\nharden:\n  - service: gate\n    timeoutSeconds: 31\n  - 7\n')).toEqual([
    '  cluster-canary.yaml:3:5 harden[0].service: "gate": must be NAMESPACE/NAME',
    '  cluster-canary.yaml:4:5 harden[0].timeoutSeconds: 31: must be a whole number from 1 to 30',
    expect.stringMatching(/^ {2}cluster-canary\.yaml:5:5 harden\[1\]: 7: must be an object with service,/),
  ]);
  expect(problemsOf('harden: yes\n')).toEqual([
    '  cluster-canary.yaml:1:1 harden: "yes": must be a list of decisions',
  ]);
  expect(problemsOf('harden: [\n')).toEqual([
    expect.stringMatching(/^ {2}cluster-canary\.yaml:2:1: must be YAML or JSON: /),
  ]);
});

test('the schema takes and refuses the same', () => {
  const file = join(__dirname, '../../../schemas/lint-config.json');
  const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
  const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(schema);
  expect(validate(parse(config))).toBe(true);
  const service = 'platform/gate';
  for (const decision of [
    { service, timeoutSeconds: 31 },
    { timeoutSeconds: 5 },
    { webhook: 'pods', injectCaFrom: service },
    { service, webhook: 'pods', injectCaFromSecret: service },
    { service, injectCaFrom: service, injectCaFromSecret: service },
    { service: 'gate', timeoutSeconds: 5 },
    { service },
    { service, webhook: 'pods' },
    { service, failurePolicy: 'Maybe' },
    { service, leaveOut: [] },
    { service, optIn: {} },
    { service, more: 1 },
  ]) {
    const text = JSON.stringify({ harden: [decision] });
    expect([text, validate(parse(text)), problemsOf(text).length]).toEqual([text, false, 1]);
  }
});

test('what is decided a second time is refused with its line', () => {
  const text = `harden:
  - { service: platform/gate, timeoutSeconds: 5 }
  - { service: platform/gate, webhook: pods, timeoutSeconds: 3 }
  - service: platform/gate
    failurePolicy: Ignore
`;
  expect(problemsOf(text)).toEqual([
    '  cluster-canary.yaml:4:5 harden[2].service: "platform/gate": must be decided once: harden[0] is about the same',
  ]);
});

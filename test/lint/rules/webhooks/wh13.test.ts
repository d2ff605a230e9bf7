import { found, messages, rule, webhook, webhooks } from './manifests';

const pods = rule('pods');
const mutating = { kind: 'MutatingWebhookConfiguration' } as const;

test.each<[string, string, RegExp]>([
  [
    'checks of own resources',
    webhook({}),
    /x-kubernetes-validations in the CRD, or a ValidatingAdmissionPolicy/,
  ],
  ['checks of others', webhook({ rules: pods }), /^gate.example.com: a ValidatingAdmissionPolicy/],
  [
    'changes of own resources',
    webhook({}, mutating),
    /defaults in the schema of the CRD, or a MutatingAdmissionPolicy/,
  ],
  ['changes of others', webhook({ rules: pods }, mutating), /^gate.example.com: a MutatingAdmissionPolicy/],
])('fires: %s', (_, yaml, message) => {
  expect(found('WH13', yaml)).toEqual(['info /webhooks/0']);
  expect(messages('WH13', yaml)).toMatch(message);
});

test('says it once for a configuration', () => {
  const yaml = webhooks([{ sideEffects: 'Some' }, {}, { name: 'other.example.com' }]);
  expect(found('WH13', yaml)).toEqual(['info /webhooks/1']);
  expect(messages('WH13', yaml)).toMatch(/^gate.example.com, other.example.com: /);
});

test.each([
  ['one of a built-in group among its own', webhooks([{}, { rules: pods }])],
  [
    'both in one webhook',
    webhook({ rules: `${rule('widgets', { group: 'example.com' }).slice(0, -1)}, ${pods.slice(1)}` }),
  ],
  ['both in one rule', webhook({ rules: rule('widgets', { group: 'example.com, ""' }) })],
  ['every group', webhook({ rules: rule('widgets', { group: '"*"' }) })],
])('knows no schema for all: %s', (_, yaml) => {
  expect(messages('WH13', yaml)).not.toContain('x-kubernetes-validations');
});

test.each<[string, string]>([
  ['side effects, which CEL has none of', webhook({ sideEffects: 'NoneOnDryRun' })],
  [
    'a server that knows more than the cluster',
    webhook({ clientConfig: '{ url: "https://gate.example.com" }' }),
  ],
  ['no rules', webhook({ rules: '[]' })],
  ['a declared intent', webhook({}, { annotations: '{ cluster-canary/intent: security }' })],
])('is silent: %s', (_, yaml) => {
  expect(found('WH13', yaml)).toEqual([]);
});

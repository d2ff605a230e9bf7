import { expression, found, messages, webhook } from './manifests';

const security = { annotations: '{ cluster-canary/intent: security }' };

test.each<[string, string]>([
  ['a label to ask for it', '{ matchLabels: { gate: enabled } }'],
  ['a label to avoid it', expression('gate.example.com/skip', 'DoesNotExist')],
  ['its own pods left out', expression('app', 'NotIn', 'gate')],
])('fires: %s', (_, objectSelector) => {
  expect(found('WH08', webhook({ objectSelector }, security))).toEqual(['error /webhooks/0/objectSelector']);
});

test.each<[string, string]>([
  ['no selector', webhook({}, security)],
  ['an empty one', webhook({ objectSelector: '{ matchLabels: {}, matchExpressions: [] }' }, security)],
  ['one of namespaces', webhook({ namespaceSelector: '{ matchLabels: { gate: enabled } }' }, security)],
  [
    'another intent',
    webhook(
      { objectSelector: '{ matchLabels: { gate: enabled } }' },
      { annotations: '{ cluster-canary/intent: required }' },
    ),
  ],
  ['no intent', webhook({ objectSelector: '{ matchLabels: { gate: enabled } }' })],
])('is silent: %s', (_, yaml) => {
  expect(found('WH08', yaml)).toEqual([]);
});

test('names the labels', () => {
  const objectSelector = '{ matchLabels: { a: b }, matchExpressions: [{ key: c/d, operator: Exists }] }';
  expect(messages('WH08', webhook({ objectSelector }, security))).toMatch(/labels a, c\/d$/);
});

import {
  listInWords,
  nameInWords,
  objectInWords,
  valueInWords,
  webhookInWords,
} from '../../../../lib/lint/rules/webhooks/shared/format';

test.each([
  ['gate.example.com', 'gate.example.com'],
  ['*/scale', '*/scale'],
  ['a b', '"a b"'],
  ['a\nb', '"a\\nb"'],
  ['', '""'],
  ['a'.repeat(253), 'a'.repeat(253)],
  ['a'.repeat(254), `"${'a'.repeat(76)}...`],
])('a name %j', (name, expected) => {
  expect(nameInWords(name)).toBe(expected);
});

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [{ a: [1] }, '{"a":[1]}'],
  ['a'.repeat(78), `"${'a'.repeat(78)}"`],
  ['a'.repeat(79), `"${'a'.repeat(76)}...`],
])('a value %j', (value, expected) => {
  expect(valueInWords(value)).toBe(expected);
});

test('a list', () => {
  expect(listInWords(['a', 'b', 'c', 'd'])).toBe('a, b, c, d');
  expect(listInWords(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('a, b, c, d and 2 more');
  expect(listInWords(['a', 'b', 'c'], 1)).toBe('a and 2 more');
});

test.each([
  ['ValidatingWebhookConfiguration', 'webhook gate (Fail)'],
  ['ValidatingAdmissionPolicy', 'policy gate (Fail)'],
  ['MutatingAdmissionPolicy', 'policy gate (Fail)'],
  ['CustomResourceDefinition', 'the conversion webhook of CustomResourceDefinition a'],
  ['APIService', 'APIService a'],
])('what is asked: a %s', (kind, expected) => {
  const object = { apiVersion: 'v1', kind, name: 'a', value: {} };
  expect(webhookInWords({ object, name: 'gate', failurePolicy: 'Fail' })).toBe(expected);
});

test('an object', () => {
  const object = { apiVersion: 'v1', kind: 'Service', name: 'a', value: {} };
  expect(objectInWords(object)).toBe('Service a');
  expect(objectInWords({ ...object, namespace: 'b c' })).toBe('Service "b c"/a');
});

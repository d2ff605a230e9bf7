import { found, messages, rule, webhook } from './manifests';

const at = '/webhooks/0/matchConditions/0/expression';

/** YAML of match conditions. */
const conditions = (...expressions: readonly string[]): string =>
  JSON.stringify(expressions.map((expression, each) => ({ name: `c${each}`, expression })));
const guard = `has(object.metadata.labels) && 'team' in object.metadata.labels`;
const label = `object.metadata.labels['team'] == 'a'`;

test.each<[string, string, string, string[]]>([
  [
    'a label that may be absent',
    'CREATE',
    conditions(`has(object.metadata.labels) && ${label}`),
    [`error ${at}`],
  ],
  [
    'labels that may be absent',
    'CREATE',
    conditions(`'team' in object.metadata.labels && ${label}`),
    [`error ${at}`],
  ],
  [
    'an annotation that may be absent',
    'UPDATE',
    conditions(`oldObject.metadata.annotations['a'] == 'b'`),
    [`error ${at}`, `error ${at}`],
  ],
  ['an object that is gone', 'DELETE', conditions(`object.spec.a == 'b'`), [`error ${at}`]],
  [
    'an object that is gone, among all operations',
    '"*"',
    conditions(`object.spec.a == 'b'`),
    [`error ${at}`],
  ],
  ['no object before', 'CREATE, UPDATE', conditions(`oldObject.spec.a == object.spec.a`), [`error ${at}`]],
  [
    'the second of two',
    'CREATE',
    conditions('true', label),
    ['error', 'error'].map((each) => `${each} /webhooks/0/matchConditions/1/expression`),
  ],
  [
    '65 of them',
    'CREATE',
    conditions(...Array.from({ length: 65 }, () => 'true')),
    ['error /webhooks/0/matchConditions'],
  ],
  ['one that is too long', 'CREATE', conditions(`true || ${'1 + '.repeat(3_000)}1 == 2`), [`info ${at}`]],
])('fires: %s', (_, operations, matchConditions, expected) => {
  expect(
    found('WH10', webhook({ rules: rule('widgets', { group: 'example.com', operations }), matchConditions })),
  ).toEqual(expected);
});

test.each<[string, string, string]>([
  ['guarded', 'CREATE', conditions(`${guard} && ${label}`)],
  ['guarded by another condition', 'CREATE', conditions(guard, label)],
  ['optional', 'CREATE', conditions(`object.metadata.?labels['team'].orValue('') == 'a'`)],
  [
    'an object that may be gone, guarded',
    '"*"',
    conditions(`object == null || oldObject == null || object.spec.a == oldObject.spec.a`),
  ],
  ['an object that is there', 'CREATE, UPDATE', conditions(`object.spec.a == 'b'`)],
  ['an object before', 'DELETE', conditions(`oldObject.spec.a == 'b'`)],
  ['the request', '"*"', conditions(`!('system:nodes' in request.userInfo.groups)`)],
  ['64 of them', 'CREATE', conditions(...Array.from({ length: 64 }, () => 'true'))],
])('is silent: %s', (_, operations, matchConditions) => {
  expect(
    found('WH10', webhook({ rules: rule('widgets', { group: 'example.com', operations }), matchConditions })),
  ).toEqual([]);
});

test.each<[string, string, string, string[]]>([
  ['null, by the type', 'DELETE', conditions("type(object) != null_type && object.a == 'b'"), []],
  [
    'null, as an optional value',
    'DELETE',
    conditions("optional.ofNonZeroValue(object).hasValue() && object.a == 'b'"),
    [],
  ],
  ['null, in another condition', 'DELETE', conditions('null != object', 'object.a == oldObject.a'), []],
  ...[
    'size(object) > 0 && object.a',
    '[object].exists(o, o != null) && object.a',
    'cel.bind(o, object, o != null && o.a)',
    'object == oldObject && object.a',
    'oldObject != null || object.a',
  ].map((text): [string, string, string, string[]] => [
    `something else of the object: ${text}`,
    'DELETE',
    conditions(`request.name == '' && ${text}`),
    [`warning ${at}`],
  ]),
  [
    'something else of labels',
    'CREATE',
    conditions(`object.metadata.?labels[?'team'].orValue('') != '' && ${label}`),
    [`warning ${at}`, `warning ${at}`],
  ],
  ['nothing', 'DELETE', conditions('dyn(object).a && has(object.b)'), [`error ${at}`]],
])('is a warning or silent where conditions ask for %s', (_, operations, matchConditions, expected) => {
  const yaml = webhook({ rules: rule('widgets', { group: 'example.com', operations }), matchConditions });
  expect(found('WH10', yaml)).toEqual(expected);
  for (const message of expected.length > 0 ? messages('WH10', yaml).split('\n') : []) {
    expect(message.endsWith(', unless what the conditions require otherwise is a guard')).toBe(
      expected[0]!.startsWith('warning'),
    );
  }
});

test('is a warning where the webhook is only skipped', () => {
  const yaml = webhook({
    failurePolicy: 'Ignore',
    matchConditions: conditions(`has(object.metadata.labels) && ${label}`),
  });
  expect(found('WH10', yaml)).toEqual([`warning ${at}`]);
  expect(messages('WH10', yaml)).toBe(
    'match condition c0 of webhook gate.example.com (Ignore), checked by its text: must be guarded by "team" in object.metadata.labels: an absent key is an error',
  );
});

test.each([
  '"\\"'.repeat(3_000),
  'a.'.repeat(4_000),
  '[['.repeat(4_000),
  "'".repeat(9_999),
  '(has(a.b)'.repeat(1_000),
])('odd texts end in no time: %.10s', (text) => {
  const started = performance.now();
  found('WH10', webhook({ matchConditions: conditions(text) }));
  expect(performance.now() - started).toBeLessThan(10_000);
});

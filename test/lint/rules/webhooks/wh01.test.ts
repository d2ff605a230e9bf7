import { expression, found, messages, rule, webhook } from './manifests';

const anything = rule('"*"', { group: '"*"' });
const groups = '/webhooks/0/rules/0/apiGroups/0';
const resources = '/webhooks/0/rules/0/resources/0';

test.each<[string, string, string[]]>([
  ['every group and resource', webhook({ rules: anything }), [`error ${groups}`]],
  ['Fail by default', webhook({ rules: anything, failurePolicy: undefined }), [`error ${groups}`]],
  ['every group', webhook({ rules: rule('pods', { group: '"*"' }) }), [`error ${groups}`]],
  ['every resource of the core', webhook({ rules: rule('"*"') }), [`error ${resources}`]],
  [
    'every resource and what is below',
    webhook({ rules: rule('"*/*"', { group: 'apps' }) }),
    [`error ${resources}`],
  ],
  [
    'one subresource of every resource',
    webhook({ rules: rule('"*/scale"', { group: 'apps' }) }),
    [`error ${resources}`],
  ],
  [
    'a group of Kubernetes beside an own one',
    webhook({ rules: rule('"*"', { group: 'example.com, ""' }) }),
    [`error ${resources}`],
  ],
  [
    'every resource of an own group',
    webhook({ rules: rule('"*/*"', { group: 'example.com' }) }),
    [`info ${resources}`],
  ],
  [
    'the second rule',
    webhook({ rules: `[${rule('pods').slice(1, -1)}, ${anything.slice(1, -1)}]` }),
    ['error /webhooks/0/rules/1/apiGroups/0'],
  ],
  [
    'only labelled objects',
    webhook({ rules: anything, objectSelector: '{ matchLabels: { a: b } }' }),
    [`warning ${groups}`],
  ],
  [
    'only labelled namespaces, and all of the cluster',
    webhook({ rules: anything, namespaceSelector: '{ matchLabels: { a: b } }' }),
    [`error ${groups}`],
  ],
  [
    'only labelled namespaces',
    webhook({
      rules: rule('"*"', { group: '"*"', scope: 'Namespaced' }),
      namespaceSelector: '{ matchLabels: { a: b } }',
    }),
    [`warning ${groups}`],
  ],
  [
    'selectors that leave something out',
    webhook({ rules: anything, objectSelector: expression('a', 'DoesNotExist') }),
    [`error ${groups}`],
  ],
  [
    'a condition that nobody evaluates',
    webhook({
      rules: anything,
      matchConditions: `[{ name: a, expression: "request.resource.group == 'x'" }]`,
    }),
    [`info ${groups}`],
  ],
  [
    'a condition that always holds',
    webhook({ rules: anything, matchConditions: '[{ name: a, expression: "true" }]' }),
    [`error ${groups}`],
  ],
])('fires: %s', (_, yaml, expected) => {
  expect(found('WH01', yaml)).toEqual(expected);
});

test.each<[string, string]>([
  ['Ignore', webhook({ rules: anything, failurePolicy: 'Ignore' })],
  ['names', webhook({ rules: rule('deployments, deployments/*', { group: 'apps' }) })],
  [
    'every operation and version',
    webhook({
      rules: '[{ operations: ["*"], apiGroups: [apps], apiVersions: ["*"], resources: [deployments] }]',
    }),
  ],
  ['no resources at all', webhook({ rules: rule('', { group: '"*"' }) })],
])('is silent: %s', (_, yaml) => {
  expect(found('WH01', yaml)).toEqual([]);
});

test('names the webhook and what it matches', () => {
  expect(messages('WH01', webhook({ rules: rule('"*/*"', { group: 'apps, ""' }) }))).toBe(
    'webhook gate.example.com (Fail) matches every resource (*/*) of API group apps, core',
  );
});

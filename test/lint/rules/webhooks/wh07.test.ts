import { lintText } from '../../lint-text';
import { expression, found, messages, rule, webhook, webhooks } from './manifests';

const declared = (intent: string) => ({ annotations: `{ cluster-canary/intent: ${intent} }` });
const policy = '/webhooks/0/failurePolicy';
const optIn = { objectSelector: '{ matchLabels: { gate: enabled } }' };
const deployments = { rules: rule('deployments', { group: 'apps', operations: 'CREATE, UPDATE' }) };

/** A ValidatingAdmissionPolicy on Deployments, and what its binding does. */
const policies = (operations: string, actions = 'Deny'): string => `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: images }
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules: [{ operations: [${operations}], apiGroups: [apps], apiVersions: [v1], resources: [deployments] }]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: images }
spec: { policyName: images, validationActions: [${actions}] }
`;
const ignoring = webhook({ ...deployments, failurePolicy: 'Ignore' }, declared('security'));

test.each<[string, string, string[]]>([
  ['nothing said', webhook({ failurePolicy: undefined }), [`warning ${policy}`]],
  ['null', webhook({ failurePolicy: 'null' }), [`warning ${policy}`]],
  ['a word that is none', webhook({ failurePolicy: 'fail' }), [`error ${policy}`]],
  ['a list', webhook({ failurePolicy: '[Fail]' }), [`error ${policy}`]],
  ['the second entry', webhooks([{}, { failurePolicy: undefined }]), ['warning /webhooks/1/failurePolicy']],
  ['a convenience that fails', webhook(optIn, declared('convenience')), [`error ${policy}`]],
  [
    'a convenience for everybody',
    webhook({ failurePolicy: 'Ignore' }, declared('convenience')),
    ['warning /webhooks/0/objectSelector'],
  ],
  [
    'a need that is ignored',
    webhook({ ...optIn, failurePolicy: 'Ignore' }, declared('required')),
    [`error ${policy}`],
  ],
  [
    'a need that nobody has to state',
    webhook({ objectSelector: expression('a', 'NotIn', 'b') }, declared('required')),
    ['error /webhooks/0/objectSelector'],
  ],
  [
    'a need that a condition may state',
    webhook({ matchConditions: '[{ name: a, expression: "has(object.spec.a)" }]' }, declared('required')),
    ['info /webhooks/0/objectSelector'],
  ],
  ['security that is ignored', ignoring, [`error ${policy}`]],
  ['security with a policy for something less behind it', ignoring + policies('CREATE'), [`error ${policy}`]],
  [
    'security with a policy that only warns behind it',
    ignoring + policies('CREATE, UPDATE', 'Warn'),
    [`error ${policy}`],
  ],
  ...['pods', 'deployments/scale'].map((resource): [string, string, string[]] => [
    `security with a policy behind it for one of two, not for ${resource}`,
    webhook(
      { rules: rule(`deployments, ${resource}`, { group: 'apps' }), failurePolicy: 'Ignore' },
      declared('security'),
    ) + policies('CREATE'),
    [`error ${policy}`],
  ]),
  [
    'security with a policy behind it for one of two groups',
    webhook(
      { rules: rule('deployments', { group: 'apps, extensions' }), failurePolicy: 'Ignore' },
      declared('security'),
    ) + policies('CREATE'),
    [`error ${policy}`],
  ],
  [
    'security with a policy behind it for one of two rules',
    webhook(
      {
        rules: `${rule('deployments', { group: 'apps' }).slice(0, -1)}, ${rule('pods').slice(1)}`,
        failurePolicy: 'Ignore',
      },
      declared('security'),
    ) + policies('CREATE'),
    [`error ${policy}`],
  ],
  [
    'an intent that is none, once',
    webhooks([{}, {}], declared('safety')),
    ['warning /metadata/annotations/cluster-canary~1intent'],
  ],
])('fires: %s', (_, yaml, expected) => {
  expect(found('WH07', yaml)).toEqual(expected);
});

test.each<[string, string]>([
  ['Fail, undeclared', webhook({ rules: rule('pods') })],
  ['Ignore, undeclared', webhook({ failurePolicy: 'Ignore' })],
  ['a convenience', webhook({ ...optIn, failurePolicy: 'Ignore' }, declared('convenience'))],
  ['a need', webhook({ namespaceSelector: '{ matchLabels: { gate: enabled } }' }, declared('required'))],
  ['security', webhook({}, declared('security'))],
  ['security with a policy behind it', ignoring + policies('CREATE, UPDATE')],
  ['security with a policy for everything behind it', ignoring + policies('"*"', 'Deny, Audit')],
])('is silent: %s', (_, yaml) => {
  expect(found('WH07', yaml)).toEqual([]);
});

test('mends what the API server would do anyway, and no more', () => {
  const fixes = (yaml: string) => lintText(yaml, { rules: ['WH07'] }).map(({ fixPatch: patch }) => patch);
  const unset = { failurePolicy: undefined };
  expect(fixes(webhook(unset))).toEqual([[{ op: 'add', path: policy, value: 'Fail' }]]);
  expect(fixes(webhook({ failurePolicy: 'null' }))).toEqual([
    [{ op: 'replace', path: policy, value: 'Fail' }],
  ]);
  expect(fixes(webhook({ failurePolicy: 'fail' }))).toEqual([undefined]);
  expect(fixes(webhook({ ...unset, ...optIn }, declared('convenience')))).toEqual([undefined, undefined]);
  expect(fixes(webhook(unset).replace('k8s.io/v1\n', 'k8s.io/v1beta1\n'))).toEqual([undefined]);
});

test('names intent and policy', () => {
  expect(messages('WH07', webhook(optIn, declared('convenience')))).toBe(
    'webhook gate.example.com (Fail) is declared as convenience, which requires Ignore',
  );
});

test.each([
  ['convenience', { ...optIn }, 'set failurePolicy: Ignore, or declare another intent'],
  [
    'security',
    { failurePolicy: 'Ignore' },
    'set failurePolicy: Fail, or put a ValidatingAdmissionPolicy with a binding that denies as well',
  ],
])('says how to patch a failure policy against the intent %s', (intent, entry, fix) => {
  const [finding] = lintText(webhook(entry, declared(intent)), { rules: ['WH07'] });
  expect(finding?.fix).toBe(fix);
});

test.each([
  [
    'convenience',
    'Ignore',
    'objects that do not need the webhook wait for its timeout while it cannot be called',
  ],
  ['required', 'Fail', 'objects that do not need the webhook are refused while it cannot be called'],
])('says what comes of an opt-in that is missing: %s', (intent, failurePolicy, why) => {
  const [finding] = lintText(webhook({ failurePolicy }, declared(intent)), { rules: ['WH07'] });
  expect(finding?.why).toBe(why);
});

import { lintText } from '../../lint-text';
import type { Entry } from './manifests';
import { found, messages, rule, webhook, webhooks } from './manifests';

const required = { annotations: '{ cluster-canary/intent: required }' };

test.each<[string, Entry, string]>([
  ['an old version', { admissionReviewVersions: '[v1beta1]' }, 'admissionReviewVersions'],
  ['no version', { admissionReviewVersions: undefined }, 'admissionReviewVersions'],
  ['an empty list', { admissionReviewVersions: '[]' }, 'admissionReviewVersions'],
  ['no list', { admissionReviewVersions: 'v1' }, 'admissionReviewVersions'],
  ['side effects', { sideEffects: 'Some' }, 'sideEffects'],
  ['side effects that nobody knows of', { sideEffects: undefined }, 'sideEffects'],
  ['a word that is none', { matchPolicy: 'exact' }, 'matchPolicy'],
])('fires: %s', (_, entry, field) => {
  expect(found('WH11', webhook(entry))).toEqual([`warning /webhooks/0/${field}`]);
  expect(messages('WH11', webhook(entry))).toContain(field);
});

test.each<[string, Entry]>([
  ['all is said', {}],
  ['several versions', { admissionReviewVersions: '[v1beta1, v1]' }],
  ['side effects that a dry run does not have', { sideEffects: 'NoneOnDryRun' }],
  ['Equivalent by default', { matchPolicy: undefined }],
  ['Exact, of a resource whose versions are not known', { matchPolicy: 'Exact' }],
])('is silent: %s', (_, entry) => {
  expect(found('WH11', webhook(entry))).toEqual([]);
});

test('says aloud what holds anyway, where an intent is declared', () => {
  const [finding, ...others] = lintText(webhook({ matchPolicy: undefined }, required), { rules: ['WH11'] });
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    severity: 'info',
    pointer: '/webhooks/0/matchPolicy',
    fixPatch: [{ op: 'add', path: '/webhooks/0/matchPolicy', value: 'Equivalent' }],
  });
});

describe('Exact', () => {
  const exact = (versions: string, resource = 'widgets', group = 'example.com'): Entry => ({
    matchPolicy: 'Exact',
    rules: rule(resource, { group }).replace('apiVersions: [v1]', `apiVersions: [${versions}]`),
  });
  const crd = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  names: { kind: Widget, plural: widgets }
  versions: [{ name: v1alpha1, served: false }, { name: v1beta1, served: true }, { name: v1, served: true }]
`;

  test.each<[string, readonly Entry[], string]>([
    ['a version that is served', [exact('v1')], 'example.com/v1beta1 widgets'],
    [
      'a version of a subresource, which * does not match',
      [exact('v1', 'widgets/status'), exact('v1beta1', "'*'")],
      'example.com/v1beta1 widgets/status',
    ],
    ['a version of its subresource', [exact('v1', 'widgets/scale')], 'example.com/v1beta1 widgets/scale'],
    [
      'a version of a built-in resource',
      [exact('v2', 'horizontalpodautoscalers', 'autoscaling')],
      'autoscaling/v1 horizontalpodautoscalers',
    ],
  ])('leaves out %s', (_, entries, missed) => {
    const text = webhooks(entries) + crd;
    expect(found('WH11', text)).toEqual(['warning /webhooks/0/matchPolicy']);
    expect(messages('WH11', text)).toBe(
      `webhook gate.example.com has matchPolicy "Exact", and no rule names ${missed}`,
    );
  });

  test.each<[string, readonly Entry[]]>([
    ['names all that are served', [exact('v1, v1beta1')]],
    ['names every version', [exact("'*'")]],
    ['has an entry for each', [exact('v1'), exact('v1beta1')]],
    [
      'has one for every subresource',
      [
        exact('v1, v1beta1'),
        exact('v1', 'widgets/status'),
        { ...exact('v1beta1', 'widgets/*'), matchPolicy: 'Equivalent' },
      ],
    ],
    ['has one for everything', [exact('v1', 'widgets/status'), exact('v1beta1', "'*/*'")]],
    ['is of a built-in resource of one version', [exact('v1', 'deployments', 'apps')]],
  ])('leaves nothing out where it %s', (_, entries) => {
    expect(found('WH11', webhooks(entries) + crd)).toEqual([]);
  });
});

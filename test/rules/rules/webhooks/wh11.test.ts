import { lintText } from '../../lint-text';
import type { Entry } from './manifests';
import { found, messages, webhook } from './manifests';

const required = { annotations: '{ cluster-canary/intent: required }' };

test.each<[string, Entry, string]>([
  ['an old version', { admissionReviewVersions: '[v1beta1]' }, 'admissionReviewVersions'],
  ['no version', { admissionReviewVersions: undefined }, 'admissionReviewVersions'],
  ['an empty list', { admissionReviewVersions: '[]' }, 'admissionReviewVersions'],
  ['no list', { admissionReviewVersions: 'v1' }, 'admissionReviewVersions'],
  ['side effects', { sideEffects: 'Some' }, 'sideEffects'],
  ['side effects that nobody knows of', { sideEffects: undefined }, 'sideEffects'],
  ['Exact', { matchPolicy: 'Exact' }, 'matchPolicy'],
])('fires: %s', (_, entry, field) => {
  expect(found('WH11', webhook(entry))).toEqual([`warning /webhooks/0/${field}`]);
  expect(messages('WH11', webhook(entry))).toContain(field);
});

test.each<[string, Entry]>([
  ['all is said', {}],
  ['several versions', { admissionReviewVersions: '[v1beta1, v1]' }],
  ['side effects that a dry run does not have', { sideEffects: 'NoneOnDryRun' }],
  ['Equivalent by default', { matchPolicy: undefined }],
])('is silent: %s', (_, entry) => {
  expect(found('WH11', webhook(entry))).toEqual([]);
});

test('says aloud what holds anyway, where an intent is declared', () => {
  const [finding, ...others] = lintText(webhook({ matchPolicy: undefined }, required), { rules: ['WH11'] });
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    severity: 'info',
    pointer: '/webhooks/0/matchPolicy',
    mend: [{ op: 'add', path: '/webhooks/0/matchPolicy', value: 'Equivalent' }],
  });
});

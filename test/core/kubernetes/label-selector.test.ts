import type { Labels, LabelSelector } from '../../../lib/core/kubernetes/label-selector';
import { selects } from '../../../lib/core/kubernetes/label-selector';

const env = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key: 'env', operator, ...(values.length > 0 ? { values } : {}) }],
});

/** What Kubernetes says of selectors, by the labels `env: a`, `env: b`, none, and a key of every object. */
test.each<[LabelSelector | undefined, boolean, boolean, boolean]>([
  [undefined, true, true, true],
  [{}, true, true, true],
  [{ matchLabels: {} }, true, true, true],
  [{ matchLabels: { env: 'a' } }, true, false, false],
  [env('In', 'a'), true, false, false],
  [env('In', 'a', 'b'), true, true, false],
  [env('In'), false, false, false],
  [env('NotIn', 'a'), false, true, true],
  [env('NotIn', 'a', 'b'), false, false, true],
  [env('NotIn'), true, true, true],
  [env('Exists'), true, true, false],
  [env('DoesNotExist'), false, false, true],
])('%j', (selector, a, b, none) => {
  expect([{ env: 'a' }, { env: 'b' }, {}].map((labels) => selects(selector, labels as Labels))).toEqual([
    a,
    b,
    none,
  ]);
});

test.each<[string, LabelSelector]>([
  ['labels', { matchLabels: { env: 'a', team: 'x' } }],
  [
    'expressions',
    {
      matchExpressions: [...env('In', 'a').matchExpressions!, { key: 'team', operator: 'In', values: ['x'] }],
    },
  ],
  ['a label and an expression', { matchLabels: { team: 'x' }, ...env('In', 'a') }],
])('of several %s each must hold', (_, selector) => {
  expect(selects(selector, { env: 'a', team: 'x' })).toBe(true);
  expect(selects(selector, { env: 'a' })).toBe(false);
  expect(selects(selector, { team: 'x' })).toBe(false);
});

test.each(['constructor', 'toString', '__proto__'])('the key %s is absent where no label has it', (key) => {
  expect(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, {})).toBe(false);
  expect(selects({ matchExpressions: [{ key, operator: 'NotIn', values: ['a'] }] }, {})).toBe(true);
  const labels = JSON.parse(`{ "${key}": "a" }`) as Labels;
  expect(selects({ matchLabels: labels }, labels)).toBe(true);
});

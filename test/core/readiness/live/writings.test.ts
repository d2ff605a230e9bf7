import fc from 'fast-check';
import type { KubernetesObject } from '../../../../lib/core/kubernetes/api';
import {
  isIllegible,
  isOwn,
  lastAppliedAnnotation,
  writingsOf,
} from '../../../../lib/core/readiness/live/writings';

const [old, current] = ['policy/v1beta1', 'policy/v1'];

const entry = (manager: string, apiVersion: string, time?: string, operation = 'Update'): object => ({
  ...{ manager, apiVersion, operation, fieldsType: 'FieldsV1', fieldsV1: {} },
  ...(time === undefined ? {} : { time }),
});

const object = (managedFields: unknown, applied?: unknown): KubernetesObject => ({
  apiVersion: current,
  kind: 'PodDisruptionBudget',
  metadata: {
    ...{ name: 'web', namespace: 'shop', managedFields },
    ...(applied === undefined
      ? {}
      : {
          annotations: {
            [lastAppliedAnnotation]: typeof applied === 'string' ? applied : JSON.stringify(applied),
          },
        }),
  },
});

const manifest = (apiVersion: string, kind = 'PodDisruptionBudget', name = 'web'): object => ({
  ...{ apiVersion, kind, metadata: { name } },
});

const told = (managedFields: unknown, applied?: unknown): readonly string[] =>
  writingsOf(object(managedFields, applied)).map(
    ({ apiVersion, declared, seenIn }) => `${apiVersion} ${declared ? 'declared' : 'written'} ${seenIn}`,
  );

test.each<[string, unknown, unknown, readonly string[]]>([
  ['nothing is known', undefined, undefined, []],
  ['kubectl apply', [], manifest(old), [`${old} declared last applied`]],
  [
    'an update says less than an apply',
    [entry('helm', old, '2026-01-02T03:04:05Z')],
    undefined,
    [`${old} written managed fields of helm`],
  ],
  [
    'a server-side apply says what its manifest says',
    [entry('argocd', old, '2026-01-02T03:04:05Z', 'Apply')],
    undefined,
    [`${old} declared managed fields of argocd`],
  ],
  [
    'a writer that has learned the new version',
    [entry('helm', old, '2026-01-02T03:04:05Z'), entry('helm', current, '2026-01-02T03:04:06Z')],
    undefined,
    [`${current} written managed fields of helm`],
  ],
  [
    'a writer that went back to the old version',
    [entry('helm', current, '2026-01-02T03:04:05Z'), entry('helm', old, '2026-01-02T03:04:06Z')],
    undefined,
    [`${old} written managed fields of helm`],
  ],
  [
    'another writer knows the new version',
    [entry('helm', old, '2026-01-02T03:04:05Z'), entry('operator', current, '2026-01-02T03:04:06Z')],
    undefined,
    [`${old} written managed fields of helm`, `${current} written managed fields of operator`],
  ],
  [
    'without times nothing is newer',
    [entry('helm', old), entry('helm', current)],
    undefined,
    [`${old} written managed fields of helm`, `${current} written managed fields of helm`],
  ],
  [
    'Kubernetes itself, and who is not known any more',
    ['kube-controller-manager', 'kubelet', 'kube-apiserver', 'before-first-apply', 'ancient-changes'].map(
      (manager) => entry(manager, old),
    ),
    undefined,
    [],
  ],
  [
    'the annotation is the newer word of kubectl apply',
    [entry('kubectl-client-side-apply', old, '2026-01-02T03:04:05Z')],
    manifest(current),
    [`${current} declared last applied`],
  ],
  [
    'several say the same: the strongest comes first',
    [
      ...['a', 'b', 'c'].map((manager) => entry(manager, old)),
      entry('argocd', old, '2026-01-02T03:04:05Z', 'Apply'),
    ],
    manifest(old),
    [`${old} declared last applied, managed fields of argocd, managed fields of a and 2 more`],
  ],
  ['an annotation that a controller copied', [], manifest(old, 'PodDisruptionBudget', 'parent'), []],
  ['an annotation of another kind', [], manifest(old, 'Deployment'), []],
  ['an annotation that is no JSON', [], '{"apiVersion":', []],
  ['an annotation that is no object', [], '[1]', []],
  ['an annotation without a version', [], { ...manifest(old), apiVersion: 'a b/\u001b' }, []],
  ['an annotation beyond the limit', [], { ...manifest(old), data: 'x'.repeat(300_000) }, []],
  ['entries that are none', [1, null, {}, { manager: 'x', apiVersion: 7 }], undefined, []],
  ['managed fields that are no list', { manager: 'x' }, undefined, []],
])('%s', (_, managedFields, applied, expected) => {
  expect(told(managedFields, applied)).toEqual(expected);
});

test.each<[string, unknown, boolean]>([
  ['none', undefined, false],
  ['its own', manifest(old), false],
  ['that of a parent', manifest(old, 'PodDisruptionBudget', 'parent'), false],
  ['that of another kind', manifest(old, 'Deployment'), false],
  ['half of one', '{"apiVersion":', true],
  ['an empty one', '', true],
  ['no object', '[1]', true],
  ['without a version', { ...manifest(old), apiVersion: 'a b/\u001b' }, true],
  ['without names', { apiVersion: old, kind: 'PodDisruptionBudget' }, true],
  ['beyond the limit', { ...manifest(old), data: 'x'.repeat(300_000) }, true],
])('an annotation that is %s can not be read: %#', (_, applied, expected) => {
  expect(isIllegible(object([], applied))).toBe(expected);
});

test('who wrote, and on which day; names of others are shown in one line', () => {
  const [known, unknown] = writingsOf(
    object([entry('he\u001blm\n', old, '2026-01-02T23:59:59Z'), entry('', current)]),
  );
  expect(known).toMatchObject({ who: 'he\\u001blm wrote it on 2026-01-02' });
  expect(unknown).toMatchObject({ who: 'a client without a name wrote it' });
});

const entries = fc.array(
  fc.record({
    manager: fc.constantFrom('helm', 'operator', 'kubelet'),
    apiVersion: fc.constantFrom('a/v1', 'a/v2', 'a/v3'),
    operation: fc.constantFrom('Update', 'Apply'),
    time: fc.integer({ min: 0, max: 5 }).map((second) => `2026-01-01T00:00:0${second}Z`),
  }),
  { maxLength: 8 },
);

test('each version is told once, by somebody whose newest write it is', () => {
  fc.assert(
    fc.property(entries, (managedFields) => {
      const writings = writingsOf(object(managedFields));
      expect(new Set(writings.map(({ apiVersion }) => apiVersion)).size).toBe(writings.length);
      const newest = managedFields.filter(
        ({ manager, time }) =>
          manager !== 'kubelet' &&
          !managedFields.some((other) => other.manager === manager && other.time > time),
      );
      expect(writings.map(({ apiVersion }) => apiVersion).sort()).toEqual(
        [...new Set(newest.map(({ apiVersion }) => apiVersion))].sort(),
      );
      for (const { apiVersion, declared } of writings) {
        expect(declared).toBe(
          newest.some((each) => each.apiVersion === apiVersion && each.operation === 'Apply'),
        );
      }
    }),
  );
});

test('whatever metadata holds, it is read', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (managedFields, applied) => {
      expect(Array.isArray(writingsOf(object(managedFields, applied)))).toBe(true);
    }),
  );
});

test('an object is of Kubernetes itself where nobody else has written it, and somebody has', () => {
  expect(isOwn(object([entry('kube-apiserver', old)]))).toBe(true);
  expect(isOwn(object([entry('kube-apiserver', old), entry('helm', old)]))).toBe(false);
  expect(isOwn(object([]))).toBe(false);
});

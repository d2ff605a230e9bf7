import fc from 'fast-check';
import type { KubernetesObject } from '../../../lib/core/kubernetes/api';
import { capacityAnnotation } from '../../../lib/core/names';
import {
  minimumPatch,
  minimumState,
  otherManager,
  raisedMinimum,
  readRecordKey,
  recordKey,
  restoredMinimum,
} from '../../../lib/shift/capacity/minimums';
import type { MinimumChange, MinimumKind, MinimumState } from '../../../lib/shift/capacity/minimums';

const state = (minimum: number | null, mark?: MinimumState['mark']): MinimumState => ({
  minimum,
  unset: 1,
  ...(mark && { mark }),
});

/** What an object says after a change, as the API server writes it. */
const changed = (before: MinimumState, change: MinimumChange | undefined): MinimumState => {
  if (!change) {
    return before;
  }
  const { mark: _mark, ...rest } = before;
  return {
    ...rest,
    ...(change.minimum !== undefined && { minimum: change.minimum }),
    ...(change.mark && { mark: change.mark }),
  };
};

describe('raising', () => {
  test.each<[string, MinimumState, number, ReturnType<typeof raisedMinimum>]>([
    ['a lower minimum', state(2), 8, { minimum: 8, mark: { minimum: 2, raised: { a: 8 } } }],
    ['none', state(null), 8, { minimum: 8, mark: { minimum: null, raised: { a: 8 } } }],
    ['one that is enough', state(8), 8, undefined],
    ['none, which is one pod', state(null), 1, undefined],
    ['what it wrote itself', state(8, { minimum: 2, raised: { a: 8 } }), 8, undefined],
    [
      'what it wrote itself, further',
      state(8, { minimum: 2, raised: { a: 8 } }),
      12,
      { minimum: 12, mark: { minimum: 2, raised: { a: 12 } } },
    ],
    [
      'what another shift holds high enough',
      state(8, { minimum: 2, raised: { b: 8 } }),
      5,
      { minimum: 8, mark: { minimum: 2, raised: { b: 8, a: 5 } } },
    ],
    [
      'what another shift holds, where the minimum before is enough',
      state(8, { minimum: 4, raised: { b: 8 } }),
      4,
      undefined,
    ],
    [
      'what somebody has lowered to another value',
      state(3, { minimum: 2, raised: { a: 8 } }),
      8,
      { minimum: 8, mark: { minimum: 3, raised: { a: 8 } } },
    ],
    [
      'what somebody has raised since, but not enough',
      state(10, { minimum: 2, raised: { a: 8, b: 5 } }),
      12,
      { minimum: 12, mark: { minimum: 10, raised: { a: 12 } } },
    ],
    [
      'what somebody has lowered: a note of others is no longer what holds',
      state(3, { minimum: 2, raised: { b: 90_000 } }),
      8,
      { minimum: 8, mark: { minimum: 3, raised: { a: 8 } } },
    ],
    ['what somebody has raised since', state(30, { minimum: 2, raised: { a: 8 } }), 12, undefined],
  ])('%s', (_what, before, target, expected) => {
    expect(raisedMinimum(before, 'a', target)).toEqual(expected);
  });

  test('a minimum whose note was lost is still the shift’s own', () => {
    expect(raisedMinimum(state(8), 'a', 12, [2, 0, 8])).toEqual({
      minimum: 12,
      mark: { minimum: 2, raised: { a: 12 } },
    });
    expect(raisedMinimum(state(9), 'a', 12, [2, 0, 8])).toMatchObject({ mark: { minimum: 9 } });
  });
});

describe('giving back', () => {
  test.each<[string, MinimumState, readonly [number | null, number, number], MinimumChange | undefined]>([
    ['what it wrote', state(8, { minimum: 2, raised: { a: 8 } }), [2, 0, 8], { minimum: 2, mark: null }],
    [
      'what it wrote before the last record',
      state(8, { minimum: 2, raised: { a: 8 } }),
      [2, 0, 12],
      { minimum: 2, mark: null },
    ],
    [
      'what was unset',
      state(8, { minimum: null, raised: { a: 8 } }),
      [null, 0, 8],
      { minimum: null, mark: null },
    ],
    ['what it never wrote', state(2), [2, 0, 8], undefined],
    ['a value without its note', state(8), [2, 0, 8], { minimum: 2, mark: null }],
    [
      'what somebody has changed since',
      state(9, { minimum: 2, raised: { a: 8 } }),
      [2, 0, 8],
      { mark: null },
    ],
    ['what somebody has changed since, without its note', state(9), [2, 0, 8], undefined],
    [
      'what another shift needs, too',
      state(12, { minimum: 2, raised: { a: 8, b: 12 } }),
      [2, 0, 12],
      { minimum: 12, mark: { minimum: 2, raised: { b: 12 } } },
    ],
    [
      'what another shift needs less of',
      state(12, { minimum: 2, raised: { a: 12, b: 5 } }),
      [2, 0, 12],
      { minimum: 5, mark: { minimum: 2, raised: { b: 5 } } },
    ],
    [
      'what only another shift has raised',
      state(12, { minimum: 2, raised: { b: 12 } }),
      [2, 0, 12],
      undefined,
    ],
  ])('%s', (_what, before, recorded, expected) => {
    expect(restoredMinimum(before, 'a', recorded)).toEqual(expected);
  });
});

test('several shifts raise and give back in any order: the minimum is as before, and never below what one needs', () => {
  const shift = fc.constantFrom('a', 'b', 'c');
  fc.assert(
    fc.property(
      fc.option(fc.nat(10)),
      fc.array(fc.tuple(shift, fc.option(fc.nat(40))), { maxLength: 12 }),
      (minimum, steps) => {
        let now = state(minimum);
        const needs = new Map<string, readonly [number, readonly [number | null, number, number]]>();
        const give = (by: string): void => {
          now = changed(now, restoredMinimum(now, by, needs.get(by)?.[1] ?? [minimum, 0, 99]));
          needs.delete(by);
        };
        for (const [by, target] of steps) {
          if (target === null) {
            give(by);
          } else {
            const recorded = needs.get(by)?.[1];
            const change = raisedMinimum(now, by, target, recorded);
            if (change) {
              now = changed(now, change);
              needs.set(by, [target, [change.mark.minimum, 0, change.minimum]]);
            }
          }
          for (const [, [needed]] of needs) {
            expect(now.minimum ?? 1).toBeGreaterThanOrEqual(needed);
          }
        }
        ['a', 'b', 'c'].forEach(give);
        expect(now).toEqual(state(minimum));
      },
    ),
  );
});

test('keys name the workload and what scales it', () => {
  const name = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/);
  const kind = fc.constantFrom<MinimumKind>('deployment', 'statefulset', 'rollout');
  const by = fc.option(fc.tuple(fc.constantFrom<MinimumKind>('hpa', 'scaledobject'), fc.option(name)));
  fc.assert(
    fc.property(kind, name, name, by, (workloadKind, namespace, own, scaler) => {
      const workload = { kind: workloadKind, namespace, name: own };
      const place = scaler ? { kind: scaler[0], namespace, name: scaler[1] ?? own } : workload;
      const key = recordKey(workload, place);
      expect(readRecordKey(key)).toEqual({ id: `${workloadKind}/${namespace}/${own}`, place });
    }),
  );
  expect(
    recordKey(
      { kind: 'rollout', namespace: 'shop', name: 'web' },
      { kind: 'hpa', namespace: 'shop', name: 'web' },
    ),
  ).toBe('rollout/shop/web@hpa');
});

test.each([
  '',
  'web',
  'hpa/shop/web',
  'deployment/shop',
  'deployment/shop/web@',
  'deployment/a/b/c',
  'deployment/a/b@hpa/c/d',
])('%j is no key', (key) => {
  expect(readRecordKey(key)).toBeUndefined();
});

const object = (metadata: object, spec: object = { minReplicas: 2 }): KubernetesObject => ({
  ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', spec },
  metadata: { name: 'web', namespace: 'shop', resourceVersion: '7', ...metadata },
});

test.each([
  '',
  '{}',
  '[]',
  'x',
  '{"minimum":2}',
  '{"minimum":2,"raised":{}}',
  '{"minimum":-1,"raised":{"a":1}}',
  '{"minimum":2,"raised":{"a":1e9}}',
  '{"minimum":"2","raised":{"a":1}}',
  '{"minimum":2,"raised":{"a":"1"}}',
])('a note that can’t be read is none: %j', (text) => {
  expect(minimumState(object({ annotations: { [capacityAnnotation]: text } }), 'hpa')).toEqual(state(2));
});

test('a patch is refused where the object has changed since', () => {
  const mark = { minimum: 2, raised: { a: 8 } };
  expect(minimumPatch(object({}), 'hpa', { minimum: 8, mark })).toEqual({
    metadata: {
      resourceVersion: '7',
      annotations: { 'cluster-canary/capacity': '{"minimum":2,"raised":{"a":8}}' },
    },
    spec: { minReplicas: 8 },
  });
  expect(minimumPatch(object({}), 'scaledobject', { mark: null })).toEqual({
    metadata: { resourceVersion: '7', annotations: { 'cluster-canary/capacity': null } },
  });
});

test('the owner of the field is the newest manager that is no shift', () => {
  const entry = (manager: unknown, time: string, field = 'f:minReplicas') => ({
    manager,
    time,
    fieldsV1: { 'f:spec': { [field]: {} } },
  });
  const managedFields = [
    entry('kubectl', '2026-01-01T00:00:00Z'),
    entry('argocd-controller', '2026-01-02T00:00:00Z'),
    entry('cluster-canary-capacity', '2026-01-03T00:00:00Z'),
    entry('other', '2026-01-04T00:00:00Z', 'f:maxReplicas'),
    entry(7, '2026-01-05T00:00:00Z'),
    null,
    {},
  ];
  expect(otherManager(object({ managedFields }), 'hpa')).toBe('argocd-controller');
  expect(otherManager(object({}), 'hpa')).toBeUndefined();
});

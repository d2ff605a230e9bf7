import { judgeBudgets } from '../../../../lib/core/readiness/live/budgets';
import { judgeAutoscaler, judgeReplicas } from '../../../../lib/core/readiness/live/workloads';

const budget = (spec: object, status: object = {}, name = 'web') => ({
  ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name, namespace: 'shop' } },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  status: { expectedPods: 3, disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, ...status },
});
const pod = (
  name: string,
  labels: Readonly<Record<string, string>> = { app: 'web' },
  namespace = 'shop',
) => ({
  ...{ name, namespace, labels },
});
const ids = (findings: readonly { readonly id: string; readonly severity: string }[]): readonly string[] =>
  findings.map(({ id, severity }) => `${id} ${severity}`);

test.each<[object, object, readonly string[]]>([
  [{ maxUnavailable: 1 }, {}, []],
  [{ maxUnavailable: 0 }, {}, ['WRK01 warning']],
  [{ maxUnavailable: '0%' }, {}, ['WRK01 warning']],
  // Rounded up: one of three.
  [{ maxUnavailable: '1%' }, {}, []],
  [{ minAvailable: '100%' }, {}, ['WRK01 warning']],
  [{ minAvailable: '67%' }, {}, ['WRK01 warning']],
  [{ minAvailable: '66%' }, {}, []],
  [{ minAvailable: 2 }, {}, []],
  [{ minAvailable: 3 }, {}, ['WRK01 warning']],
  [{ minAvailable: 4 }, {}, ['WRK01 warning']],
  [{ minAvailable: 1 }, { expectedPods: 1 }, ['WRK01 warning']],
  // Nothing is there that it could hold up.
  [{ maxUnavailable: 0 }, { expectedPods: 0, disruptionsAllowed: 0 }, []],
  [{ minAvailable: 2 }, { disruptionsAllowed: 0 }, ['WRK02 warning']],
  [{}, {}, []],
  [{ minAvailable: 'x' }, {}, []],
])('a budget with %j of 3 pods, %j', (spec, status, expected) => {
  expect(ids(judgeBudgets([budget(spec, status)], [pod('a')]))).toEqual(expected);
});

test('a budget says how many pods it has and wants', () => {
  const status = { disruptionsAllowed: 0, currentHealthy: 1 };
  expect(judgeBudgets([budget({ minAvailable: 2 }, status)], [pod('a')])[0]!.message).toBe(
    'PodDisruptionBudget shop/web allows no eviction now: 1 of 3 pods are healthy, and 2 must be',
  );
});

const selecting = (name: string, selector: unknown) => budget({ maxUnavailable: 1, selector }, {}, name);

test.each<
  [
    string,
    readonly ReturnType<typeof budget>[],
    readonly ReturnType<typeof pod>[] | undefined,
    readonly string[],
  ]
>([
  ['no pod', [budget({ maxUnavailable: 1 })], [pod('a', { app: 'api' })], ['WRK03 info']],
  [
    'pods of another namespace',
    [budget({ maxUnavailable: 1 })],
    [pod('a', { app: 'web' }, 'x')],
    ['WRK03 info'],
  ],
  ['who knows what', [budget({ maxUnavailable: 1 })], undefined, []],
  ['every pod by an empty selector', [selecting('a', {})], [pod('a', {})], []],
  ['no pod without a selector', [selecting('a', undefined)], [pod('a')], ['WRK03 info']],
  [
    'the same pods',
    [selecting('a', {}), selecting('b', { matchLabels: { app: 'web' } })],
    [pod('a'), pod('b')],
    ['WRK04 warning'],
  ],
  [
    'pods in two pairs',
    [
      selecting('a', { matchLabels: { a: 'y' } }),
      selecting('b', {}),
      selecting('c', { matchLabels: { c: 'y' } }),
    ],
    [pod('1', { a: 'y' }), pod('2', { c: 'y' }), pod('3', {})],
    ['WRK04 warning', 'WRK04 warning'],
  ],
])('budgets that select %s', (_, budgets, pods, expected) => {
  expect(ids(judgeBudgets(budgets, pods))).toEqual(expected);
});

test('budgets of the same pods are named together', () => {
  const [finding] = judgeBudgets([selecting('b', {}), selecting('a', {})], [pod('x'), pod('y')]);
  expect(finding!.message).toBe(
    'PodDisruptionBudgets a and b of namespace shop both select 2 pods: x and others',
  );
});

test('single replicas are a line for each namespace', () => {
  const workload = (kind: string, name: string, namespace: string, replicas?: number) => ({
    ...{ apiVersion: 'apps/v1', kind, metadata: { name, namespace } },
    spec: replicas === undefined ? {} : { replicas },
  });
  expect(
    judgeReplicas([
      ...[workload('Deployment', 'a', 'shop', 1), workload('StatefulSet', 'b', 'shop')],
      ...[workload('Deployment', 'c', 'shop', 2), workload('Deployment', 'd', 'shop', 0)],
      workload('Deployment', 'e', 'other', 1),
    ]).map(({ id, severity, message }) => `${id} ${severity} ${message}`),
  ).toEqual([
    'WRK05 info 2 workloads of namespace shop with a single replica: Deployment a, StatefulSet b',
    'WRK05 info 1 workload of namespace other with a single replica: Deployment e',
  ]);
});

test.each<[object, object, readonly string[]]>([
  [{ minReplicas: 2, maxReplicas: 5 }, { currentReplicas: 3 }, []],
  [{ minReplicas: 2, maxReplicas: 5 }, { currentReplicas: 5 }, ['WRK06 warning']],
  [{ minReplicas: 2, maxReplicas: 5 }, { currentReplicas: 7 }, ['WRK06 warning']],
  [{ minReplicas: 2, maxReplicas: 5 }, {}, []],
  [{ minReplicas: 5, maxReplicas: 5 }, { currentReplicas: 5 }, ['WRK06 info']],
  [{ maxReplicas: 1 }, { currentReplicas: 1 }, ['WRK06 info']],
  [{}, {}, []],
])('an autoscaler with %j at %j', (spec, status, expected) => {
  const metadata = { name: 'web', namespace: 'shop' };
  expect(
    ids(
      judgeAutoscaler({
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata,
        spec,
        status,
      }),
    ),
  ).toEqual(expected);
});

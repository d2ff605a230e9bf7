import { Shop, putApp, settle, targetGroups } from './shop';
import type { ShopApp } from './shop';

let shop: Shop;

beforeEach(() => {
  shop = new Shop({ scale: ['hpa', 'keda', 'replicas'] });
});

const both = (app: ShopApp = {}): void => {
  putApp(shop.blue, 'blue', { ready: 10, ...app });
  putApp(shop.green, 'green', { ready: 2, ...app });
};

/** Goes to 50 % and answers what was raised in the new slot. */
const raisedInGreen = async () => {
  const result = await shop.run().prepare(shop.request(50));
  return { result, minimums: shop.record?.green?.minimums };
};

test.each<[string, ShopApp, string, readonly [number | null, number, number]]>([
  ['an HPA', {}, 'deployment/shop/web@hpa', [2, 0, 5]],
  ['an HPA of a StatefulSet', { kind: 'StatefulSet' }, 'statefulset/shop/web@hpa', [2, 0, 5]],
  ['an HPA of a Rollout', { kind: 'Rollout' }, 'rollout/shop/web@hpa', [2, 0, 5]],
  ['an HPA without a minimum', { hpa: { minReplicas: undefined } }, 'deployment/shop/web@hpa', [1, 0, 5]],
  ['an HPA with the minimum 0', { hpa: { minReplicas: 0 } }, 'deployment/shop/web@hpa', [0, 0, 5]],
  ['a ScaledObject', { scaledObject: {} }, 'deployment/shop/web@scaledobject', [null, 0, 5]],
  [
    'a ScaledObject that leaves out the kind',
    { scaledObject: { scaleTargetRef: { name: 'web' }, minReplicaCount: 0 } },
    'deployment/shop/web@scaledobject',
    [0, 0, 5],
  ],
  ['nothing', { hpa: false }, 'deployment/shop/web', [2, 0, 5]],
  ['nothing: a StatefulSet', { hpa: false, kind: 'StatefulSet' }, 'statefulset/shop/web', [2, 0, 5]],
  ['nothing: a Rollout', { hpa: false, kind: 'Rollout' }, 'rollout/shop/web', [2, 0, 5]],
])('scaled by %s', async (_what, app, key, expected) => {
  putApp(shop.blue, 'blue', { ...app, ready: 10 });
  putApp(shop.green, 'green', { ...app, ready: 2 });
  const { result, minimums } = await raisedInGreen();
  expect(result).toMatchObject({ status: 'inconclusive' });
  expect(minimums).toEqual({ [key]: expected });
  settle(shop.green);
  expect(await shop.run().prepare(shop.request(50))).toMatchObject({ status: 'pass' });
  expect(await shop.run().giveBack(shop.record!, undefined, shop.origin)).toBeUndefined();
  const [kind, field] = app.scaledObject
    ? ['ScaledObject', 'minReplicaCount']
    : app.hpa === false
      ? [app.kind ?? 'Deployment', 'replicas']
      : ['HorizontalPodAutoscaler', 'minReplicas'];
  expect(shop.green.find(kind!, 'web').spec[field!] ?? null).toBe(expected[0]);
});

test('KEDA’s own HPA is left alone', async () => {
  both({ scaledObject: { minReplicaCount: 1 } });
  for (const cluster of [shop.blue, shop.green]) {
    cluster.put({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: {
        name: 'keda-hpa-web',
        namespace: 'shop',
        ownerReferences: [
          { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'web', uid: '1', controller: true },
        ],
      },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 100,
      },
    });
  }
  expect((await raisedInGreen()).minimums).toEqual({ 'deployment/shop/web@scaledobject': [1, 0, 5] });
  expect(shop.green.find('HorizontalPodAutoscaler', 'keda-hpa-web').spec.minReplicas).toBe(1);
});

test('an autoscaler with another name, and one of another workload or kind', async () => {
  both({ hpa: false });
  for (const cluster of [shop.blue, shop.green]) {
    const hpa = (name: string, scaleTargetRef: object, namespace = 'shop') =>
      cluster.put({
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name, namespace },
        spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 100 },
      });
    hpa('web-cpu', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' });
    hpa('api', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api' });
    hpa('rollout', { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'web' });
    hpa('web', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, 'other');
  }
  expect((await raisedInGreen()).minimums).toEqual({ 'deployment/shop/web@hpa/web-cpu': [1, 0, 5] });
});

test('a Rollout that refers to a Deployment takes its place', async () => {
  both({ hpa: false, kind: 'Deployment' });
  for (const [cluster, ready] of [
    [shop.blue, 10],
    [shop.green, 2],
  ] as const) {
    cluster.put({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: ready, workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      status: { readyReplicas: ready },
    });
    // While it goes from one revision to another, Argo Rollouts narrows its Services.
    cluster.find('Service', 'web').spec.selector['rollouts-pod-template-hash'] = '6cf78c66c5';
  }
  expect((await raisedInGreen()).minimums).toEqual({ 'rollout/shop/web': [2, 0, 5] });
});

test('a Service that several workloads share, and a workload behind several Services', async () => {
  both();
  for (const [cluster, ready, slot] of [
    [shop.blue, 4, 'blue'],
    [shop.green, 1, 'green'],
  ] as const) {
    putApp(cluster, slot, {
      name: 'canary',
      ready,
      service: { selector: { part: 'of' } },
      hpa: { minReplicas: 1 },
    });
    const labels = { app: 'web', part: 'of' };
    cluster.find('Deployment', 'web').spec.template.metadata.labels = labels;
    cluster.find('Deployment', 'canary').spec.template.metadata.labels = { ...labels, track: 'canary' };
  }
  const { result, minimums } = await raisedInGreen();
  expect(minimums).toEqual({
    'deployment/shop/web@hpa': [2, 0, 5],
    'deployment/shop/canary@hpa': [1, 0, 2],
  });
  expect(result.figures).toEqual([{ name: 'ready pods', slot: 'green', value: 3, unit: 'count', min: 7 }]);
});

test('bindings by the name of the target group, in any namespace; those of others don’t count', async () => {
  for (const [cluster, slot, ready] of [
    [shop.blue, 'blue', 10],
    [shop.green, 'green', 2],
  ] as const) {
    putApp(cluster, slot, {
      ready,
      namespace: 'team',
      binding: { targetGroupARN: undefined, targetGroupName: `apps-${slot}-web` },
    });
    putApp(cluster, slot, {
      name: 'other',
      ready,
      binding: { targetGroupARN: targetGroups.blue.replace('web', 'api') },
    });
    putApp(cluster, slot, {
      name: 'third',
      ready,
      binding: { targetGroupARN: undefined, targetGroupName: 'web' },
    });
  }
  expect((await raisedInGreen()).minimums).toEqual({ 'deployment/team/web@hpa': [2, 0, 5] });
});

test('Services that the settings name need no binding', async () => {
  shop = new Shop({ services: [{ namespace: 'shop', name: 'web' }] });
  both({ binding: false });
  expect((await raisedInGreen()).minimums).toEqual({ 'deployment/shop/web@hpa': [2, 0, 5] });
  expect(shop.green.calls.filter((call) => call.includes('TargetGroupBinding'))).toEqual([]);
});

test.each<[string, () => void, string]>([
  [
    'without a selector',
    () => both({ service: { selector: undefined } }),
    "blue: Service shop/web has no selector, so that its workloads can't be found; green: Service shop/web has no",
  ],
  [
    'that is not there',
    () => both({ service: false }),
    'blue: there is no Service shop/web; green: there is no Service shop/web',
  ],
  [
    'of a DaemonSet, or of pods by hand',
    () => both({ service: { selector: { app: 'daemon' } } }),
    'blue: no Deployment, StatefulSet or Rollout makes pods with the labels that Service shop/web selects; green',
  ],
  [
    'without a binding',
    () => both({ binding: false }),
    `blue: no TargetGroupBinding has its target groups (${targetGroups.blue}); give services; green: no`,
  ],
  [
    'whose workload two scale',
    () => {
      both();
      for (const cluster of [shop.blue, shop.green]) {
        const spec = cluster.find('HorizontalPodAutoscaler', 'web').spec;
        cluster.put({
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'web-2', namespace: 'shop' },
          spec,
        });
      }
    },
    'blue: deployment shop/web is scaled by hpa shop/web and hpa shop/web-2; it takes one of them; green: deployment',
  ],
  [
    'that the new slot has no workload for',
    () => {
      putApp(shop.blue, 'blue', { ready: 10 });
      putApp(shop.green, 'green', { kind: 'Rollout' });
    },
    'green: there is no deployment shop/web behind its Services, which has 10 pods in blue',
  ],
])('a Service %s', async (_what, arrange, reason) => {
  arrange();
  const { result } = await raisedInGreen();
  expect(result).toMatchObject({ status: 'fail', holds: true });
  expect(result.reason.startsWith(reason)).toBe(true);
  expect(shop.record).toBeUndefined();
  expect([...shop.blue.calls, ...shop.green.calls].filter((call) => call.startsWith('patch'))).toEqual([]);
});

test('a cluster without KEDA and Argo Rollouts', async () => {
  both();
  for (const cluster of [shop.blue, shop.green]) {
    cluster.unknownKinds.add('ScaledObject').add('Rollout');
  }
  expect((await raisedInGreen()).minimums).toEqual({ 'deployment/shop/web@hpa': [2, 0, 5] });
});

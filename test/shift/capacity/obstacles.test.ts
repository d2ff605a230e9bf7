import { failure } from './fake-cluster';
import { Shop, putApp, settle } from './shop';

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
});

const both = (green: object = {}, blue: object = {}): void => {
  putApp(shop.blue, 'blue', { ready: 20, ...blue });
  putApp(shop.green, 'green', { ready: 2, ...green });
};

const hpaStatus = (type: string, reason: string, message = 'no figures'): void => {
  shop.green.find('HorizontalPodAutoscaler', 'web').status = {
    conditions: [
      { type: 'AbleToScale', status: 'True', reason: 'ReadyForNewScale', message: '' },
      { type, status: 'False', reason, message },
    ],
  };
};

const budget = (spec: object, name = 'web'): void => {
  shop.green.put({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'shop' },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  });
};

const nothingIsChanged = (): void => {
  expect(shop.record).toBeUndefined();
  expect([...shop.blue.calls, ...shop.green.calls].filter((call) => call.startsWith('patch'))).toEqual([]);
};

test.each<[string, () => void, string]>([
  [
    'maxReplicas below the need at the end',
    () => both({ hpa: { maxReplicas: 19 } }),
    'green: deployment shop/web: 20 pods needed at 100 %, and maxReplicas of hpa shop/web is 19',
  ],
  [
    'maxReplicaCount below the need at the end',
    () => both({ scaledObject: { maxReplicaCount: 10 } }),
    'green: deployment shop/web: 20 pods needed at 100 %, and maxReplicaCount of scaledobject shop/web is 10',
  ],
  [
    'an HPA that scales nothing',
    () => {
      both({ ready: 0 });
      hpaStatus('ScalingActive', 'ScalingDisabled');
    },
    'green: hpa shop/web scales nothing, since deployment shop/web has 0 replicas; it takes at least 1',
  ],
  [
    'KEDA paused',
    () => {
      both({ scaledObject: {} });
      const annotations = { 'autoscaling.keda.sh/paused-replicas': '2' };
      Object.assign(shop.green.find('ScaledObject', 'web').metadata, { annotations });
    },
    'green: scaledobject shop/web is paused by the annotation autoscaling.keda.sh/paused-replicas, with 2 of 20 pods',
  ],
  [
    'KEDA with an idle count, in both slots',
    () => both({ scaledObject: { idleReplicaCount: 0 } }, { scaledObject: { idleReplicaCount: 0 } }),
    'blue: scaledobject shop/web has idleReplicaCount 0, to which KEDA scales while no trigger is active, whatever the ' +
      'minimum; green: scaledobject shop/web has idleReplicaCount 0, to which KEDA scales while no trigger is active, ' +
      'whatever the minimum',
  ],
  [
    'a workload that nothing scales, and that has too few',
    () => both({ hpa: false }),
    'green: deployment shop/web: 20 pods needed, and replicas of deployment shop/web is 2; raise it, or let the shift do it ' +
      'with "replicas" in scale',
  ],
  [
    'an old slot that can’t be held',
    () => {
      shop = new Shop({ scale: 'keda' });
      both({ hpa: { minReplicas: 20 } });
    },
    'blue: deployment shop/web: 20 pods needed, and minReplicas of hpa shop/web is 2; raise it, or let the shift do it with ' +
      '"hpa" in scale',
  ],
  [
    'a budget that wants more than there can be',
    () => {
      both({ hpa: { maxReplicas: 30 } });
      budget({ minAvailable: 31 });
    },
    'green: PodDisruptionBudget shop/web wants 31 pods available, and deployment shop/web can have 30 at most',
  ],
])('%s fails before anything is changed', async (_what, arrange, reason) => {
  arrange();
  expect(await shop.run().prepare(shop.request(10))).toEqual({
    status: 'fail',
    reason,
    figures: [],
    holds: true,
  });
  nothingIsChanged();
});

test('everything that is wrong is said at once', async () => {
  both({ hpa: { maxReplicas: 5 } });
  putApp(shop.blue, 'blue', { name: 'api', ready: 3 });
  budget({ minAvailable: 6 });
  const { reason } = await shop.run().prepare(shop.request(10));
  expect(reason.split('; ')).toEqual([
    'green: deployment shop/web: 20 pods needed at 100 %, and maxReplicas of hpa shop/web is 5',
    'green: there is no deployment shop/api behind its Services, which has 3 pods in blue',
    expect.stringMatching(/^green: PodDisruptionBudget shop\/web wants 6/),
  ]);
  nothingIsChanged();
});

test.each([
  ['ScalingActive', 'FailedGetResourceMetric'],
  ['ScalingActive', 'FailedGetContainerResourceMetric'],
  ['AbleToScale', 'FailedGetScale'],
])('%s %s may pass, and is waited for', async (type, reason) => {
  both();
  hpaStatus(type, reason);
  expect(await shop.run().prepare(shop.request(10))).toEqual({
    status: 'inconclusive',
    reason: `green: hpa shop/web: ${reason}: no figures`,
    figures: [],
    holds: true,
  });
  nothingIsChanged();
  hpaStatus('ScalingLimited', 'TooFewReplicas');
  await shop.run().prepare(shop.request(10));
  expect(shop.record).toBeDefined();
});

test('metrics of requests are missing in a slot that has none yet: that is in the way of nothing', async () => {
  both();
  hpaStatus('ScalingActive', 'FailedGetExternalMetric');
  await shop.run().prepare(shop.request(10));
  expect(shop.minimums()).toMatchObject({ 'blue HorizontalPodAutoscaler web': 20 });
});

test('an old slot without a pod that is ready measures nothing', async () => {
  both({}, { ready: 0 });
  expect(await shop.run().prepare(shop.request(10))).toMatchObject({
    status: 'inconclusive',
    reason:
      'blue: it has 100 % of the traffic and no pod that is ready, so that nothing says what a percent needs',
  });
  nothingIsChanged();
});

test.each<[string, object]>([
  ['maxUnavailable 0', { maxUnavailable: 0 }],
  ['maxUnavailable 0%', { maxUnavailable: '0%' }],
  ['minAvailable 100%', { minAvailable: '100%' }],
])('a budget with %s is in the way of no shift; it is said', async (_what, spec) => {
  both({ ready: 20 });
  budget(spec);
  expect(await shop.run().prepare(shop.request(100))).toMatchObject({
    status: 'pass',
    reason:
      'green: 20 pods for 100 % are ready; green: PodDisruptionBudget shop/web allows no eviction, so that nodes with its ' +
      "pods can't be replaced",
  });
});

test('budgets of others, and one beside another', async () => {
  both({ ready: 20 });
  budget({ minAvailable: 1_000, selector: { matchLabels: { app: 'api' } } }, 'api');
  budget({ minAvailable: 1_000, selector: undefined }, 'none');
  budget({ minAvailable: 1 });
  budget({ minAvailable: '50%', selector: {} }, 'all');
  expect(await shop.run().prepare(shop.request(100))).toMatchObject({
    status: 'pass',
    reason:
      'green: 20 pods for 100 % are ready; green: PodDisruptionBudget shop/web and PodDisruptionBudget shop/all cover ' +
      "deployment shop/web: pods with two budgets can't be evicted",
  });
});

test('a budget is met by a workload whose replicas the shift raises', async () => {
  shop = new Shop({ scale: ['hpa', 'replicas'] });
  both({ hpa: false });
  budget({ minAvailable: 4 });
  expect(await shop.run().prepare(shop.request(10))).toMatchObject({ status: 'pass' });
});

test('rights that are missing are named, those to write before anything is changed', async () => {
  both();
  const denied = (verb: string, kind: string) => {
    shop.green.before = (call) => {
      if (call.verb === verb && call.kind === kind) {
        throw failure(
          'denied',
          `${verb} ${kind} in namespace "shop": not allowed (403); it takes a role with ...`,
        );
      }
    };
  };
  denied('list', 'HorizontalPodAutoscaler');
  expect(await shop.run().prepare(shop.request(50))).toMatchObject({
    status: 'fail',
    reason: expect.stringMatching(
      /^green: list HorizontalPodAutoscaler in namespace "shop": not allowed \(403\)/,
    ),
  });
  denied('patch', 'HorizontalPodAutoscaler');
  expect(await shop.run().prepare(shop.request(50))).toMatchObject({
    status: 'fail',
    reason: expect.stringMatching(
      /^green: hpa shop\/web: patch HorizontalPodAutoscaler in namespace "shop": not allowed \(403\)/,
    ),
    holds: true,
  });
  nothingIsChanged();
});

test('a maximum that is lowered later fails the step that needs more', async () => {
  both();
  await shop.run().prepare(shop.request(10));
  shop.green.change('HorizontalPodAutoscaler', 'web', { maxReplicas: 10 }, 'kubectl');
  await shop.run().prepare(shop.request(100));
  settle(shop.green);
  expect(await shop.run().prepare(shop.request(100))).toMatchObject({
    status: 'fail',
    reason: 'green: deployment shop/web: 20 pods needed at 100 %, and maxReplicas of hpa shop/web is 10',
    holds: true,
  });
});

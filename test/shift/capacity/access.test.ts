import { capacityAccess, openCapacity } from '../../../lib/shift/capacity';
import type { CapacitySettings } from '../../../lib/shift/capacity';
import { failure } from './fake-cluster';
import type { FakeCluster } from './fake-cluster';
import { Shop, putApp, settle, subject, targetGroups } from './shop';

const resources: Readonly<Record<string, string>> = {
  Service: 'services',
  Pod: 'pods',
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  Rollout: 'rollouts',
  HorizontalPodAutoscaler: 'horizontalpodautoscalers',
  ScaledObject: 'scaledobjects',
  PodDisruptionBudget: 'poddisruptionbudgets',
  TargetGroupBinding: 'targetgroupbindings',
};

/** A server that grants the rights of the settings and no others; answers which were used. */
function limited(cluster: FakeCluster, settings: CapacitySettings): ReadonlySet<string> {
  const used = new Set<string>();
  const rules = capacityAccess(settings, subject).map(({ rule }) => rule);
  cluster.before = ({ verb, kind, namespace }) => {
    const resource = resources[kind]!;
    const rule = rules.find(
      (each) =>
        each.resources.includes(resource) &&
        each.verbs.includes(verb) &&
        (each.namespace === undefined || each.namespace === namespace),
    );
    if (!rule) {
      throw failure('denied', `${verb} ${resource} in namespace "${namespace}": not allowed (403)`);
    }
    used.add(`${verb} ${resource}`);
  };
  return used;
}

const given = (settings: CapacitySettings): readonly string[] => [
  ...new Set(
    capacityAccess(settings, subject).flatMap(({ rule }) =>
      rule.verbs.flatMap((verb) => rule.resources.map((resource) => `${verb} ${resource}`)),
    ),
  ),
];

test.each<CapacitySettings>([
  {},
  { scale: 'hpa' },
  { scale: ['hpa', 'keda', 'replicas'] },
  { scale: 'replicas', services: ['web', 'set', 'roll'].map((name) => ({ namespace: 'shop', name })) },
])('the rights for %j are enough, and all of them are used', async (settings) => {
  const shop = new Shop(settings);
  const scales = [settings.scale ?? ['hpa', 'keda']].flat();
  for (const [cluster, slot, ready] of [
    [shop.blue, 'blue', 20],
    [shop.green, 'green', 2],
  ] as const) {
    const fixed = scales.includes('replicas') ? { ready } : { ready: 20 };
    putApp(cluster, slot, scales.includes('hpa') ? { ready } : { ...fixed, hpa: false });
    putApp(cluster, slot, { name: 'set', kind: 'StatefulSet', ...fixed, hpa: false });
    putApp(cluster, slot, { name: 'roll', kind: 'Rollout', ...fixed, hpa: false });
    if (scales.includes('hpa')) {
      putApp(cluster, slot, { name: 'fixed', ...fixed, hpa: false });
    }
    if (scales.includes('keda')) {
      putApp(cluster, slot, { name: 'queue', ready, scaledObject: {} });
    }
  }
  limited(shop.blue, settings);
  const used = limited(shop.green, settings);
  const run = shop.run();
  expect(await run.prepare(shop.request(100))).toMatchObject({ status: 'inconclusive' });
  settle(shop.green);
  expect(await run.prepare(shop.request(100))).toMatchObject({ status: 'pass' });
  expect(await run.giveBack(shop.record!)).toBeUndefined();
  expect([...used].sort()).toEqual([...given(settings)].sort());
});

test('routers that shift together: their Services are raised together, each workload once', async () => {
  const shop = new Shop();
  const other = {
    blue: targetGroups.blue.replace('web', 'api'),
    green: targetGroups.green.replace('web', 'api'),
  };
  for (const [cluster, slot, ready] of [
    [shop.blue, 'blue', 20],
    [shop.green, 'green', 2],
  ] as const) {
    putApp(cluster, slot, { ready });
    putApp(cluster, slot, { name: 'api', ready, binding: { targetGroupARN: other[slot] } });
    cluster.put({
      apiVersion: 'elbv2.k8s.aws/v1beta1',
      kind: 'TargetGroupBinding',
      metadata: { name: 'web-again', namespace: 'shop' },
      spec: { targetGroupARN: other[slot], serviceRef: { name: 'web', port: 80 } },
    });
  }
  const slots = Object.entries(subject.slots).map(([slot, each]) => [
    slot,
    { ...each, targetGroupArn: other[slot as keyof typeof other] },
  ]);
  const run = openCapacity({}, [subject, { ...subject, slots: Object.fromEntries(slots) }], {
    id: 'both',
    open: ({ context }) => Promise.resolve(context === 'apps-blue' ? shop.blue : shop.green),
  });
  await run.prepare(shop.request(50));
  expect(shop.minimums()).toMatchObject({
    'green HorizontalPodAutoscaler web': 10,
    'green HorizontalPodAutoscaler api': 10,
  });
});

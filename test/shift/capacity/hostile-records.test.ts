import type { CapacityRecord } from '../../../lib/shift/engine';
import { openCapacity } from '../../../lib/shift/capacity';
import { Shop, putApp, subject } from './shop';

/** Records that no shift has written: who may write a lease may write them. */
let shop: Shop;
const live = { blue: 100, green: 0 };
const dns = 'deployment/kube-system/coredns';

beforeEach(() => {
  shop = new Shop();
  putApp(shop.green, 'green');
  const metadata = { name: 'coredns', namespace: 'kube-system' };
  shop.green.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2 } });
});

test.each([undefined, live])('alone it takes no pods from a workload, whose note is missing', async (at) => {
  const record: CapacityRecord = { green: { context: 'apps-green', minimums: { [dns]: [0, 0, 2] } } };
  expect(await shop.run().giveBack(record, undefined, at)).toBeUndefined();
  expect(shop.green.find('Deployment', 'coredns', 'kube-system').spec.replicas).toBe(2);
});

test('it raises no minimum', async () => {
  const record: CapacityRecord = {
    green: { context: 'apps-green', minimums: { 'deployment/shop/web@hpa': [90, 0, 2] } },
  };
  expect(await shop.run().giveBack(record, undefined, live)).toBeUndefined();
  expect(shop.minimums()).toEqual({ 'green HorizontalPodAutoscaler web': 2 });
});

test.each(['constructor', 'toString', 'red'])(
  'the kubeconfig of the slot %s, which the plan has not, is the plan’s',
  async (slot) => {
    const opened: unknown[] = [];
    const capacity = openCapacity({ kubeconfig: 'own.yaml' }, subject, {
      id: 'rule/web',
      open: (cluster) => {
        opened.push(cluster);
        return Promise.resolve(shop.green);
      },
    });
    const minimums = { 'deployment/shop/web@hpa': [1, 0, 5] } as const;
    await capacity.giveBack({ [slot]: { kubeconfig: '/tmp/theirs.yaml', context: 'apps-red', minimums } });
    expect(opened).toEqual([{ kubeconfig: 'own.yaml', context: 'apps-red' }]);
  },
);

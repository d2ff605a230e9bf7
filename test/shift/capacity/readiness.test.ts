import type { KubernetesObject } from '../../../lib/core/kubernetes/api';
import { failure } from './fake-cluster';
import { Shop, putApp, settle } from './shop';

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
  putApp(shop.blue, 'blue', { ready: 20 });
  putApp(shop.green, 'green', { ready: 12, hpa: { minReplicas: 12 } });
});

let pods = 0;

const pod = (status: object, metadata: object = {}): KubernetesObject =>
  shop.green.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `web-${pods++}`, namespace: 'shop', labels: { app: 'web' }, ...metadata },
    status,
  });

const unscheduled = (message: string | undefined) => ({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
});
const noNodes =
  '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found.';
const starting = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'True' }],
  containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
};
const crashing = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [{ state: { running: {} } }, { state: { waiting: { reason: 'CrashLoopBackOff' } } }],
};
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

const reason = async () => (await shop.run().prepare(shop.request(100))).reason;

test('pods that wait for nodes are said as that', async () => {
  for (let count = 0; count < 8; count += 1) {
    pod(unscheduled(noNodes));
  }
  pod(ready);
  pod({ phase: 'Succeeded' });
  pod(starting, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  pod(crashing, { labels: { app: 'api' } });
  expect(await reason()).toBe(
    'green: deployment shop/web 12 of 20 ready; 8 pending: 0/3 nodes are available: 3 Insufficient cpu',
  );
});

test.each<[string, readonly object[], string]>([
  ['start', [starting, starting, starting], '; 3 starting'],
  ['crash, and start', [crashing, starting, crashing], '; 2 not ready: CrashLoopBackOff; 1 starting'],
  ['no one has scheduled, without a word', [unscheduled(undefined)], '; 1 pending: Unschedulable'],
  ['have no status', [{}], '; 1 starting'],
  ['are none', [], ''],
])('pods that %s', async (_what, statuses, said) => {
  statuses.forEach((status) => pod(status));
  expect(await reason()).toBe(`green: deployment shop/web 12 of 20 ready${said}`);
});

test('a message of the scheduler is one short line', async () => {
  pod(unscheduled(`0/3 nodes\nare ${'x'.repeat(5_000)}`));
  const text = await reason();
  expect(text).toMatch(/1 pending: 0\/3 nodes are x+…$/);
  expect(text.length).toBeLessThan(300);
});

test('pods that may not be read keep nothing from going on', async () => {
  shop.green.before = ({ kind }) => {
    if (kind === 'Pod') {
      throw failure('denied', 'no');
    }
  };
  expect(await reason()).toBe('green: deployment shop/web 12 of 20 ready');
});

test('of many workloads a few are named', async () => {
  for (let count = 0; count < 12; count += 1) {
    putApp(shop.blue, 'blue', { name: `app-${count}`, ready: 4 });
    putApp(shop.green, 'green', { name: `app-${count}`, ready: 1 });
  }
  const text = await reason();
  expect(text.split('; ')).toHaveLength(6);
  expect(text).toMatch(/; 8 more workloads have too few pods$/);
});

describe('50 workloads', () => {
  beforeEach(() => {
    for (let count = 0; count < 49; count += 1) {
      const app = { name: `app-${count}`, namespace: `team-${count % 7}` };
      putApp(shop.blue, 'blue', { ...app, ready: 4 + (count % 5) });
      putApp(shop.green, 'green', { ...app, ready: 2 });
    }
  });

  test('go up, are ready, and go back', async () => {
    const before = shop.minimums();
    const run = shop.run();
    expect(await run.prepare(shop.request(100))).toMatchObject({ status: 'inconclusive' });
    settle(shop.green);
    expect(await run.prepare(shop.request(100))).toMatchObject({ status: 'pass' });
    expect(Object.keys(shop.record!.green!.minimums).length).toBe(50);
    // No call for each workload, but one for each namespace and kind.
    shop.green.calls.length = 0;
    await run.prepare(shop.request(100));
    expect(shop.green.calls.length).toBeLessThan(8 * 8);
    expect(await run.giveBack(shop.record!)).toBeUndefined();
    expect(shop.minimums()).toEqual(before);
  });
});

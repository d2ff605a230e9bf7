import type { FakeCluster } from './fake-cluster';
import { Shop, putApp, settle } from './shop';

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
  putApp(shop.blue, 'blue', { ready: 20 });
  putApp(shop.green, 'green');
});

/** Argo CD's self-heal: what Git says, within seconds. */
const heal = (cluster: FakeCluster, manager = 'argocd-controller'): void =>
  cluster.change('HorizontalPodAutoscaler', 'web', { minReplicas: 2 }, manager);

const writes = (cluster: FakeCluster): number =>
  cluster.calls.filter((call) => call.startsWith('patch HorizontalPodAutoscaler')).length;

const advice =
  'The Application takes ignoreDifferences with managedFieldsManagers: [cluster-canary-capacity] or jsonPointers: ' +
  '[/spec/minReplicas], and RespectIgnoreDifferences=true in syncOptions';

test('what Argo CD reverts is written once more, and then left', async () => {
  const run = shop.run();
  await run.prepare(shop.request(50));
  heal(shop.green);
  expect(await run.prepare(shop.request(50))).toMatchObject({
    status: 'inconclusive',
    reason:
      'green: argocd-controller set minReplicas of hpa shop/web back to 2 after it was raised to 10; it is written again; ' +
      'green: deployment shop/web 2 of 10 ready',
    holds: true,
  });
  expect(shop.minimums()).toMatchObject({ 'green HorizontalPodAutoscaler web': 10 });
  const reason = `green: argocd-controller set minReplicas of hpa shop/web back to 2 after it was raised to 10; it is not written again. ${advice}`;
  for (let looks = 0; looks < 3; looks += 1) {
    heal(shop.green);
    expect(await run.prepare(shop.request(50))).toMatchObject({
      status: 'inconclusive',
      reason: `${reason}; green: deployment shop/web 2 of 10 ready`,
    });
  }
  // Also where there are pods enough: nothing holds them.
  shop.green.find('Deployment', 'web').status.readyReplicas = 40;
  expect(await run.prepare(shop.request(100))).toMatchObject({ status: 'inconclusive', reason });
  expect(writes(shop.green)).toBe(2);
  expect(await run.giveBack(shop.record!)).toBeUndefined();
  expect(shop.minimums()).toEqual({
    'blue HorizontalPodAutoscaler web': 2,
    'green HorizontalPodAutoscaler web': 2,
  });
  expect(shop.green.find('HorizontalPodAutoscaler', 'web').metadata.annotations).toEqual({});
});

test('the old slot’s minimum, too', async () => {
  const run = shop.run();
  await run.prepare(shop.request(10));
  settle(shop.green);
  heal(shop.blue);
  expect(await run.prepare(shop.request(10))).toMatchObject({
    status: 'inconclusive',
    reason:
      'blue: argocd-controller set minReplicas of hpa shop/web back to 2 after it was raised to 20; it is written again',
  });
  expect(await run.prepare(shop.request(10))).toMatchObject({ status: 'pass' });
  heal(shop.blue);
  expect(await run.prepare(shop.request(10))).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(
      /^blue: argocd-controller set .*; it is not written again\. The Application/,
    ),
  });
  expect(writes(shop.blue)).toBe(2);
});

test('one that somebody else reverts is named, whoever it is', async () => {
  const run = shop.run();
  await run.prepare(shop.request(50));
  heal(shop.green, 'kustomize-controller');
  await run.prepare(shop.request(50));
  heal(shop.green, 'kustomize-controller');
  const { reason } = await run.prepare(shop.request(50));
  expect(reason).toMatch(
    /^green: kustomize-controller set .*; it is not written again\. It has to leave the field alone while the shift runs; /,
  );
});

test('a revert by a sync that replaces the whole object is written again, as one that never was', async () => {
  const run = shop.run();
  await run.prepare(shop.request(50));
  heal(shop.green);
  delete shop.green.find('HorizontalPodAutoscaler', 'web').metadata.annotations;
  for (let looks = 0; looks < 5; looks += 1) {
    await run.prepare(shop.request(50));
    heal(shop.green);
    delete shop.green.find('HorizontalPodAutoscaler', 'web').metadata.annotations;
  }
  expect(writes(shop.green)).toBe(2);
  expect((await run.prepare(shop.request(50))).reason).toContain('it is not written again');
});

test('with ignoreDifferences for its manager nothing is reverted, and Git decides again once it is given back', async () => {
  /** Argo CD with managedFieldsManagers: fields of that manager are left alone. */
  const sync = (minReplicas: number): void => {
    const { metadata } = shop.green.find('HorizontalPodAutoscaler', 'web');
    const isIgnored = metadata.managedFields.some(
      ({ manager, fieldsV1 }: any) =>
        manager === 'cluster-canary-capacity' && Object.hasOwn(fieldsV1['f:spec'], 'f:minReplicas'),
    );
    if (!isIgnored) {
      shop.green.change('HorizontalPodAutoscaler', 'web', { minReplicas }, 'argocd-controller');
    }
  };
  const run = shop.run();
  await run.prepare(shop.request(50));
  sync(2);
  expect(shop.minimums()).toMatchObject({ 'green HorizontalPodAutoscaler web': 10 });
  settle(shop.green);
  expect(await run.prepare(shop.request(50))).toMatchObject({ status: 'pass' });
  await run.giveBack(shop.record!);
  sync(3);
  expect(shop.minimums()).toMatchObject({ 'green HorizontalPodAutoscaler web': 3 });
});

test('a new run tries once more: the Application may be right by then', async () => {
  const run = shop.run();
  await run.prepare(shop.request(50));
  heal(shop.green);
  await run.prepare(shop.request(50));
  heal(shop.green);
  await run.prepare(shop.request(50));
  expect(writes(shop.green)).toBe(2);
  expect((await shop.run().prepare(shop.request(50))).reason).toMatch(
    /^green: argocd-controller set .* back to 2 after it was raised to 10; it is written again; /,
  );
  expect(writes(shop.green)).toBe(3);
  settle(shop.green);
  expect(await shop.run().prepare(shop.request(50))).toMatchObject({ status: 'pass' });
});

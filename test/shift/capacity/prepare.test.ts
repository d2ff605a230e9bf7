import { Shop, putApp, settle } from './shop';

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
});

const web = (): void => {
  putApp(shop.blue, 'blue', { ready: 20 });
  putApp(shop.green, 'green');
};

test('the new slot’s minimum is raised to what the next weight needs, and the old one’s is held', async () => {
  web();
  const run = shop.run();
  expect(await run.prepare(shop.request(25))).toEqual({
    status: 'inconclusive',
    reason: 'green: deployment shop/web 2 of 5 ready',
    figures: [{ name: 'ready pods', slot: 'green', value: 2, unit: 'count', min: 5 }],
    holds: true,
  });
  expect(shop.minimums()).toEqual({
    'blue HorizontalPodAutoscaler web': 20,
    'green HorizontalPodAutoscaler web': 5,
  });
  expect(shop.record).toEqual({
    blue: {
      context: 'apps-blue',
      by: expect.any(String),
      minimums: { 'deployment/shop/web@hpa': [2, 20, 20] },
    },
    green: {
      context: 'apps-green',
      by: expect.any(String),
      minimums: { 'deployment/shop/web@hpa': [2, 0, 5] },
    },
  });
  settle(shop.green);
  expect(await run.prepare(shop.request(25))).toMatchObject({
    status: 'pass',
    reason: 'green: 5 pods for 25 % are ready',
  });
  // The old slot shrinks all the same: the measure is that of the origin.
  shop.blue.find('Deployment', 'web').status.readyReplicas = 3;
  await run.prepare(shop.request(100));
  expect(shop.minimums()).toMatchObject({ 'green HorizontalPodAutoscaler web': 20 });
  settle(shop.green);
  expect(await run.prepare(shop.request(100))).toMatchObject({ status: 'pass' });
  expect(await run.giveBack(shop.record!)).toBeUndefined();
  expect(shop.minimums()).toEqual({
    'blue HorizontalPodAutoscaler web': 2,
    'green HorizontalPodAutoscaler web': 2,
  });
  expect(shop.green.find('HorizontalPodAutoscaler', 'web').metadata.annotations).toEqual({});
});

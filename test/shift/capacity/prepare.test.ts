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

test('what is on record already is not remembered again', async () => {
  web();
  let kept = 0;
  shop.remembering = () => (kept += 1);
  await shop.run().prepare(shop.request(25));
  await shop.run().prepare(shop.request(25));
  settle(shop.green);
  // A lease gives back what it was told, as JSON.
  shop.record = JSON.parse(JSON.stringify(shop.record));
  expect(await shop.run().prepare(shop.request(25))).toMatchObject({ status: 'pass' });
  expect(kept).toBe(1);
  await shop.run().prepare(shop.request(50));
  expect(kept).toBe(2);
});

test('going back asks for nothing: the old slot has what it had', async () => {
  web();
  await shop.run().prepare(shop.request(50));
  const back = { ...shop.request(0), next: shop.origin };
  expect(await shop.run().prepare(back)).toEqual({
    status: 'pass',
    reason: 'no slot gains weight',
    figures: [],
    holds: true,
  });
  expect(shop.minimums()).toEqual({
    'blue HorizontalPodAutoscaler web': 20,
    'green HorizontalPodAutoscaler web': 10,
  });
});

test('an interrupted look ends with the reason of the interruption', async () => {
  web();
  const stop = new AbortController();
  shop.green.after = () => stop.abort(new Error('interrupted'));
  await expect(shop.run().prepare(shop.request(25), stop.signal)).rejects.toThrow('interrupted');
  expect(shop.record).toBeUndefined();
});

test('what an interrupted giving back has not come to is left', async () => {
  web();
  await shop.run().prepare(shop.request(25));
  const left = await shop.run().giveBack(shop.record!, AbortSignal.abort());
  expect(left).toEqual({
    problem:
      'blue: a minimum is not given back: it was interrupted; green: a minimum is not given back: it was interrupted',
    raised: shop.record,
  });
});

test('a key that names no workload is left, and said', async () => {
  web();
  const raised = { blue: { context: 'apps-blue', minimums: { 'vpa/shop/web': [2, 20, 20] as const } } };
  expect(await shop.run().giveBack(raised)).toEqual({
    problem: 'blue: a minimum is not given back: "vpa/shop/web" names no workload',
    raised,
  });
});

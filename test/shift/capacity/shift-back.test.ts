import { runShift } from '../../../lib/shift/engine';
import { World, all, bluePlan, check, minute, passing } from '../engine/world';
import { Shop, putApp, settle } from './shop';
import { failure } from './fake-cluster';

const plan = { step: [50], every: '2m', bake: '5m', checkEvery: '30s', inconclusiveLimit: '10m' } as const;

test('a shift back counts anew what the slot needs, where the shift before could not give everything back', async () => {
  const shop = new Shop();
  putApp(shop.blue, 'blue', { ready: 20 });
  putApp(shop.green, 'green', { ready: 2 });
  const world = new World();
  // Autoscalers follow: what is raised becomes ready.
  const settled = check(
    () => {
      settle(shop.blue);
      settle(shop.green);
      return 'pass';
    },
    ['before', 'after'],
    'pods',
  );
  const dies = {
    written: () => {
      if (world.rule.weights['green'] === 100) {
        shop.green.before = () => {
          throw failure('unreachable', 'green does not answer');
        };
      }
    },
  };
  const first = await runShift(
    world.process(plan, { capacity: shop.run(), checks: [passing, settled], observer: dies }),
  );
  expect(first).toMatchObject({ verdict: 'completed', capacityProblem: expect.stringMatching(/green/) });
  shop.green.before = () => undefined;
  // The blue slot has shrunk to its minimum by then.
  shop.blue.find('Deployment', 'web').spec.replicas = 2;
  shop.blue.find('Deployment', 'web').status.readyReplicas = 2;
  world.clock.advance(60 * minute);
  const ready: number[] = [];
  const observer = {
    written: () => void ready.push(shop.blue.find('Deployment', 'web').status.readyReplicas),
  };
  const back = await runShift(
    world.process(bluePlan(plan, all('blue')), {
      capacity: shop.run(),
      checks: [passing, settled],
      observer,
    }),
  );
  expect(back).toMatchObject({ verdict: 'completed' });
  expect(back).not.toHaveProperty('capacityProblem');
  // What the step after the first one needs is raised already.
  expect(ready).toEqual([20, 20]);
  expect(shop.minimums()).toEqual({
    'blue HorizontalPodAutoscaler web': 2,
    'green HorizontalPodAutoscaler web': 2,
  });
  expect(shop.green.find('HorizontalPodAutoscaler', 'web').metadata.annotations).toEqual({});
});

import * as fc from 'fast-check';
import { runShift } from '../../../lib/shift/engine';
import { World, all, bluePlan, check, minute, passing } from '../engine/world';
import { Shop, putApp, settle } from './shop';
import { failure } from './fake-cluster';
import { scaled } from '../../runs';

const plan = { step: [50], every: '2m', bake: '5m', checkEvery: '30s', inconclusiveLimit: '10m' } as const;

test('shifts both ways, with kills and API servers that die: no write goes to too few pods, and nothing stays raised', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          to: fc.constantFrom('blue' as const, 'green' as const),
          kill: fc.oneof(fc.constant(Infinity), fc.nat({ max: 150 })),
          dead: fc.constantFrom('none', 'blue', 'green'),
          deadFrom: fc.nat({ max: 150 }),
          fails: fc.boolean(),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      fc.constantFrom('blue' as const, 'green' as const),
      async (runs, last) => {
        const shop = new Shop();
        putApp(shop.blue, 'blue', { ready: 20 });
        putApp(shop.green, 'green', { ready: 2 });
        const world = new World();
        const follow = () => {
          for (const slot of ['blue', 'green'] as const) {
            const cluster = shop[slot];
            settle(cluster);
            const need = Math.max(
              cluster.find('HorizontalPodAutoscaler', 'web').spec.minReplicas,
              Math.ceil((20 * (world.rule.weights[slot] ?? 0)) / 100),
            );
            cluster.find('Deployment', 'web').spec.replicas = need;
            cluster.find('Deployment', 'web').status.readyReplicas = need;
          }
        };
        const bad: string[] = [];
        const observer = {
          written: () => {
            for (const slot of ['blue', 'green'] as const) {
              const has = shop[slot].find('Deployment', 'web').status.readyReplicas;
              const needs = Math.floor((20 * (world.rule.weights[slot] ?? 0)) / 100);
              if (has < needs) bad.push(`${slot} has ${has} of ${needs}`);
            }
          },
        };
        const one = async (
          to: 'blue' | 'green',
          kill: number,
          dead: string,
          deadFrom: number,
          fails: boolean,
        ) => {
          const settled = check(
            () => {
              follow();
              return 'pass';
            },
            ['before', 'after'],
            'pods',
          );
          const errors = check(({ live }) => (fails && live[to] === 100 ? 'fail' : 'pass'));
          const stop = new AbortController();
          let calls = 0;
          for (const slot of ['blue', 'green'] as const) {
            shop[slot].before = () => {
              calls += 1;
              if (calls > kill) stop.abort();
              if (stop.signal.aborted) throw failure('unreachable', 'killed');
              if (dead === slot && calls > deadFrom) throw failure('unreachable', 'dead');
            };
          }
          const outcome = await runShift(
            world.process(bluePlan(plan, all(to)), {
              capacity: shop.run(),
              checks: [passing, settled, errors],
              kill: stop.signal,
              observer,
            }),
          );
          shop.blue.before = shop.green.before = () => undefined;
          follow();
          world.clock.advance(30 * minute);
          follow();
          return outcome;
        };
        for (const { to, kill, dead, deadFrom, fails } of runs) {
          await one(to, kill, dead, deadFrom, fails);
        }
        let outcome = await one(last, Infinity, 'none', 0, false);
        if (outcome.verdict !== 'completed') outcome = await one(last, Infinity, 'none', 0, false);
        expect(outcome.verdict).toBe('completed');
        expect(bad).toEqual([]);
        expect(shop.minimums()).toEqual({
          'blue HorizontalPodAutoscaler web': 2,
          'green HorizontalPodAutoscaler web': 2,
        });
        expect(world.memory.record ?? {}).not.toHaveProperty('raised');
      },
    ),
    { numRuns: scaled(100) },
  );
}, 100_000);

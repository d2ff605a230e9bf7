import { check, result, World } from './world';
import type { Fault } from './world';

/** The shortest and the longest waits: retries are cut at random, down to their half. */
const chances: [string, number, number, number][] = [
  ['at the shortest', 0, 45.5, 600.5],
  ['in the middle', 0.5, 68.25, 900.75],
  ['at the longest', 1, 91, 1_201],
];
const settings = { step: [50], every: '1m', bake: '1m' } as const;

describe.each(chances)('tries %s', (_, chance, stepSeconds, rollbackSeconds) => {
  const random = () => chance;

  test.each<[Fault, 'read' | 'write']>([
    ['throttled', 'write'],
    ['unreachable', 'write'],
    ['throttled', 'read'],
    ['unreachable', 'read'],
  ])(`a step that is %s on each %s is tried 8 times, for ${stepSeconds} s`, async (fault, call) => {
    const world = new World();
    let failed = 0;
    if (call === 'read') {
      // The first read says where the shift begins.
      world.rule.onRead = (number) => (number > 0 ? ((failed += 1), fault) : undefined);
    } else {
      world.rule.onWrite = () => ((failed += 1), fault);
    }
    const outcome = await world.run(settings, { random });
    expect([outcome.verdict, failed >= 8]).toEqual(['aborted', true]);
    const { rule } = world;
    expect(call === 'write' ? rule.writeCalls : failed).toBe(8);
    // An end whose write may have been done is confirmed by a read, which is fast here.
    expect(world.minutes * 60).toBeCloseTo(stepSeconds);
  });

  test.each<Fault>(['throttled', 'unreachable'])(
    `a rollback that is %s is tried 45 times, for ${rollbackSeconds} s`,
    async (fault) => {
      const world = new World();
      const fails = check(() => result('fail'));
      let since = 0;
      world.rule.onWrite = (call) => {
        since = call === 1 ? world.minutes * 60 : since;
        return call > 0 ? fault : undefined;
      };
      const outcome = await world.run(settings, { random, checks: [fails] });
      expect(outcome.reason).toMatch(/^THE TRAFFIC IS NOT BACK/);
      expect(world.rule.writeCalls).toBe(1 + 45);
      expect(world.minutes * 60 - since).toBeCloseTo(rollbackSeconds);
    },
  );
});

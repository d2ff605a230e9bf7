import { measureCapacity } from '../../../bench/capacity';
import { capacityWorld, isWithinReach, withAllPods } from '../../../bench/capacity-worlds';

const worlds = 60;

describe(`${worlds} workloads with autoscalers`, () => {
  const [withAccess, without, limited, fixed] = measureCapacity(worlds);

  test('with access all complete, no pod gets more than a tenth too much, and the old slot keeps its pods', () => {
    expect(withAccess).toMatchObject({
      worlds,
      verdicts: { completed: worlds, rolledBack: 0, held: 0, aborted: 0 },
      inTime: 1,
      aboveGoal: 0,
      leastOfOld: 1,
    });
  });

  test('without access all within reach complete, no pod gets more than it can serve, and 95 % are in time', () => {
    expect(without).toMatchObject({ worlds, missed: 0 });
    expect(without!.verdicts).toMatchObject({ rolledBack: 0, aborted: 0 });
    expect(without!.verdicts.held).toBeLessThanOrEqual(without!.outOfReach);
    expect(without!.outOfReach).toBeLessThanOrEqual(worlds / 50);
    expect(without!.inTime).toBeGreaterThanOrEqual(0.95);
  });

  test('an autoscaler that can add no more: the traffic stays where its pods can serve it', () => {
    expect(limited!.verdicts).toMatchObject({ rolledBack: 0, aborted: 0 });
    expect(limited!.verdicts.held).toBeGreaterThan(worlds / 4);
    expect(limited!.aboveGoal).toBeLessThanOrEqual(limited!.outOfReach);
  });

  test('a rule that waits for a fixed measure takes most of them back, and fills pods in others', () => {
    expect(fixed!.verdicts.rolledBack).toBeGreaterThan(worlds / 2);
    expect(fixed!.aboveGoal).toBeGreaterThan(0);
    expect(fixed!.inTime).toBeLessThan(0.5);
  });
});

test('a seed gives the same world, within its bounds', () => {
  const seen = Array.from({ length: 500 }, (_, seed) => capacityWorld(seed));
  expect(capacityWorld(7)).toEqual(seen[7]);
  for (const { peak, min, startSeconds, scenario } of seen) {
    expect([peak >= 3, peak <= 500, min >= 1, min <= Math.max(1, Math.round(peak / 2))]).toEqual([
      ...[true, true, true, true],
    ]);
    expect([startSeconds >= 10, startSeconds <= 180]).toEqual([true, true]);
    expect(scenario.slots!.blue!.autoscaler!.replicas).toBe(peak);
  }
  expect(withAllPods(seen[7]!).slots!.green!.autoscaler!.minReplicas).toBe(seen[7]!.peak);
});

test('what is out of reach: a percent more is more than the pods of a content autoscaler can serve', () => {
  const world = { ...capacityWorld(1), peak: 100 };
  expect(isWithinReach({ ...world, min: 1 })).toBe(false);
  expect(isWithinReach({ ...world, min: 2 })).toBe(true);
  // More than a tenth above the target: its autoscaler adds one.
  expect(isWithinReach({ ...world, peak: 115, min: 1 })).toBe(true);
});

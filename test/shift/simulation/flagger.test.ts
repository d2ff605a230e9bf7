import type { FlaggerAnalysis } from '../../../bench/shift-flagger';
import { flaggerShift, flaggerWeights } from '../../../bench/shift-flagger';

const minute = 60_000;

function run(options: Partial<FlaggerAnalysis>) {
  const writes: [number, number][] = [];
  const end = flaggerShift({
    weights: flaggerWeights(10, 50),
    analyse: () => true,
    ...options,
    write: (atMs, weight) => writes.push([atMs / minute, weight]),
  });
  return { writes, end };
}

test('steps to the greatest weight, then promotes, as its formula says: interval times maxWeight by stepWeight', () => {
  const { writes, end } = run({});
  expect(writes.map(([, weight]) => weight)).toEqual([10, 20, 30, 40, 50, 100]);
  expect(end).toEqual({ atMs: 5 * minute, promoted: true });
});

test('fails after interval times threshold, and rolls back an interval later', () => {
  const { writes, end } = run({ threshold: 5, analyse: () => false });
  expect(writes).toEqual([
    [0, 10],
    [6, 0],
  ]);
  expect(end).toEqual({ atMs: 6 * minute, promoted: false, failedAtMs: 5 * minute });
});

test('a failed check halts the advance, and counts for ever', () => {
  const failing = [2, 4];
  const { writes, end } = run({ threshold: 2, analyse: (atMs) => !failing.includes(atMs / minute) });
  expect(writes).toEqual([
    [0, 10],
    [1, 20],
    [3, 30],
    [5, 0],
  ]);
  expect(end.failedAtMs).toBe(4 * minute);
});

test('without a threshold the first failed check is enough', () => {
  expect(run({ analyse: () => false }).end.failedAtMs).toBe(minute);
});

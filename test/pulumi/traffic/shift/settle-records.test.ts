import { evacuationDrift, settleRecords } from '../../../../lib/pulumi/traffic/shift/evacuated';
import type { SplitShift } from '../../../../lib/pulumi/traffic/shift/split-kind';
import type { CapacityRecord, Lease, ShiftRecord } from '../../../../lib/shift/engine';

const weights = { blue: 100, green: 0 };
const raised: CapacityRecord = { green: { context: 'apps-green', minimums: { a: [2, 0, 5] } } };
const record: ShiftRecord = { origin: weights, wanted: weights, written: weights, startedAt: 1, raised };
const shift = {
  what: 'FleetTraffic "apps"',
  wanted: weights,
  clusterNames: {},
  capacity: { settings: {}, kubeconfigs: {} },
} as unknown as SplitShift;
const never = () => new Promise<never>(() => undefined);
const ids = Array.from({ length: 40 }, (_, index) => `rule-${index}`);

/** As many rules as a fleet may have, each with a lease and a record of its own. */
function environment(look: Lease['look'], giveBack: () => Promise<undefined>) {
  const calls = { looks: 0, left: [] as (ShiftRecord | undefined)[] };
  const lease: Partial<Lease> = {
    look: () => {
      calls.looks += 1;
      return look();
    },
    acquire: () => Promise.resolve({ record }) as ReturnType<Lease['acquire']>,
    release: (each) => Promise.resolve(void calls.left.push(each)),
  };
  const parts = {
    lease: () => Promise.resolve({ lease, close: () => undefined }),
    capacity: () => ({ prepare: never, giveBack }),
    clock: { now: () => 1, sleep: never },
  };
  return { calls, given: { parts, clients: {} } as unknown as Parameters<typeof settleRecords>[2] };
}

/** What comes of it, and after how many seconds. */
async function timed<T>(work: Promise<T>): Promise<readonly [T | undefined, number]> {
  let answer: readonly [T | undefined, number] | undefined;
  let failure: unknown;
  work.then(
    (found) => (answer = [found, Date.now() / 1000]),
    (error: unknown) => (failure = error),
  );
  for (let second = 0; second < 200 && !answer && failure === undefined; second += 1) {
    await jest.advanceTimersByTimeAsync(1_000);
  }
  expect(failure).toBeUndefined();
  return answer ?? [undefined, Infinity];
}

beforeEach(() => jest.useFakeTimers({ now: 0 }));
afterEach(() => jest.useRealTimers());

test.each([
  ['an update', settleRecords],
  ['what explains an evacuation', evacuationDrift],
])('leases that do not answer keep %s waiting once, whatever the number of rules', async (_, look) => {
  const { calls, given } = environment(never, () => Promise.resolve(undefined));
  const [, seconds] = await timed<unknown>(look(shift, ids, given));
  expect([seconds, calls.looks]).toEqual([15, 8]);
});

test('clusters that do not answer keep an update waiting once, and what they have to give back stays on record', async () => {
  const { calls, given } = environment(() => Promise.resolve({ record }), never);
  const [lines, seconds] = await timed(settleRecords(shift, ids, given));
  expect([seconds, lines]).toEqual([30, [expect.stringContaining('the next run does that')]]);
  expect(calls.left.map((each) => each?.raised)).toEqual(ids.map(() => raised));
});

test('what answers is given back, on every rule', async () => {
  const { calls, given } = environment(
    () => Promise.resolve({ record }),
    () => Promise.resolve(undefined),
  );
  const [lines] = await timed(settleRecords(shift, ids, given));
  expect([lines, calls.left.filter((each) => each?.raised).length, calls.left.length]).toEqual([[], 0, 40]);
});

import type { PlannedShift } from 'cluster-canary/plans';
import { failingCheck } from './bench/pulumi-shift';
import { ShiftCommandBench } from './bench/shift-command';

let bench: ShiftCommandBench;

beforeAll(async () => {
  bench = await ShiftCommandBench.start();
}, 120_000);

const at = (green: number) => ({ blue: 100 - green, green });

/** Three writes. */
const quick: PlannedShift = { step: [10, 50], every: '100ms', checkEvery: '100ms', bake: '0s' };
/** Time enough to be killed in. */
const slow: PlannedShift = { ...quick, every: '2s', checkEvery: '2s' };
const failing: PlannedShift = { ...quick, checks: [failingCheck(0)] };

/** Starts a shift of three steps and kills it after so many writes; for 0 the first one is under way. */
async function killAfter(writes: number, lease?: 'none'): Promise<void> {
  const since = Date.now();
  if (writes === 0) {
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'timeout' });
  }
  const shift = writes === 3 ? { ...slow, every: '100ms', checkEvery: '100ms', bake: '5s' } : slow;
  const running = bench.start('shift', bench.plan({ shift, lease }));
  await (writes === 0 ? bench.begun(since) : bench.written(writes, since));
  running.kill();
  expect((await running.result).status).toBeNull();
  bench.aws.proxy.heal();
}

test('a shift walks to the wanted weights; the slot that was not there enters with 0', async () => {
  const since = Date.now();
  const plan = bench.plan({ shift: quick });
  const { status, stdout } = await bench.run('shift', plan, '--json');
  const outcome = JSON.parse(stdout);
  expect([status, outcome.verdict, outcome.from, outcome.final]).toEqual([0, 'completed', at(0), at(100)]);
  expect(bench.asked(since)).toEqual([at(0), at(10), at(50), at(100)]);
  expect(outcome.writes.map((write: any) => write.weights)).toEqual([at(10), at(50), at(100)]);
  expect(await bench.weights()).toEqual(at(100));
  expect(await bench.lease()).toBeUndefined();
  const again = Date.now();
  expect((await bench.run('shift', plan)).status).toBe(0);
  expect(bench.asked(again)).toEqual([]);
});

test('a dry run writes nothing, neither weights nor a lease', async () => {
  await bench.reset(at(0));
  const since = Date.now();
  const { status, stdout } = await bench.run('shift', bench.plan({ shift: quick }), '--dry-run', '--json');
  const { live, from, steps } = JSON.parse(stdout);
  expect([status, live, from, steps.length]).toEqual([0, true, at(0), 3]);
  expect(bench.aws.proxy.calls.some((call) => call.at >= since)).toBe(true);
  expect(bench.aws.proxy.changes(since)).toEqual([]);
});

describe.each([0, 1, 2, 3])('killed with %i writes done', (writes) => {
  const green = [0, 10, 50, 100][writes]!;

  beforeEach(async () => {
    await bench.reset(at(0));
    await killAfter(writes);
  });

  test('the next run ends where it was to end', async () => {
    expect(await bench.weights()).toEqual(at(green));
    // What a run that goes on needs to know has survived in the lease.
    const { holder, record } = await bench.lease();
    expect(holder).toMatch(/./);
    expect(record).toMatchObject({ origin: at(0), wanted: at(100) });
    expect([record.written, ...(record.before ?? [])]).toContainEqual(at(green));
    await bench.letLeaseExpire();
    const since = Date.now();
    const { status, stdout } = await bench.run('shift', bench.plan({ shift: quick }), '--json');
    const outcome = JSON.parse(stdout);
    expect([status, outcome.verdict, outcome.from]).toEqual([0, 'completed', at(0)]);
    expect(await bench.weights()).toEqual(at(100));
    expect(bench.asked(since)).toEqual([at(10), at(50), at(100)].slice(writes));
    expect(await bench.lease()).toBeUndefined();
  });

  test('the next run, with a failing check, ends where the traffic was before', async () => {
    await bench.letLeaseExpire();
    const { status, stdout, stderr } = await bench.run('shift', bench.plan({ shift: failing }), '--json');
    expect([status, stderr]).toEqual([1, expect.stringContaining('errors')]);
    expect(JSON.parse(stdout).final).toEqual(at(0));
    expect(await bench.weights()).toEqual(at(0));
  });
});

test('without a lease, a run after a kill goes on from the live weights', async () => {
  await bench.reset(at(0));
  await killAfter(2, 'none');
  expect(await bench.weights()).toEqual(at(50));
  const { status } = await bench.run('shift', bench.plan({ shift: quick, lease: 'none' }));
  expect([status, await bench.weights()]).toEqual([0, at(100)]);
});

test('of two at once the second is refused: it says who holds the lease, and writes nothing', async () => {
  await bench.reset(at(0));
  const since = Date.now();
  const plan = bench.plan({ shift: slow });
  const first = bench.start('shift', plan);
  await bench.written(1, since);
  const second = await bench.run('shift', plan, '--json');
  expect(second.status).toBe(2);
  const { holder } = await bench.lease();
  expect(`${second.stdout}${second.stderr}`).toContain(holder);
  expect((await first.result).status).toBe(0);
  expect(bench.asked(since)).toEqual([at(10), at(50), at(100)]);
});

test('of two at once without a lease the second finds weights that are not its own, and stops', async () => {
  await bench.reset(at(0));
  const since = Date.now();
  const [one, other] = await Promise.all(
    ['400ms', '700ms'].map((every) =>
      bench.run('shift', bench.plan({ shift: { ...quick, every, checkEvery: every }, lease: 'none' })),
    ),
  );
  const statuses = [one!.status, other!.status];
  expect(statuses).toContain(1);
  expect(`${one!.stdout}${other!.stdout}`).toContain('Somebody else changed the weights');
  // Nobody has written what the other one did not expect: weights only rise.
  const greens = bench.asked(since).map(({ green }) => green!);
  expect(greens).toEqual([...greens].sort((a, b) => a - b));
});

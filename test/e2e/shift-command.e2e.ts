import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedShift } from 'cluster-canary/plan-file';
import { silentCases, silentCheck, silentPrometheus, silentShift } from '../shift/checks/silent-prometheus';
import type { AwsFault } from './bench/aws-proxy-faults';
import { onCleanUp } from './bench/clean-up';
import { eventually } from './bench/eventually';
import { failingCheck } from './bench/pulumi-shift';
import { redirections, startOnTerminal, startRedirected } from './bench/redirected-command';
import { ShiftCommandBench } from './bench/shift-command';

let bench: ShiftCommandBench;

beforeAll(async () => {
  bench = await ShiftCommandBench.start();
});

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
  expect(await bench.lease()).toMatchObject({ expiresAt: 0, record: { ended: { verdict: 'completed' } } });
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
    expect((await bench.lease()).record).toMatchObject({ origin: at(0), ended: { verdict: 'completed' } });
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
  expect(`${one!.stdout}${other!.stdout}`).toContain('Another process changed the weights');
  // Nobody has written what the other one did not expect: weights only rise.
  const greens = bench.asked(since).map(({ green }) => green!);
  expect(greens).toEqual([...greens].sort((a, b) => a - b));
});

describe('a shift back, after one that was killed in its bake and never run again', () => {
  const back = { blue: 100, green: 0 };

  /** The way back, with a check that fails as soon as blue has traffic. */
  const failingBack = () => bench.plan({ weights: back, shift: { ...quick, checks: [failingCheck(0)] } });

  beforeEach(async () => {
    await bench.reset(at(0));
    await killAfter(3);
    expect(await bench.weights()).toEqual(at(100));
    await bench.letLeaseExpire();
  });

  test('that fails ends where it began, with everything on green', async () => {
    const { status, stdout } = await bench.run('shift', failingBack(), '--json');
    const outcome = JSON.parse(stdout);
    expect([status, outcome.verdict, outcome.from, outcome.final]).toEqual([
      1,
      'rolledBack',
      at(100),
      at(100),
    ]);
    expect(await bench.weights()).toEqual(at(100));
  });

  test('that fails ends there without a record, too: the control', async () => {
    await bench.run('shift', bench.plan({}), '--forget');
    const { status } = await bench.run('shift', failingBack());
    expect([status, await bench.weights()]).toEqual([1, at(100)]);
  });

  test('writes what its dry run says, which shows the record', async () => {
    const plan = bench.plan({ weights: back, shift: quick });
    const dry = JSON.parse((await bench.run('shift', plan, '--dry-run', '--json')).stdout);
    expect(dry.record).toMatchObject({ use: 'startsAnew', from: at(0), to: at(100), ended: null });
    const since = Date.now();
    expect((await bench.run('shift', plan)).status).toBe(0);
    expect(bench.asked(since)).toEqual(dry.steps.map((step: any) => step.weights));
    expect(bench.asked(since)).toEqual([at(90), at(50), at(0)]);
  });
});

test('--roll-back after a complete shift moves nothing, is status 2, and says what to do', async () => {
  await bench.reset(at(0));
  const plan = bench.plan({ shift: quick });
  expect((await bench.run('shift', plan)).status).toBe(0);
  const since = Date.now();
  const { status, stdout } = await bench.run('shift', plan, '--roll-back', 'green is bad', '--json');
  expect([status, JSON.parse(stdout)]).toMatchObject([
    2,
    { verdict: 'aborted', noRecord: true, final: at(100) },
  ]);
  expect(bench.asked(since)).toEqual([]);
  // The control: a record that was kept.
  await bench.reset(at(0));
  expect((await bench.run('shift', plan, '--keep-record')).status).toBe(0);
  expect((await bench.run('shift', plan, '--roll-back', 'green is bad')).status).toBe(0);
  expect(await bench.weights()).toEqual(at(0));
});

test('a complete shift whose record can not be marked as ended is no success, and harms no later one', async () => {
  await bench.reset(at(0));
  const since = Date.now();
  const running = bench.start('shift', bench.plan({ shift: { ...quick, bake: '3s' } }), '--json');
  await bench.written(3, since);
  bench.aws.proxy.fail({ action: 'PutParameter', fault: 'accessDenied', times: 100 });
  const { status, stdout } = await running.result;
  expect([status, JSON.parse(stdout)]).toMatchObject([
    1,
    { verdict: 'completed', leaseProblem: expect.anything() },
  ]);
  bench.aws.proxy.heal();
  await bench.letLeaseExpire();
  const failing = { weights: { blue: 100, green: 0 }, shift: { ...quick, checks: [failingCheck(0)] } };
  expect((await bench.run('shift', bench.plan(failing))).status).toBe(1);
  expect(await bench.weights()).toEqual(at(100));
});

describe('a write that goes wrong at half of the way', () => {
  const trouble: [string, AwsFault, number][] = [
    ['throttling', 'throttling', 3],
    ['no answer', 'timeout', 1],
    ['a lost answer', 'answerLost', 1],
    ["a proxy's page", { page: 200 }, 2],
    ['a fault of AWS', { status: 503 }, 2],
  ];
  /** Until the third write, which goes wrong so often. */
  const begin = (fault: AwsFault, times: number) => {
    bench.aws.proxy.fail({ action: 'ModifyRule', fault, times, skip: 2 });
    return bench.start('shift', bench.plan({ shift: { ...quick, step: [10, 50, 75] } }), '--json');
  };

  beforeEach(() => bench.reset(at(0)));

  test.each(trouble)('%s: the shift goes on, with a look before each request', async (_, fault, times) => {
    const since = Date.now();
    const { status, stdout } = await begin(fault, times).result;
    expect([status, JSON.parse(stdout).final]).toEqual([0, at(100)]);
    const lost = fault === 'answerLost' ? 0 : times;
    expect(bench.asked(since)).toEqual([
      ...[at(10), at(50), at(75)],
      ...Array.from({ length: lost }, () => at(75)),
      at(100),
    ]);
    expect(bench.looksBeforeWrites(since)).toEqual(bench.asked(since).map(() => expect.any(Number)));
    expect(Math.min(...bench.looksBeforeWrites(since))).toBeGreaterThanOrEqual(2);
  });

  test.each(trouble)('%s: what an operator sets meanwhile stays', async (_, fault, times) => {
    const since = Date.now();
    const running = begin(fault, times);
    await bench.begun(since, 3);
    await bench.settled();
    await bench.set(at(0));
    const asked = bench.asked(since).length;
    const { status, stdout } = await running.result;
    const { verdict, final, reason } = JSON.parse(stdout);
    expect([status, verdict, final]).toEqual([1, 'aborted', at(0)]);
    expect(reason).toContain('Another process changed the weights');
    expect(bench.asked(since)).toHaveLength(asked);
    expect(await bench.weights()).toEqual(at(0));
  });
});

test.each([true, false])(
  'a process that is stopped between its look and its write looks again: an operator %s',
  async (operates) => {
    await bench.reset(at(0));
    // The router's own look before the third write: it is stopped while the answer is on its way.
    bench.aws.proxy.fail({ action: 'DescribeRules', fault: { latency: 700 }, skip: 999 });
    const since = Date.now();
    const running = bench.start(
      'shift',
      bench.plan({ shift: { ...quick, step: [10, 50, 75], every: '2s' } }),
      '--json',
    );
    await bench.written(2, since);
    bench.aws.proxy.heal();
    bench.aws.proxy.fail({ action: 'DescribeRules', fault: { latency: 700 }, skip: 1 });
    const looked = bench.looks(since);
    await bench.looked(looked + 2, since);
    // The look is answered from the rule as it is now, and the process does not hear of it yet.
    running.pause(true);
    await sleep(1_000);
    if (operates) {
      await bench.set(at(0));
    }
    await sleep(5_000);
    running.pause(false);
    const { status, stdout } = await running.result;
    const { verdict, final } = JSON.parse(stdout);
    expect([status, verdict, final]).toEqual(operates ? [1, 'aborted', at(0)] : [0, 'completed', at(100)]);
    expect(await bench.weights()).toEqual(operates ? at(0) : at(100));
    expect(bench.looks(since)).toBeGreaterThan(looked + 2);
  },
);

/** Half of green's requests fail, but in the controls; what the source says of them differs. */
test.each(silentCases)('a query of errors: $name', async (silent) => {
  await bench.reset(at(0));
  const service = await silentPrometheus(silent);
  onCleanUp(() => service.close());
  const since = Date.now();
  const shift: PlannedShift = { ...silentShift, checks: [silentCheck(service, silent)] };
  const { status, stdout } = await bench.run('shift', bench.plan({ shift }), '--json');
  const { verdict, final } = JSON.parse(stdout);
  const completed = silent.ends === 'completed';
  expect([status, verdict === 'completed', final]).toEqual([
    completed ? 0 : 1,
    completed,
    at(completed ? 100 : 0),
  ]);
  expect(await bench.weights()).toEqual(final);
  // Green may be put on the rule with 0, and gets nothing.
  const gained = bench.asked(since).filter(({ green }) => green! > 0);
  expect(gained.length > 0).toBe(silent.ends !== 'neverBegun');
});

/** Fails at 50 %. */
const failingLate: PlannedShift = { ...quick, checks: [failingCheck(50)] };
const noHolder = async (): Promise<boolean> => (await bench.lease())?.holder === undefined;

describe('a log that can not be written', () => {
  test.each(Object.entries(redirections))(
    'keeps no rollback from its end, nor a shift from its own: %s',
    async (_what, script) => {
      for (const [shift, asked, status] of [
        [failingLate, [10, 50, 0], 1],
        [quick, [10, 50, 100], script.includes('"$OUT"') ? 0 : 1],
      ] as const) {
        await bench.reset(at(0));
        const since = Date.now();
        const plan = bench.plan({ shift });
        const { result } = startRedirected(script, bench.aws.env, 'shift', plan, '--json');
        expect((await result).status).toBe(status);
        expect(bench.asked(since)).toEqual(asked.map(at));
        expect(await bench.weights()).toEqual(at(asked[2]));
        expect(await noHolder()).toBe(true);
      }
    },
  );

  test('a terminal that takes nothing more, as after ctrl-S, holds nothing up', async () => {
    await bench.reset(at(0));
    const since = Date.now();
    // More lines than a terminal takes.
    const steps: PlannedShift = { ...quick, step: 1, every: '40ms', checkEvery: '40ms' };
    const shift = { ...steps, checks: [failingCheck(90)] };
    const running = startOnTerminal(bench.aws.env, 'shift', bench.plan({ shift }), '--json');
    await eventually(
      'the rollback',
      async () => (await bench.weights()).green === 0 && bench.asked(since).length > 50,
      {},
    );
    await eventually('the lease to be given back', noHolder);
    running.readTerminal();
    expect((await running.result).status).toBe(1);
  });
});

describe('SIGHUP', () => {
  const shift: PlannedShift = { ...slow, every: '1m', onInterrupt: 'rollback' };

  test.each(['good', 'a full disk for stderr'] as const)(
    'ends it as SIGTERM does, however often it comes: %s',
    async (what) => {
      for (const signals of [['SIGTERM'], ['SIGHUP', 'SIGHUP', 'SIGHUP']] as const) {
        await bench.reset(at(0));
        const since = Date.now();
        const plan = bench.plan({ shift });
        const running = startRedirected(redirections[what], bench.aws.env, 'shift', plan, '--json');
        await bench.written(1, since);
        for (const signal of signals) {
          running.signal(signal);
          // All of them before the rollback is done: Node.js hears none any more while it ends.
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        const { status, stdout } = await running.result;
        expect([status, JSON.parse(stdout).verdict]).toEqual([130, 'rolledBack']);
        expect(bench.asked(since)).toEqual([at(10), at(0)]);
        expect(await noHolder()).toBe(true);
      }
    },
  );

  test('a terminal that is closed ends it so', async () => {
    await bench.reset(at(0));
    const since = Date.now();
    const running = startOnTerminal(bench.aws.env, 'shift', bench.plan({ shift }), '--json');
    await bench.written(1, since);
    running.closeTerminal();
    const { status, stdout } = await running.result;
    expect([status, JSON.parse(stdout).verdict]).toEqual([130, 'rolledBack']);
    expect(bench.asked(since)).toEqual([at(10), at(0)]);
    expect(await noHolder()).toBe(true);
  });
});

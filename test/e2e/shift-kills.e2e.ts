import type { LeaseSettings } from '../../lib/shift/leases';
import { eventually } from './bench/eventually';
import type { LiveWeights, ShiftBench } from './bench/pulumi-shift';
import { failingCheck, quick, shiftBench } from './bench/pulumi-shift';
import type { ShiftProgramOptions } from './bench/shift-program';

let bench: ShiftBench;

beforeAll(async () => {
  bench = await shiftBench();
});

const weights = { blue: 0, green: 100 };
const at = (green: number): LiveWeights => ({ 'blue-web': 100 - green, 'green-web': green });

/** Time enough to be killed in. */
const slow = { ...quick, every: '1500ms', checkEvery: '1500ms', bake: '1500ms' };
const failing = { weights, shift: { ...quick, checks: [failingCheck(0)] } };

const up = (options: Partial<ShiftProgramOptions> = {}) =>
  bench.stack.up({ program: bench.program({ shift: quick, ...options }) });

/** All of the traffic on blue, in Pulumi's state, too. */
async function onBlue(options: Partial<ShiftProgramOptions> = {}): Promise<void> {
  bench.aws.proxy.heal();
  const program = bench.program({ shift: false, ...options });
  expect(await bench.stack.up({ program, refresh: true })).toMatchObject({ succeeded: true });
}

/** Runs `up` in a process of its own and kills that, and the engine, after so many writes; the next is under way for 0. */
async function killAfter(writes: number, options: Partial<ShiftProgramOptions> = {}): Promise<void> {
  const since = Date.now();
  if (writes === 0) {
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'timeout' });
  }
  const killed = bench.stack.up({ program: bench.file({ weights, shift: slow, ...options }) });
  await (writes === 0
    ? eventually('the first write', () =>
        bench.aws.proxy.callsOf('ModifyRule').some((call) => call.at >= since),
      )
    : bench.written(writes, since));
  await bench.kill();
  expect((await killed).succeeded).toBe(false);
}

const places = [0, 10, 50, 100];
const leases: [string, LeaseSettings | undefined, number[]][] = [
  ['with the lease', undefined, [0, 1, 2, 3]],
  // Pulumi's state knows the origin; one place in the middle shows that nothing rests on the lease.
  ['without a lease', 'none', [0, 2]],
];
const kills = leases.flatMap(([words, lease, after]) =>
  after.map((writes) => [writes, words, lease] as const),
);

test.each(kills)(
  'killed after %i writes, %s: a run with a failing check ends where the traffic was before',
  async (writes, _words, lease) => {
    await onBlue();
    await killAfter(writes, { shift: { ...slow, lease } });
    expect(await bench.weights()).toEqual(at(places[writes]!));
    expect(await bench.stateWeights()).toEqual(at(0));
    const since = Date.now();
    expect((await up({ ...failing, shift: { ...failing.shift, lease } })).succeeded).toBe(false);
    expect(bench.writes(since).at(-1)).toEqual(at(0));
    expect(await bench.weights()).toEqual(at(0));
    expect(await bench.stateWeights()).toEqual(at(0));
  },
);

test('killed: the next run goes on where it stopped, and ends where it would have ended', async () => {
  await onBlue();
  await killAfter(2);
  const since = Date.now();
  expect(await up({ weights })).toMatchObject({ succeeded: true, errors: [] });
  expect(bench.writes(since)).toEqual([at(100), at(100)]);
  expect(await bench.stateWeights()).toEqual(at(100));
});

test('killed, and the program then went back: up fails until the state knows, and then goes back', async () => {
  await onBlue();
  await killAfter(2);
  expect((await up()).errors.join('\n')).toMatch(
    /live blue 50, green 50, wanted blue 100, green 0[^]*up --refresh/,
  );
  const since = Date.now();
  const program = bench.program({ shift: quick });
  expect(await bench.stack.up({ program, refresh: true })).toMatchObject({ succeeded: true, errors: [] });
  expect(bench.writes(since).at(-1)).toEqual(at(0));
});

describe('killed between two routes that move together', () => {
  const two = { routes: { web: {}, api: {} } };
  const greens = async () => [(await bench.weights(10))['green-web'], (await bench.weights(11))['green-api']];

  test.each([
    ['goes on', quick, [100, 100], true],
    ['goes back with a failing check', failing.shift, [0, 0], false],
  ])('the next run %s with both', async (_what, shift, ends, succeeds) => {
    await onBlue(two);
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'timeout', skip: 3 });
    const since = Date.now();
    const killed = bench.stack.up({ program: bench.file({ ...two, weights, shift: slow }) });
    const calls = () => bench.aws.proxy.callsOf('ModifyRule').filter((call) => call.at >= since);
    await eventually('the fourth write', () => calls().length >= 4);
    await bench.kill();
    await killed;
    expect(await greens()).toEqual([50, 10]);
    expect((await up({ ...two, weights, shift })).succeeded).toBe(succeeds);
    expect(await greens()).toEqual(ends);
  });
});

describe('an interrupt', () => {
  test.each<[string, Partial<ShiftProgramOptions['shift'] & object>, number]>([
    ['holds', {}, 10],
    ['rolls back where that is wanted', { onInterrupt: 'rollback' }, 0],
  ])('of plain pulumi up %s, before the program is killed', async (_what, more, green) => {
    await onBlue();
    const since = Date.now();
    const interrupt = new AbortController();
    const running = bench.stack.previewAndUp({
      program: bench.file({ weights, shift: { ...slow, every: '1m', ...more } }),
      signal: interrupt.signal,
    });
    await bench.written(1, since);
    const interrupted = Date.now();
    interrupt.abort();
    const { succeeded, log } = await running;
    expect(Date.now() - interrupted).toBeLessThan(5_000);
    expect(succeeded).toBe(false);
    expect(log).toMatch(green === 10 ? /was held where it was/ : /was rolled back/);
    expect(await bench.weights()).toEqual(at(green));
    expect(await bench.stateWeights()).toEqual(at(0));
    await bench.stack.stack.cancel();
    expect(await up({ weights })).toMatchObject({ succeeded: true, errors: [] });
    expect(await bench.weights()).toEqual(at(100));
  });

  test('of an inline program that hears it holds, and the engine updates nothing', async () => {
    await onBlue();
    const since = Date.now();
    const interrupt = new AbortController();
    const running = bench.stack.up({
      program: bench.program({ weights, shift: { ...slow, every: '1m' } }),
      signal: interrupt.signal,
    });
    await bench.written(1, since);
    interrupt.abort();
    process.emit('SIGINT', 'SIGINT');
    const { succeeded, errors } = await running;
    expect(succeeded).toBe(false);
    expect(errors.join('\n')).toMatch(/was held where it was[^]*Live weights: blue 90, green 10/);
    expect(await bench.weights()).toEqual(at(10));
    expect(await bench.stateWeights()).toEqual(at(0));
    expect(process.listenerCount('SIGINT')).toBe(0);
  });
});

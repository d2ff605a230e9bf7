import { LeaseTaken } from '../../../lib/shift/engine';
import { StoreKeeper } from '../../../lib/operate/swap/store-keeper';
import { SwapWorld } from './driver-world';
import { hour, minute, planOf, t0 } from './machine/plans';

describe('a machine that sleeps, beside a phase that waits', () => {
  /** Sleeps two hours in the first wait in which this is so. */
  const sleepsOnce = (world: SwapWorld, isNow: () => boolean): void => {
    let hasSlept = false;
    Object.assign(world.clock, {
      sleep: (milliseconds: number) => {
        const isAsleep = !hasSlept && isNow();
        hasSlept ||= isAsleep;
        world.now += milliseconds + (isAsleep ? 2 * hour : 0);
        return new Promise((resolve) => setImmediate(resolve));
      },
    });
  };
  /** What is left of the phase's time is at least a second in any case: a check takes longer. */
  const afterTwoSeconds = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 2_000);
      signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)));
    });

  test('a soak has all of its time-out when it wakes up', async () => {
    const world = new SwapWorld();
    world.plan = planOf({}, { soak: { leastMs: 24 * hour, everyMs: 6 * hour } });
    let asked = 0;
    world.answers = {
      soak: async (_run, signal) => {
        asked += 1;
        await (asked === 2 ? afterTwoSeconds(signal) : undefined);
        return { passed: true };
      },
    };
    sleepsOnce(world, () => asked === 1 && world.now > t0 + 6 * hour - 5 * minute);
    expect(await world.run()).toMatchObject({ verdict: 'completed' });
  });

  test('the time that it slept is none of a soak with checks', async () => {
    const world = new SwapWorld();
    world.plan = planOf({}, { soak: { leastMs: 24 * hour, everyMs: hour } });
    let asked = 0;
    world.answers = {
      soak: () => {
        asked += 1;
        return { passed: true };
      },
    };
    sleepsOnce(world, () => asked === 1);
    const { verdict, record } = await world.run();
    const soak = record?.done.find(({ phase }) => phase === 'soak');
    expect([verdict, asked, soak!.endedAt - soak!.startedAt]).toEqual(['completed', 25, 24 * hour]);
    expect(world.lines).toContainEqual(
      expect.stringMatching(/^This machine slept for 1h.*: soak takes so much longer\.$/),
    );
  });

  test('a soak that began by a clock that was ahead is as long as it has to be', async () => {
    const world = new SwapWorld();
    world.plan = planOf({}, { soak: { leastMs: 24 * hour, everyMs: hour } });
    let asked = 0;
    world.answers = {
      soak: () => {
        asked += 1;
        return { passed: true };
      },
    };
    let isSet = false;
    sleepsOnce(world, () => {
      world.now -= asked === 1 && !isSet ? 30 * 24 * hour : 0;
      isSet = asked === 1;
      return false;
    });
    expect((await world.run()).verdict).toBe('completed');
    expect(asked).toBeLessThan(60);
  });

  test('a phase that is asked again has as much left as before', async () => {
    const world = new SwapWorld();
    let asked = 0;
    world.answers = {
      deliver: async (_run, signal) => {
        asked += 1;
        await (asked === 2 ? afterTwoSeconds(signal) : undefined);
        return asked === 2 ? { passed: true } : { passed: false, reason: 'not yet', final: false };
      },
    };
    sleepsOnce(world, () => asked === 1);
    expect(await world.run()).toMatchObject({ verdict: 'completed' });
  });

  test('a drain does not begin once another process has the lease', async () => {
    const world = new SwapWorld();
    const store = world.store();
    let isTaken = false;
    const outcome = await world.run({
      store: {
        ...store,
        keep: (record, signal) =>
          isTaken ? Promise.reject(new LeaseTaken('the lease', 'bo@laptop', 0)) : store.keep(record, signal),
      },
      observer: {
        log: ({ text }) => world.lines.push(text),
        action: (action) => void (isTaken ||= action.type === 'run' && action.phase === 'drain'),
      },
    });
    expect([outcome.verdict, world.done.includes('drain blue')]).toEqual(['aborted', false]);
  });

  test('a clock that is set back does not keep the lease from being kept', async () => {
    const world = new SwapWorld();
    const store = world.store();
    let kept = 0;
    const acquire = (signal: AbortSignal) => {
      kept += 1;
      return store.acquire(signal);
    };
    const keeper = new StoreKeeper({
      ...{ store: { ...store, acquire }, clock: world.clock, random: () => 0 },
      ...{ onLost: () => undefined, say: () => undefined },
    });
    await keeper.acquire(new AbortController().signal);
    keeper.keepIfDue();
    world.now -= hour;
    keeper.keepIfDue();
    // That is by the clock as it is now.
    keeper.keepIfDue();
    expect(kept).toBe(1);
    await keeper.release();
    expect(kept).toBe(2);
  });

  test('a clock that is set back makes no pause longer', async () => {
    const world = new SwapWorld();
    let asked = 0;
    world.answers = {
      deliver: () => {
        asked += 1;
        return asked === 2 ? { passed: true } : { passed: false, reason: 'not yet', final: false };
      },
    };
    let slept = 0;
    Object.assign(world.clock, {
      sleep: (milliseconds: number) => {
        world.now += slept === 0 ? -3 * hour : milliseconds;
        slept += milliseconds;
        return new Promise((resolve) => setImmediate(resolve));
      },
    });
    expect([(await world.run()).verdict, asked]).toEqual(['completed', 2]);
    expect(slept).toBeLessThan(5 * minute);
  });
});

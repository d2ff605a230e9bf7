import { memorySwapStore } from '../../../lib/operate/swap';
import type { SwapRecord } from '../../../lib/operate/swap';
import { askBack } from '../../../lib/operate/swap/ask-back';
import type { BackRequest } from '../../../lib/operate/swap/answers/answer-record';
import { BackWatch } from '../../../lib/operate/swap/back-watch';
import type { BackRequests } from '../../../lib/operate/swap/swap-run';
import { Killed, SwapWorld } from './driver-world';
import { hour, planOf, seenOf } from './machine/plans';

const soaking = (): SwapWorld => {
  const world = new SwapWorld();
  world.plan = planOf({}, { soak: { leastMs: 24 * hour, timeoutMs: hour, everyMs: hour } });
  return world;
};

describe('a run that is asked to go back', () => {
  /** Asks once something was done. */
  const after =
    (world: SwapWorld, done: string, then: 'keep' | 'delete' = 'keep'): BackRequests =>
    () =>
      Promise.resolve(world.done.includes(done) ? { by: 'bo@phone', then } : undefined);

  test.each([
    ['keep', /^bo@phone requested a rollback\.\nblue \(1\.35\) has all traffic\. green stays for a look/],
    [
      'delete',
      /^bo@phone requested a rollback\.\nblue \(1\.35\) has all traffic\. There is no other cluster/,
    ],
  ] as const)('in its soak does so at once: %s', async (then, reason) => {
    const world = soaking();
    const outcome = await world.run({ askedBack: after(world, 'soak green', then) });
    expect(outcome).toMatchObject({ verdict: 'rolledBack', reason: expect.stringMatching(reason) });
    expect(outcome.endedAt - outcome.startedAt).toBeLessThan(2 * hour);
    expect(world.done.filter((line) => line.startsWith('soak'))).toHaveLength(1);
    expect(world.seen).toEqual(
      then === 'keep' ? seenOf({ blue: ['1.35', 100], green: ['1.36', 0] }) : seenOf({ blue: ['1.35', 100] }),
    );
    expect(world.memory).toMatchObject({ record: { ended: { verdict: 'rolledBack' } } });
    expect(world.memory.holder).toBeUndefined();
  });

  test('too late, while the begin of its delete is being written: that may be there already', async () => {
    // The watch looks by timers, also while something is written.
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'setTimeout', 'clearTimeout', 'Date', 'nextTick', 'queueMicrotask'],
    });
    try {
      const world = new SwapWorld();
      let isWriting = false;
      const store = world.store();
      const keep = async (record: SwapRecord, signal: AbortSignal): Promise<void> => {
        isWriting = record.phase === 'delete' && record.phaseStartedAt !== undefined;
        if (isWriting) {
          await jest.advanceTimersByTimeAsync(11_000);
        }
        await store.keep(record, signal);
      };
      const askedBack = () => Promise.resolve(isWriting ? ({ by: 'bo', then: 'keep' } as const) : undefined);
      expect(await world.run({ store: { ...store, keep }, askedBack })).toMatchObject({
        verdict: 'completed',
      });
    } finally {
      jest.useRealTimers();
    }
  });

  test('goes back once, also where a look at the fleet takes longer than the pause between two questions', async () => {
    const world = soaking();
    let looks = 0;
    const outcome = await world.run({
      askedBack: after(world, 'soak green'),
      observe: () => {
        looks += 1;
        world.now += 12_000;
        // It would not end otherwise.
        return looks < 100
          ? Promise.resolve({ ...world.seen, configuration: world.configuration })
          : Promise.reject(new Error('asked for ever'));
      },
    });
    expect([outcome.verdict, world.lines.filter((line) => /^The way back: blue gets/.test(line))]).toEqual([
      'rolledBack',
      ['The way back: blue gets all traffic.'],
    ]);
  });

  test('in any phase before delete ends on the old slot, and the record is whole', async () => {
    const phases = ['ready green', 'deliver green', 'try green', 'prescale green', 'drain blue'];
    for (const done of phases) {
      const world = new SwapWorld();
      const takesTime = (): { passed: true } => ({ passed: ((world.now += hour), true) });
      world.plan = planOf({}, { soak: { timeoutMs: 24 * hour } });
      world.answers = Object.fromEntries(
        ['ready', 'deliver', 'try', 'prescale', 'drain'].map((phase) => [phase, takesTime]),
      );
      const outcome = await world.run({ askedBack: after(world, done) });
      expect([done, outcome.verdict]).toEqual([done, 'rolledBack']);
      expect(world.seen.live).toEqual({ blue: 100 });
    }
  });

  test('whose delete has begun does not ask', async () => {
    const world = new SwapWorld();
    let asked = 0;
    const askedBack: BackRequests = () => {
      asked += world.done.includes('Swap 1.35 to 1.36: slot blue goes') ? 1 : 0;
      return Promise.resolve(
        world.memory.record?.phase === 'delete' ? { by: 'bo', then: 'keep' } : undefined,
      );
    };
    // A deployment that has not ended by then: what it deletes is not known.
    expect(await world.run({ askedBack })).toMatchObject({ verdict: 'completed' });
    expect(asked).toBe(0);
  });

  test('while it was killed goes back when it is run again', async () => {
    const world = soaking();
    const dies = (): void => {
      if (world.done.includes('soak green')) {
        throw new Killed();
      }
    };
    expect(await world.killed({ observer: { action: dies, event: dies } })).toBe(true);
    const outcome = await world.run({ askedBack: after(world, 'soak green') });
    expect(outcome).toMatchObject({ verdict: 'rolledBack' });
    expect(world.seen.live).toEqual({ blue: 100 });
  });

  test('by what can not be read goes on, and says so once', async () => {
    const world = new SwapWorld();
    const outcome = await world.run({ askedBack: () => Promise.reject(new Error('no answer')) });
    expect(outcome.verdict).toBe('completed');
    expect(world.lines.filter((line) => line.includes('could not be read: no answer'))).toHaveLength(1);
  });
});

describe('a call that takes hours', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('is ended by a request, once', async () => {
    const found: string[] = [];
    const record = { id: 'swap-1', phase: 'shift' } as SwapRecord;
    let request: Awaited<ReturnType<BackRequests>>;
    const watch = new BackWatch({
      askedBack: () => Promise.resolve(request),
      clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
      record: () => record,
      onFound: () => found.push('turn'),
      say: () => undefined,
    });
    watch.begin();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(found).toEqual([]);
    request = { by: 'bo', then: 'keep' };
    await jest.advanceTimersByTimeAsync(60_000);
    expect(found).toEqual(['turn']);
    expect(watch.take()).toEqual(request);
    expect(watch.isFound).toBe(false);
    const timers = jest.getTimerCount();
    watch.stop();
    expect(jest.getTimerCount()).toBe(timers - 1);
  });
});

describe('who wants another process to go back', () => {
  const never = new AbortController().signal;

  async function asking(world: SwapWorld, signal = never) {
    const requests: BackRequest[] = [];
    const lines: string[] = [];
    await askBack({
      store: memorySwapStore({ memory: world.memory, holder: 'me', clock: world.clock }),
      answers: { askBack: (request) => Promise.resolve(void requests.push(request)) },
      ...{ by: 'bo@phone', then: 'keep', say: (line) => lines.push(line), clock: world.clock, signal },
    });
    return { requests, lines };
  }

  test('asks it, and waits until its lease has expired', async () => {
    const world = soaking();
    const dies = (): void => {
      if (world.done.includes('soak green')) {
        throw new Killed();
      }
    };
    await world.killed({ observer: { action: dies, event: dies } });
    const { id } = world.memory.record!;
    world.memory.expiresAt = world.now + 130_000;
    const begun = world.now;
    const { requests, lines } = await asking(world);
    expect(requests).toEqual([{ swap: id, by: 'bo@phone', then: 'keep' }]);
    expect(world.now - begun).toBe(130_000);
    expect(lines).toEqual([
      `run 1 runs swap ${id}: it is asked to go back, and this run waits until it has ended.`,
      expect.stringMatching(/^run 1 still runs it, at soak; its lease lasts until /),
      expect.stringMatching(/^run 1 still runs it, at soak; its lease lasts until /),
    ]);
  });

  test.each<[string, (world: SwapWorld) => void]>([
    ['no one runs it', (world) => (world.memory.expiresAt = 0)],
    ['no swap is open', (world) => delete world.memory.record],
    [
      'its delete has begun',
      (world) =>
        Object.assign(world.memory, {
          expiresAt: world.now + hour,
          record: { ...world.memory.record!, phase: 'delete', phaseStartedAt: world.now },
        }),
    ],
  ])('asks nothing where %s', async (_, change) => {
    const world = soaking();
    await world.run({ waits: false });
    Object.assign(world.memory, { holder: 'other', expiresAt: world.now + hour });
    change(world);
    expect(await asking(world)).toEqual({ requests: [], lines: [] });
  });

  test('does not wait for ever where it is interrupted', async () => {
    const world = soaking();
    await world.run({ waits: false });
    Object.assign(world.memory, { holder: 'other', expiresAt: world.now + 1_000_000 * hour });
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 50);
    const { requests } = await asking(world, interrupt.signal);
    expect(requests).toHaveLength(1);
  });
});

describe('why a run has stopped', () => {
  test('is in the record until the next one begins', async () => {
    const world = soaking();
    const first = await world.run({ waits: false });
    expect(world.memory.record!.stopped).toEqual({
      ...{ at: world.now, by: 'ana@laptop', verdict: 'held', reason: first.reason },
    });
    expect(first.record).toEqual(world.memory.record);
    let during: SwapRecord | undefined;
    world.now += 25 * hour;
    const more = await world.run({
      observer: {
        action: (action) => {
          during ??= action.type === 'record' ? action.record : undefined;
        },
      },
    });
    expect(during).toBeDefined();
    expect(during).not.toHaveProperty('stopped');
    expect(more.record).not.toHaveProperty('stopped');
  });

  test('is there where it is aborted, and is not written where another process has the lease', async () => {
    const world = soaking();
    await world.run({ waits: false });
    const { record } = world.memory;
    world.configuration = { ...world.configuration, slots: { ...world.configuration.slots, red: '1.36' } };
    await world.run();
    expect(world.memory.record!.stopped).toMatchObject({
      verdict: 'aborted',
      reason: expect.stringContaining('red'),
    });
    Object.assign(world.memory, { holder: 'other', expiresAt: world.now + hour, record });
    await world.run();
    expect(world.memory.record).toEqual(record);
  });
});

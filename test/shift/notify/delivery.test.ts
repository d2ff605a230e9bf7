import type { Clock } from '../../../lib/core/async';
import { DeliveryFailed, Notifier, deliveryLines, openNotifier } from '../../../lib/shift/notify';
import { Delivery } from '../../../lib/shift/notify/delivery';
import { answered, ended, step, toySink } from './events';

/** Never waits, and remembers for how long it should have. */
function quickClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => 0,
    sleep: (milliseconds) => {
      slept.push(milliseconds);
      return Promise.resolve();
    },
  };
}

const steady = { random: () => 0 };

/** A call that is never answered, and ends where it is aborted. */
function hangs(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

test('delivers in order, also what comes while it is busy', async () => {
  const sink = toySink(() => new Promise((resolve) => setImmediate(resolve)));
  const delivery = new Delivery(sink);
  [1, 2, 3].forEach((index) => delivery.add(step(index)));
  await new Promise((resolve) => setImmediate(resolve));
  delivery.add(ended(4));
  expect(await delivery.end(5_000)).toEqual({ sink: 'toy', delivered: 4, undelivered: 0 });
  expect(sink.got).toEqual(['r1/1', 'r1/2', 'r1/3', 'r1/4']);
});

test('tries again with growing pauses, and as late as the service says', async () => {
  const errors: (Error | undefined)[] = [
    new Error('connection refused'),
    new DeliveryFailed('busy', { retryAfterMs: 7_000 }),
    undefined,
  ];
  const clock = quickClock();
  const sink = toySink(() => {
    const error = errors.shift();
    if (error) {
      throw error;
    }
  });
  const delivery = new Delivery(sink, { clock, ...steady });
  delivery.add(step(1));
  expect(await delivery.end(5_000)).toEqual({ sink: 'toy', delivered: 1, undelivered: 0 });
  expect(clock.slept).toEqual([1_000, 7_000]);
});

test.each([
  ['fails for good', () => new DeliveryFailed('refused', { final: true }), 3, []],
  [
    'is dead: the first event has four tries, the others one each',
    () => new Error('refused'),
    6,
    [1_000, 2_000, 4_000],
  ],
  [
    'wants to be left alone for an hour',
    () => new DeliveryFailed('refused', { retryAfterMs: 3_600_000 }),
    3,
    [],
  ],
])('a sink that %s', async (_, error, calls, slept) => {
  const clock = quickClock();
  let called = 0;
  const delivery = new Delivery(
    toySink(() => {
      called += 1;
      throw error();
    }),
    { clock, ...steady },
  );
  [1, 2, 3].forEach((index) => delivery.add(step(index)));
  expect(await delivery.end(5_000)).toEqual({
    sink: 'toy',
    delivered: 0,
    undelivered: 3,
    problem: 'refused',
  });
  expect([called, clock.slept]).toEqual([calls, slept]);
});

test('a sink that was dead has all of its tries again after a delivery', async () => {
  const clock = quickClock();
  const fates = 'xxxx.x.'.split('');
  const delivery = new Delivery(
    toySink(() => {
      if (fates.shift() === 'x') {
        throw new Error('refused');
      }
    }),
    { clock, ...steady },
  );
  [1, 2, 3].forEach((index) => delivery.add(step(index)));
  expect(await delivery.end(5_000)).toMatchObject({ delivered: 2, undelivered: 1 });
});

test('a sink that hangs is given up at the end, and the reason is that of the first try', async () => {
  const delivery = new Delivery(
    toySink((_, signal) => hangs(signal)),
    { timeoutMs: 20, clock: quickClock() },
  );
  delivery.add(step(1));
  await new Promise((resolve) => setTimeout(resolve, 200));
  delivery.add(step(2));
  const begun = performance.now();
  expect(await delivery.end(100)).toEqual({
    ...{ sink: 'toy', delivered: 0, undelivered: 2, problem: 'no answer within 0.02 s' },
  });
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('one that ignores its signal keeps nothing waiting either, and a second interrupt ends the wait at once', async () => {
  const delivery = new Delivery(toySink(() => new Promise(() => undefined)));
  [1, 2].forEach((index) => delivery.add(step(index)));
  const begun = performance.now();
  expect(await delivery.end(60_000, AbortSignal.timeout(50))).toMatchObject({ undelivered: 2 });
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('of too many events, answers of checks go first, and the newest event is kept', async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const sink = toySink(() => gate);
  const delivery = new Delivery(sink, { most: 3 });
  // The first one is under way, and waits in no queue.
  delivery.add(step(1));
  await new Promise((resolve) => setImmediate(resolve));
  [answered(2), step(3), answered(4), step(5), step(6), ended(7)].forEach((event) => delivery.add(event));
  open();
  expect(await delivery.end(5_000)).toMatchObject({ delivered: 4, undelivered: 3 });
  expect(sink.got).toEqual(['r1/1', 'r1/5', 'r1/6', 'r1/7']);
});

test('what a sink throws synchronously, also while it is asked whether it takes an event, stays with it', async () => {
  const broken = {
    name: 'broken',
    takes: (): boolean => {
      throw new Error('takes is broken');
    },
    deliver: () => Promise.resolve(),
  };
  const delivery = new Delivery(broken);
  expect(() => delivery.add(step(1))).not.toThrow();
  expect(await delivery.end(100)).toEqual({
    ...{ sink: 'broken', delivered: 0, undelivered: 1, problem: 'takes is broken' },
  });
});

test('it closes the sink within the same time, and says what went wrong', async () => {
  const delivery = new Delivery({ ...toySink(), close: (signal) => hangs(signal) });
  delivery.add(step(1));
  const report = await delivery.end(50);
  expect(report).toEqual({ sink: 'toy', delivered: 1, undelivered: 0, problem: 'no answer within 0.05 s' });
  expect(deliveryLines([report])).toEqual(['toy: no answer within 0.05 s']);
});

test('lines name what was not delivered; a reason is one line without tokens', async () => {
  const token = `ghp_${'a'.repeat(36)}`;
  const delivery = new Delivery(
    toySink(() => {
      throw new DeliveryFailed(`refused\u001b[2J\n${token}`, { final: true });
    }),
  );
  delivery.add(step(1));
  const lines = deliveryLines([await delivery.end(5_000), { sink: 'well', delivered: 3, undelivered: 0 }]);
  expect(lines).toEqual([expect.stringMatching(/^toy: 1 of 1 events were not delivered: refused/)]);
  expect(lines[0]).not.toMatch(/ghp_|\u001b|\n/);
});

test('a notifier refuses what it does not know, and sinks that are wrong', () => {
  const origin = { by: 'alex@laptop', source: 'plan.yaml' };
  expect(() => new Notifier({ sinks: [], origin: { ...origin, stack: 'dev' } as typeof origin })).toThrow(
    /origin\.stack/,
  );
  expect(() => openNotifier([{ sns: { topicArn: 'x' } }], 'plan.yaml', origin)).toThrow(
    /notify\[0\]\.sns\.topicArn/,
  );
  openNotifier([], 'plan.yaml', origin).close();
});

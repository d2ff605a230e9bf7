import type { Weights } from '../../../lib/shift/engine';
import { refuseChanged, runShift, shiftPlan } from '../../../lib/shift/engine';
import { memoryLease } from '../../../lib/shift/leases';
import { openRouter } from '../../../lib/shift/routers';
import { withMissingTargets } from '../../../lib/shift/routers/attaching-router';
import type { OpenRouter } from '../../../lib/shift/routers';

/** A rule on which green is not there yet; says what it was asked for. */
function rule(missing: readonly string[] = ['green'], weights: Weights | null = { blue: 100, green: 0 }) {
  const calls: string[] = [];
  let live = weights ?? { blue: 33, green: 67 };
  const router = {
    name: 'rule',
    describe: () => {
      calls.push('describe');
      return Promise.resolve({ name: 'rule', weights, missing, notes: [] });
    },
    read: () => {
      calls.push('read');
      return Promise.resolve(live);
    },
    write: (next: Weights, _signal?: AbortSignal, expected?: readonly Weights[]) =>
      Promise.resolve().then(() => {
        refuseChanged('rule', live, expected);
        calls.push(`write ${JSON.stringify(next)}`);
        live = next;
      }),
  };
  const set = (weights: Weights) => void (live = weights);
  return { router: router as unknown as OpenRouter, calls, set };
}

test('a slot that is to get traffic stands on the rule, with 0, before the first percent', async () => {
  const { router, calls } = rule();
  const wanted = { green: 100 };
  const outcome = await runShift({
    plan: shiftPlan(['blue', 'green'], wanted, { step: [50], every: '1ms', bake: '0s' }),
    router: withMissingTargets(router, wanted),
    checks: [],
    lease: memoryLease(),
  });
  expect([outcome.verdict, outcome.writes.length]).toEqual(['completed', 2]);
  expect(calls.slice(0, 3)).toEqual(['describe', 'write {"blue":100,"green":0}', 'read']);
  expect(calls.filter((call) => call === 'describe')).toHaveLength(1);
});

test.each<[string, readonly string[], Weights | null, Weights, readonly string[]]>([
  ['all slots are there', [], { blue: 100, green: 0 }, { green: 100 }, ['describe']],
  ['the missing one is to get nothing', ['green'], { blue: 100, green: 0 }, { blue: 100 }, ['describe']],
  // The read says why.
  ['the weights are not fit', ['green'], null, { green: 100 }, ['describe', 'read']],
])('nothing is written where %s', async (_what, missing, weights, wanted, expected) => {
  const { router, calls } = rule(missing, weights);
  await withMissingTargets(router, wanted).read();
  expect(calls).toEqual(expected);
});

test('where the look fails, the next one tries again', async () => {
  const { router, calls } = rule();
  let fails = true;
  const flaky = {
    ...router,
    describe: () => (fails ? Promise.reject(new Error('throttled')) : router.describe()),
  };
  const attaching = withMissingTargets(flaky, { green: 100 });
  await expect(attaching.read()).rejects.toThrow('throttled');
  fails = false;
  await attaching.read();
  expect(calls).toEqual(['describe', 'write {"blue":100,"green":0}', 'read']);
});

test('weights that somebody sets while a slot is put on the rule are not written over', async () => {
  const { router, calls, set } = rule();
  const describe = router.describe.bind(router);
  const wanted = { green: 100 };
  const changed = {
    ...router,
    describe: async () => {
      const found = await describe();
      set({ blue: 40, green: 60 });
      return found;
    },
  };
  const outcome = await runShift({
    plan: shiftPlan(['blue', 'green'], wanted),
    router: withMissingTargets(changed, wanted),
    checks: [],
    lease: memoryLease(),
  });
  expect(outcome).toMatchObject({ verdict: 'aborted', writes: [], final: { blue: 40, green: 60 } });
  expect(outcome.reason).toMatch(/^Another process changed the weights: rule has blue 40, green 60/);
  expect(calls).toEqual(['describe']);
});

test('weights in memory are compared, too', async () => {
  const router = openRouter({
    router: { simulated: { live: { blue: 100 } } },
    slots: { blue: {}, green: {} },
  });
  await expect(router.write({ green: 100 }, undefined, [{ blue: 50, green: 50 }])).rejects.toMatchObject({
    failure: 'changed',
    live: { blue: 100, green: 0 },
  });
  await router.write({ green: 100 }, undefined, [{ blue: 100 }]);
  expect(await router.read()).toEqual({ blue: 0, green: 100 });
});

describe('where a shift begins, and before its first write', () => {
  const wanted = { green: 100 };

  function begun() {
    const made = rule([]);
    const times = { wall: 0, monotonic: 0 };
    const clocks = { wall: () => times.wall, monotonic: () => times.monotonic };
    return { ...made, times, shifted: withMissingTargets(made.router, wanted, clocks) };
  }

  test('one look does for both', async () => {
    const { calls, shifted } = begun();
    expect([await shifted.read(), await shifted.read()]).toEqual([
      { blue: 100, green: 0 },
      { blue: 100, green: 0 },
    ]);
    expect(calls).toEqual(['describe']);
    await shifted.read();
    expect(calls).toEqual(['describe', 'read']);
  });

  test.each(['wall', 'monotonic'] as const)('not where time has passed by the %s clock', async (clock) => {
    const { calls, set, shifted, times } = begun();
    await shifted.read();
    times[clock] += 2_001;
    set({ blue: 40, green: 60 });
    expect(await shifted.read()).toEqual({ blue: 40, green: 60 });
    expect(calls).toEqual(['describe', 'read']);
  });

  test('not after a write', async () => {
    const { calls, shifted } = begun();
    await shifted.read();
    await shifted.write({ blue: 50, green: 50 });
    expect(await shifted.read()).toEqual({ blue: 50, green: 50 });
    expect(calls.slice(-1)).toEqual(['read']);
  });

  test('what somebody sets meanwhile is found by the write, and stays', async () => {
    const { router, calls, set } = rule([]);
    const live = router.describe.bind(router);
    const changed = {
      ...router,
      describe: async () => {
        const found = await live();
        set({ blue: 40, green: 60 });
        return found;
      },
    };
    const outcome = await runShift({
      plan: shiftPlan(['blue', 'green'], wanted, { step: [50], every: '1ms', bake: '0s' }),
      router: withMissingTargets(changed, wanted),
      checks: [],
      lease: memoryLease(),
    });
    expect(outcome).toMatchObject({ verdict: 'aborted', writes: [], final: { blue: 40, green: 60 } });
    expect(outcome.reason).toMatch(/Another process changed the weights/);
    expect(calls.filter((call) => call.startsWith('write'))).toEqual([]);
  });
});

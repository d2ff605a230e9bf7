import fc from 'fast-check';
import { systemClock } from '../../../lib/core/async';
import type { Check, CheckWindow, Lease, ShiftOutcome, ShiftRun } from '../../../lib/shift/engine';
import { LeaseTaken, RouterError, runShift, runWaves, shiftPlan } from '../../../lib/shift/engine';
import { noLease } from '../../../lib/shift/leases';
import { all, passing, result } from './world';
import { scaled } from '../../runs';

/*
 * Every clock is the same here, that of timers and that of the shift, so that a call that hangs takes time.
 */
const second = 1_000;
const minute = 60 * second;

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2030, 0, 1) });
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

const never = () => new Promise<never>(() => undefined);
const pause = (milliseconds: number, signal?: AbortSignal) => systemClock.sleep(milliseconds, signal);

/** A load balancer's rule, and when it was written. */
function rule(live = all('blue')) {
  const writes: { readonly at: number; readonly green: number }[] = [];
  return {
    name: 'rule',
    writes,
    read: () => Promise.resolve(live),
    write: (weights: typeof live) => {
      live = weights;
      writes.push({ at: Date.now(), green: weights.green ?? 0 });
      return Promise.resolve();
    },
  };
}

function named(name: string, evaluate: Check['evaluate'], stages: Check['stages'] = ['after']): Check {
  return { name, stages, evaluate };
}

const settings = { step: 25, every: '2m', bake: '10m', inconclusiveLimit: '3h' } as const;

function start(changes: Partial<ShiftRun> & { readonly settings?: object } = {}) {
  const router = rule();
  const begun = Date.now();
  const { settings: more, ...rest } = changes;
  const plan = shiftPlan(['blue', 'green'], all('green'), { ...settings, ...more });
  let ended: { readonly at: number; readonly outcome: ShiftOutcome } | undefined;
  void runShift({ plan, router, checks: [passing], lease: noLease(), random: () => 1, ...rest }).then(
    (outcome) => (ended = { at: Date.now(), outcome }),
  );
  return {
    router,
    begun,
    /** Lets time pass until it has ended, and says when that was, in milliseconds since it began. */
    end: async (mostMs = 5 * 60 * minute) => {
      for (let passed = 0; !ended && passed < mostMs; passed += second) {
        await jest.advanceTimersByTimeAsync(second);
      }
      if (!ended) {
        throw new Error(`did not end within ${mostMs} ms`);
      }
      return { ...ended, after: ended.at - begun };
    },
  };
}

/** Answers after a time, from a moment on that it fails. */
function failsFrom(failsAt: number, takesMs = 0, name = 'errors'): Check {
  return named(name, async () => {
    await (takesMs > 0 ? pause(takesMs) : undefined);
    return result(Date.now() >= failsAt ? 'fail' : 'pass');
  });
}

describe('a check that hangs', () => {
  const hanging = (from: number) =>
    named('hangs', () => (Date.now() >= from ? never() : Promise.resolve(result('pass'))));

  /** When it was decided that it rolls back, after the other check has begun to fail. */
  async function late(failsAfter: number, others: readonly Check[], takesMs: number, more = {}) {
    const failsAt = Date.now() + failsAfter;
    const shift = start({ checks: [...others, failsFrom(failsAt, takesMs)], ...more });
    const { outcome } = await shift.end();
    expect(outcome).toMatchObject({
      verdict: 'rolledBack',
      reason: expect.stringMatching(/^errors: fail/),
    });
    return shift.router.writes.at(-1)!.at - failsAt;
  }

  test('does not delay what another one finds by more than it is asked anyway', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          failsAfter: fc.integer({ min: 3 * second, max: 17 * minute }),
          hangsAfter: fc.integer({ min: second, max: 10 * minute }),
          hangsFor: fc.option(fc.integer({ min: 1, max: 100 * second })),
          takesMs: fc.integer({ min: 0, max: 4 * second }),
          checkEvery: fc.integer({ min: 1, max: 60 }),
          stage: fc.constantFrom<Check['stages']>(['after'], ['before'], ['before', 'after']),
          paused: fc.boolean(),
          asksHang: fc.boolean(),
        }),
        async ({ failsAfter, hangsAfter, hangsFor, takesMs, checkEvery, stage, paused, asksHang }) => {
          const from = Date.now() + hangsAfter;
          const hangs = named(
            'hangs',
            async () => {
              if (Date.now() >= from) {
                await (hangsFor === null ? never() : pause(hangsFor));
              }
              return result('pass');
            },
            stage,
          );
          const resume = { how: '', resumed: () => (asksHang ? never() : Promise.resolve(false)) };
          const lateMs = await late(failsAfter, [hangs], takesMs, {
            settings: { checkEvery: `${checkEvery}s`, ...(paused && { pause: [50] }) },
            resume,
          });
          // Before the first write nothing has moved, and no check of the stage after is asked.
          expect(lateMs).toBeLessThanOrEqual(checkEvery * second + takesMs);
          await jest.advanceTimersByTimeAsync(5 * minute);
        },
      ),
      { numRuns: scaled(60) },
    );
  }, 60_000);

  test('is found as soon as without it', async () => {
    const most: number[] = [];
    for (const others of [[], [hanging(Date.now() + 30 * second)]]) {
      let worst = 0;
      for (let failsAfter = 31 * second; failsAfter < 120 * second; failsAfter += second) {
        worst = Math.max(worst, await late(failsAfter, others, 0));
      }
      most.push(worst);
    }
    expect(most).toEqual([14 * second, 14 * second]);
  });

  test('is asked once, and is not waited for when the shift ends', async () => {
    let open = 0;
    let most = 0;
    const hangs = named('hangs', (_window, signal) => {
      most = Math.max(most, (open += 1));
      return new Promise((_resolve, reject) => {
        signal!.addEventListener('abort', () => {
          open -= 1;
          reject(new Error('aborted'));
        });
      });
    });
    const { outcome, after } = await start({ checks: [hangs, failsFrom(Date.now() + 10 * minute)] }).end();
    expect([outcome.verdict, most, open, after]).toEqual(['rolledBack', 1, 0, 10 * minute]);
  });

  test('and does not heed its signal is not asked without bound', async () => {
    let calls = 0;
    const hangs = named('hangs', () => ((calls += 1), never()));
    const { outcome } = await start({
      checks: [hangs],
      settings: { inconclusiveLimit: '2h' },
    }).end();
    expect([outcome.verdict, calls]).toEqual(['rolledBack', 5]);
    expect(outcome.reason).toContain(
      'is not run again: 5 of its calls have not ended, although they were aborted',
    );
  });

  test('is on record when it begins to, and each time that its call is given up', async () => {
    const failsAt = Date.now() + 10 * minute;
    const { outcome } = await start({
      checks: [hanging(Date.now() + 100 * second), failsFrom(failsAt)],
    }).end();
    const records = outcome.checks.filter(({ name }) => name === 'hangs');
    expect(records.slice(0, 10).map(({ status, reason }) => `${status}: ${reason}`)).toEqual([
      ...Array(6).fill('pass: pass'),
      'inconclusive: has not answered yet, started 15s ago',
      'inconclusive: no answer within 60 s',
      'inconclusive: no answer within 60 s',
      'inconclusive: no answer within 60 s',
    ]);
    expect(records.length).toBeLessThan(18);
    expect(outcome.log.map(({ text }) => text)).toContain(
      'Not yet: hangs: has not answered yet, started 15s ago',
    );
  });

  test('fails the shift at the limit, as one that says nothing', async () => {
    const { outcome, after } = await start({
      checks: [hanging(0), passing],
      settings: { inconclusiveLimit: '5m' },
    }).end();
    expect([outcome.verdict, after]).toEqual(['rolledBack', 7 * minute]);
    expect(outcome.reason).toMatch(/^hangs was inconclusive for 5m, which counts as failed: /);
  });

  test('does not hold up an interrupt or a deadline', async () => {
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 67 * second);
    const interrupted = await start({ checks: [hanging(0)], signal: interrupt.signal }).end();
    expect([interrupted.outcome.verdict, interrupted.after]).toEqual(['held', 67 * second]);
    const late = await start({ checks: [hanging(0), passing], settings: { deadline: '100s' } }).end();
    expect([late.outcome.verdict, late.after]).toEqual(['rolledBack', 100 * second]);
  });

  test('in one wave leaves the other shift alone, though it is the same check', async () => {
    const failsAt = Date.now() + 90 * second;
    const shared = named('shared', ({ origin }) =>
      origin.green === 0 ? never() : Promise.resolve(result(Date.now() >= failsAt ? 'fail' : 'pass')),
    );
    const routers = { eu: rule(), us: rule({ blue: 80, green: 20 }) };
    const shiftOf = (router: ReturnType<typeof rule>) => ({
      plan: shiftPlan(['blue', 'green'], all('green'), settings),
      router,
      checks: [shared],
      lease: noLease(),
    });
    const running = runWaves({
      shifts: { eu: shiftOf(routers.eu), us: shiftOf(routers.us) },
      waves: [['eu', 'us']],
      onFailure: 'all',
    } as never);
    await jest.advanceTimersByTimeAsync(2 * minute);
    expect(routers.us.writes.at(-1)).toEqual({ at: failsAt, green: 20 });
    expect(await running).toMatchObject({ verdict: 'rolledBack' });
  });
});

describe('a check that is slow', () => {
  const slow = (takesMs: number, stages: Check['stages'] = ['after']) =>
    named('slow', async (_window, signal) => (await pause(takesMs, signal), result('pass')), stages);

  test.each([1, 4, 8, 20, 50])('of %i s lets the shift go on as soon as it has passed', async (seconds) => {
    const { outcome } = await start({
      checks: [slow(seconds * second), passing],
      settings: { every: '1m' },
    }).end();
    const at = outcome.writes.map((write) => (Date.parse(write.at) - Date.parse(outcome.startedAt)) / second);
    expect(outcome.verdict).toBe('completed');
    at.slice(1).forEach((time, index) => {
      const stood = time - at[index]!;
      // It may have been asked just before the time was over, and what it says of that does not count.
      expect(stood).toBeGreaterThanOrEqual(60 + seconds);
      expect(stood).toBeLessThanOrEqual(60 + 2 * seconds);
    });
  });

  test('is not on record as one without an answer before it is asked for the next time', async () => {
    const { outcome } = await start({ checks: [slow(12 * second), passing] }).end();
    expect(outcome.verdict).toBe('completed');
    expect(new Set(outcome.checks.map(({ status }) => status))).toEqual(new Set(['pass']));
  });

  test('that fails late still takes the traffic back: it has evaluated less traffic than stands now', async () => {
    // Asked at blue 75, it has passed once, and its next call comes back after the next step.
    let calls = 0;
    const late = named('late', async ({ live }) => {
      if (live.green === 25 && (calls += 1) === 5) {
        await pause(50 * second);
        return result('fail', 'too slow');
      }
      return result('pass');
    });
    // The fifth call is the one at the end of the step: the other check holds the step for a round.
    let unsure = 2;
    const other = named('other', ({ live, to, from }) =>
      Promise.resolve(
        result(live.green === 25 && to - from >= 45 * second && unsure-- > 0 ? 'inconclusive' : 'pass'),
      ),
    );
    const shift = start({ checks: [late, other], settings: { every: '45s' } });
    const { outcome } = await shift.end();
    expect(shift.router.writes.map(({ green, at }) => [green, (at - shift.begun) / second])).toEqual([
      [25, 0],
      [50, expect.closeTo(80, -1)],
      [0, 75 + 50],
    ]);
    expect(outcome.reason).toContain('late: too slow (started 50s ago, at blue 75, green 25)');
  });

  test('never lets a step go on with what it said of another one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            stages: fc.constantFrom<Check['stages']>(['after'], ['before'], ['before', 'after']),
            answers: fc.array(
              fc.record({
                takesMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 * second })),
                status: fc.constantFrom('pass' as const, 'pass' as const, 'inconclusive' as const),
              }),
              { minLength: 1, maxLength: 30 },
            ),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        fc.integer({ min: 5, max: 90 }),
        async (checks, every) => {
          const passes: { readonly window: CheckWindow; readonly name: string; readonly at: number }[] = [];
          const made = checks.map(({ stages, answers }, index) => {
            let calls = 0;
            const name = `check ${index}`;
            return named(
              name,
              async (window) => {
                const { takesMs, status } = answers[calls++ % answers.length]!;
                await pause(takesMs);
                if (status === 'pass' && takesMs < minute) {
                  passes.push({ window, name, at: Date.now() });
                }
                return result(status);
              },
              stages,
            );
          });
          const more = { every: `${every}s`, bake: `${every}s`, inconclusiveLimit: '30m' };
          const { outcome } = await start({ checks: made, settings: more }).end();
          outcome.writes
            .filter(({ rollback }) => rollback !== true)
            .forEach(({ at, weights }, index, writes) => {
              const before = writes[index - 1];
              const from = before === undefined ? 0 : Date.parse(before.at);
              for (const { name, stages } of made) {
                const seen = passes.filter((pass) => pass.name === name && pass.at <= Date.parse(at));
                const of = (stage: string, found: (window: CheckWindow) => boolean) =>
                  !stages.includes(stage as never) ||
                  seen.some(({ window }) => window.stage === stage && window.from >= from && found(window));
                expect(of('before', ({ next }) => next!.green === weights.green)).toBe(true);
                expect(
                  before === undefined ||
                    of(
                      'after',
                      ({ live, to }) => live.green === before.weights.green && to >= from + every * second,
                    ),
                ).toBe(true);
              }
            });
          await jest.advanceTimersByTimeAsync(2 * minute);
        },
      ),
      { numRuns: scaled(60) },
    );
  }, 60_000);
});

describe('a person who does not answer', () => {
  const paused = { pause: [50], checkEvery: '15s' };

  test('is asked once at a time, and heard at once', async () => {
    let calls = 0;
    const resumed = async () => {
      calls += 1;
      await pause(40 * second);
      return calls === 3;
    };
    const shift = start({ settings: paused, resume: { how: 'say so', resumed } });
    const { outcome } = await shift.end();
    expect([outcome.verdict, calls]).toEqual(['completed', 3]);
    // Three times 40 s, and what is left until the checks are asked the next time in between.
    const third = shift.router.writes.find(({ green }) => green === 75)!;
    expect(third.at - shift.begun).toBeLessThanOrEqual(4 * minute + 3 * 40 * second + 2 * 15 * second);
  });

  test('does not hold up the checks', async () => {
    const failsAt = Date.now() + 20 * minute;
    const shift = start({
      settings: paused,
      resume: { how: 'say so', resumed: never },
      checks: [failsFrom(failsAt)],
    });
    const { outcome, at } = await shift.end();
    expect([outcome.verdict, at - failsAt <= 15 * second]).toEqual(['rolledBack', true]);
    // One line for what has not changed.
    expect(outcome.log.filter(({ text }) => text.includes('It could not be read'))).toHaveLength(2);
  });
});

describe('a lease', () => {
  /** Notes when it was kept. */
  function noted(keep: Lease['keep'] = () => Promise.resolve()) {
    const keptAt: number[] = [];
    const lease: Lease = { ...noLease(), keep: (...given) => (keptAt.push(Date.now()), keep(...given)) };
    const gaps = () => keptAt.slice(1).map((at, index) => at - keptAt[index]!);
    return { lease, keptAt, gaps };
  }

  test.each([
    ['a check', {}],
    ['a person', { settings: { pause: [25] }, resume: { how: '', resumed: never } }],
    ['a check before a step', { before: true }],
  ])('is kept while %s hangs', async (_what, { before = false, ...more }: any) => {
    const { lease, gaps } = noted();
    const from = Date.now() + second;
    const stages: Check['stages'] = before ? ['before'] : ['after'];
    const hangs = named(
      'hangs',
      () => (Date.now() < from ? Promise.resolve(result('pass')) : never()),
      stages,
    );
    await start({
      lease,
      checks: [hangs],
      ...more,
      settings: { inconclusiveLimit: '30m', ...more.settings },
    }).end();
    expect(gaps().length).toBeGreaterThan(20);
    expect(Math.max(...gaps())).toBeLessThanOrEqual(65 * second);
  });

  test('that hangs does not hold up the checks', async () => {
    for (let failsAfter = 61 * second; failsAfter < 80 * second; failsAfter += second) {
      const failsAt = Date.now() + failsAfter;
      let kept = 0;
      // The first one is the record of the first step, the last one that of the rollback.
      const { lease } = noted(() => ((kept += 1) === 2 ? never() : Promise.resolve()));
      const seen: number[] = [];
      const observer = {
        logged: ({ text }: { readonly text: string }) => {
          if (text.startsWith('errors: fail')) {
            seen.push(Date.now() - failsAt);
          }
        },
      };
      await start({ lease, observer, checks: [failsFrom(failsAt)], settings: { checkEvery: '2s' } }).end();
      expect(seen).toHaveLength(1);
      expect(seen[0]).toBeLessThanOrEqual(2 * second);
    }
  });

  test('that is lost while a check hangs ends the shift', async () => {
    let kept = 0;
    const taken = new LeaseTaken('another shift has it', 'another', 0);
    const { lease } = noted(() => ((kept += 1) === 2 ? Promise.reject(taken) : Promise.resolve()));
    const { outcome, after } = await start({ lease, checks: [named('hangs', never)] }).end();
    expect([outcome.verdict, outcome.reason]).toEqual([
      'aborted',
      expect.stringContaining('The lease was lost. another shift has it'),
    ]);
    expect(after).toBeLessThanOrEqual(65 * second);
  });

  test('is not overwritten by an older record that comes late', async () => {
    const store: number[] = [];
    const failsAt = Date.now() + 62 * second;
    let kept = 0;
    const { lease } = noted(async ({ written }) => {
      await pause((kept += 1) === 2 ? 8 * second : 0);
      store.push(written.green!);
    });
    await start({ lease, checks: [failsFrom(failsAt)], settings: { checkEvery: '2s' } }).end();
    expect(store).toEqual([25, 25, 0]);
  });
});

describe('a step that is tried again and again', () => {
  test('does not hold up the checks', async () => {
    const router = rule();
    const failsAt = Date.now() + 2 * minute + 40 * second;
    const write: (typeof router)['write'] = (weights) =>
      weights.green === 50
        ? Promise.reject(new RouterError('throttled', 'throttled'))
        : router.write(weights);
    const { outcome, at } = await start({
      router: { ...router, write },
      checks: [failsFrom(failsAt)],
    }).end();
    expect(outcome).toMatchObject({ verdict: 'rolledBack', reason: expect.stringContaining('errors: fail') });
    expect(at - failsAt).toBeLessThanOrEqual(15 * second);
  });

  test('is not written any more once a check has failed that had passed', async () => {
    const router = rule();
    let reads = 0;
    const late = named('late', async ({ live, to, from }) => {
      if (live.green === 25 && to - from > 2 * minute) {
        await pause(20 * second);
        return result('fail');
      }
      return result('pass');
    });
    let unsure = 1;
    const other = named('other', ({ live, to, from }) =>
      Promise.resolve(
        result(live.green === 25 && to - from >= 2 * minute && unsure-- > 0 ? 'inconclusive' : 'pass'),
      ),
    );
    // The look before the write takes longer than the late answer.
    const read = async () => ((reads += 1) >= 3 ? (await pause(30 * second), router.read()) : router.read());
    const record: Lease['keep'] = async ({ written }) =>
      written.green === 50 ? pause(9 * second) : undefined;
    const { outcome } = await start({
      router: { ...router, read },
      checks: [late, other],
      lease: { ...noLease(), keep: record },
      settings: { checkEvery: '6s' },
    }).end();
    expect(outcome).toMatchObject({ verdict: 'rolledBack' });
    expect(router.writes.map(({ green }) => green)).toEqual([25, 50, 0]);
  });
});

describe('checks that take longer than checkEvery', () => {
  /** Passes after a time. */
  const slow = (name: string, takesMs: number, stages: Check['stages']): Check =>
    named(name, (_window, signal) => pause(takesMs, signal).then(() => result('pass')), stages);

  test.each([
    ['20 s and 30 s', [20, 30]],
    ['25 s and 40 s, and a quick one', [25, 40, 0]],
    ['17 s, 23 s and 41 s', [17, 23, 41]],
  ])('%s: passes need not come in the same moment', async (_name, times) => {
    const checks = times.map((time, index) =>
      slow(`check ${index}`, time * second, ['before', 'after'] as const),
    );
    const { outcome, after } = await start({ checks, settings: { checkEvery: '15s' } }).end();
    expect(outcome.verdict).toBe('completed');
    expect(after).toBeLessThan(45 * minute);
  });

  test('one that fails later takes the traffic back, although it had passed before', async () => {
    const until = Date.now() + 5 * minute;
    const failing = named('errors', async (_window, signal) => {
      await pause(20 * second, signal);
      return result(Date.now() >= until ? 'fail' : 'pass');
    });
    const checks = [slow('slow', 40 * second, ['before', 'after']), failing];
    const { outcome, after } = await start({ checks, settings: { checkEvery: '15s' } }).end();
    expect(outcome.verdict).toBe('rolledBack');
    expect(after).toBeLessThan(6 * minute);
  });
});

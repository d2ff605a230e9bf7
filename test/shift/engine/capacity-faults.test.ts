import type {
  Capacity,
  CapacityRecord,
  CapacityRequest,
  CheckResult,
  Lease,
  ShiftRecord,
  ShiftRun,
} from '../../../lib/shift/engine';
import { markEnded, runShift, runWaves } from '../../../lib/shift/engine';
import { World, all, minute, passing } from './world';

const plan = { step: [50], every: '2m', bake: '5m', checkEvery: '30s', inconclusiveLimit: '10m' } as const;

const ready: CheckResult = { status: 'pass', reason: 'ready', figures: [], holds: true };

const slot = (before: number, atOrigin: number, written: number, name = 'web'): CapacityRecord[string] => ({
  minimums: { [`deployment/shop/${name}@hpa`]: [before, atOrigin, written] },
});

/** Capacity whose calls a test answers. */
function capacityOf(
  prepare: (request: CapacityRequest, signal?: AbortSignal) => Promise<CheckResult> | CheckResult,
  giveBack: Capacity['giveBack'] = () => Promise.resolve(undefined),
): Capacity & { readonly given: CapacityRecord[] } {
  const given: CapacityRecord[] = [];
  return {
    given,
    prepare: async (request, signal) => prepare(request, signal),
    giveBack: (raised, signal) => {
      given.push(raised);
      return giveBack(raised, signal);
    },
  };
}

describe('what an earlier shift has raised', () => {
  const left = { blue: slot(2, 20, 20), green: slot(2, 0, 20) };
  const recordOf = (more: Partial<ShiftRecord>): ShiftRecord => ({
    origin: all('blue'),
    wanted: all('green'),
    written: all('green'),
    startedAt: 5,
    raised: left,
    ...more,
  });

  test.each([
    ['has ended', { ended: { at: 9, verdict: 'completed', live: all('green') } }],
    ['is given up', {}],
  ] as const)(
    'is no measure of a shift back when that shift %s, and is given back before it',
    async (_what, more) => {
      const world = new World(all('green'));
      world.memory.record = recordOf(more);
      const asked: (CapacityRecord | undefined)[] = [];
      const records: unknown[] = [];
      // Counted anew: green had 30 pods.
      const fresh = { green: slot(2, 30, 30), blue: slot(2, 0, 30) };
      const capacity = capacityOf(async ({ raised, remember }) => {
        asked.push(raised);
        if (!raised) {
          await remember(fresh);
        }
        records.push(world.memory.record?.raised);
        return ready;
      });
      const { plan: back } = world.process(plan);
      const outcome = await world.run({ ...back, wanted: all('blue') }, { capacity, checks: [passing] });
      expect(outcome.verdict).toBe('completed');
      expect(asked).toEqual([undefined, fresh]);
      expect(records[0]).toEqual(fresh);
      expect(capacity.given).toEqual([left, fresh]);
      expect(world.memory.record).not.toHaveProperty('raised');
    },
  );

  test('holds a shift up that could not give it back, which says so', async () => {
    const world = new World(all('blue'));
    world.memory.record = recordOf({ ended: { at: 9, verdict: 'completed', live: all('blue') } });
    const asked: unknown[] = [];
    const capacity = {
      prepare: () => {
        asked.push('prepare');
        return Promise.resolve(ready);
      },
      giveBack: (raised: CapacityRecord) => Promise.resolve({ problem: 'green: no answer', raised }),
    };
    const outcome = await world.run({ ...plan, inconclusiveLimit: '2m' }, { capacity, checks: [passing] });
    expect(outcome).toMatchObject({
      verdict: 'held',
      reason: expect.stringMatching(/An earlier shift has raised capacity .*: green: no answer/),
    });
    expect(asked).toEqual([]);
    expect(world.memory.record?.raised).toEqual(left);
  });

  test('goes on with a shift that a run was killed in', async () => {
    const world = new World({ blue: 50, green: 50 });
    world.memory.record = recordOf({ written: { blue: 50, green: 50 } });
    const asked: unknown[] = [];
    const capacity = capacityOf(({ raised }) => {
      asked.push(raised);
      return ready;
    });
    await world.run(plan, { capacity, checks: [passing] });
    expect(asked).toEqual([left]);
    expect(capacity.given).toEqual([left]);
  });
});

describe('records while capacity is raised', () => {
  /** A lease whose `keep` waits until a test lets it go on. */
  function slowly(lease: Lease) {
    const kept: ShiftRecord[] = [];
    let calls = 0;
    let hold: Promise<void> | undefined;
    return {
      kept,
      get calls() {
        return calls;
      },
      holdUntil: (until: Promise<void> | undefined): void => void (hold = until),
      lease: {
        ...lease,
        keep: async (record: ShiftRecord) => {
          calls += 1;
          await hold;
          kept.push(record);
          await lease.keep(record);
        },
      },
    };
  }

  test('a call that has ended puts nothing on record any more', async () => {
    const world = new World();
    const late: string[] = [];
    let earlier: CapacityRequest['remember'] | undefined;
    const capacity = capacityOf(async ({ remember }) => {
      if (earlier) {
        await earlier({ blue: slot(2, 20, 20) }).then(
          () => late.push('kept'),
          ({ name }: Error) => late.push(name),
        );
      }
      earlier = remember;
      await remember({ blue: slot(2, 20, 20), green: slot(2, 0, 10) });
      return ready;
    });
    const seen: unknown[] = [];
    const observer = { written: () => void seen.push(world.memory.record?.raised?.['green']) };
    const outcome = await world.run(plan, { capacity, checks: [passing], observer });
    expect(outcome.verdict).toBe('completed');
    expect(late).toEqual(['AbortError']);
    expect(seen).toEqual([slot(2, 0, 10), slot(2, 0, 10)]);
  });

  test('a lease that is silent is not asked again and again', async () => {
    const world = new World();
    const process = world.process({ ...plan, checkEvery: '2s', inconclusiveLimit: '20h' });
    const slow = slowly(process.lease);
    let letGo: () => void = () => undefined;
    let isFirst = true;
    const capacity = capacityOf(async ({ remember }) => {
      if (isFirst) {
        isFirst = false;
        void slow.holdUntil(new Promise((resolve) => (letGo = resolve)));
        setTimeout(() => {
          void slow.holdUntil(undefined);
          letGo();
        }, 1_300);
        await remember({ blue: slot(2, 20, 20) });
      }
      return ready;
    });
    const outcome = await runShift({ ...process, lease: slow.lease, capacity, checks: [passing] });
    expect(outcome.verdict).toBe('completed');
    expect(world.minutes).toBeGreaterThan(15);
    expect(slow.calls).toBeLessThan(world.minutes + 10);
  });
});

describe('when waves are complete', () => {
  const wavesOf = (world: World, more: Partial<ShiftRun>, during: () => Promise<unknown>) => {
    const other = new World();
    const observer = { written: () => void during() };
    return runWaves({
      shifts: { eu: world.process(plan, more), us: other.process(plan, { observer }) },
      waves: [['eu'], ['us']],
      onFailure: 'all',
    });
  };

  test('an evacuation of a route that was complete stays noted, and what it raised is given back', async () => {
    const world = new World();
    const raised = { green: slot(2, 0, 20) };
    const capacity = capacityOf(async ({ remember }) => {
      await remember(raised);
      return ready;
    });
    const { lease } = world.process(plan);
    const evacuated = { slots: ['green'], by: 'alex' };
    const outcome = await wavesOf(world, { capacity }, () =>
      lease.seize({
        ...{ origin: all('green'), wanted: all('blue'), written: all('blue'), startedAt: 9, raised },
        ...{ ended: { at: 9, verdict: 'evacuated', live: all('blue') }, evacuated },
      }),
    );
    expect(outcome.verdict).toBe('completed');
    expect(world.memory.record).toMatchObject({ evacuated, ended: { verdict: 'evacuated' } });
    expect(world.memory.record).not.toHaveProperty('raised');
    expect(capacity.given).toEqual([raised]);
  });
});

test('a record is marked as ended although giving back hangs, and says what is left', async () => {
  const world = new World();
  const { lease } = world.process(plan);
  const raised = { green: slot(2, 0, 20) };
  world.memory.record = {
    ...{ origin: all('blue'), wanted: all('green'), written: all('green'), startedAt: 5 },
    raised,
  };
  jest.useFakeTimers();
  try {
    const hanging = { giveBack: () => new Promise<never>(() => undefined) };
    let state = 'hangs';
    const done = markEnded(lease, { at: 9, verdict: 'forgotten', live: null }, undefined, hanging);
    void done.then(() => (state = 'done'));
    await jest.advanceTimersByTimeAsync(2 * minute);
    expect(state).toBe('done');
  } finally {
    jest.useRealTimers();
  }
  expect(world.memory).toMatchObject({
    holder: undefined,
    record: { ended: { verdict: 'forgotten' }, raised },
  });
});

test('a run that goes on says what of the record can not be read', async () => {
  const world = new World({ blue: 50, green: 50 });
  const { lease } = world.process(plan);
  const record = {
    origin: all('blue'),
    wanted: all('green'),
    written: { blue: 50, green: 50 },
    startedAt: 5,
  };
  const problem = 'what capacity the shift has raised is gone';
  const outcome = await world.run(plan, {
    lease: { ...lease, acquire: async () => (await lease.acquire(), { record, problem }) },
  });
  expect(outcome.verdict).toBe('completed');
  expect(outcome.log.map(({ text }) => text)).toContain(`The record of the lease can't be read: ${problem}.`);
});

import { systemClock } from '../../../lib/core/async';
import { AwsError } from '../../../lib/core/aws/errors';
import { memorySwapStore } from '../../../lib/operate/swap';
import type { SwapMemory, SwapRecord } from '../../../lib/operate/swap';
import type { SwapRun } from '../../../lib/operate/swap';
import { Killed, SwapWorld, wholeWay, worldOf } from './driver-world';
import { hour, minute, planOf, seenOf } from './machine/plans';

/** What a world is in the end, whatever the way there. */
const endOf = ({ seen, memory }: SwapWorld) => ({
  seen,
  ended: memory.record?.ended?.verdict,
  holder: memory.holder,
});

test('the whole way, with a document that says it', async () => {
  const world = new SwapWorld();
  const outcome = await world.run();
  expect(world.done).toEqual(wholeWay);
  expect(world.seen).toEqual(seenOf({ green: ['1.36', 100] }));
  expect(outcome).toMatchObject({ schemaVersion: 1, fleet: 'apps', verdict: 'completed' });
  expect(outcome.reason).toContain('green (1.36) has all traffic');
  expect(outcome.record).toEqual(world.memory.record);
  expect(outcome.record!.id).toMatch(/^20260302T100000Z-[0-9a-f]{6}$/);
  expect(outcome.phases.map(({ phase, verdict, from, to }) => [phase, verdict, from, to])).toEqual(
    ['ready', 'create', 'deliver', 'try', 'prescale', 'shift', 'soak', 'drain', 'delete'].map((phase) => [
      phase,
      'passed',
      '1.35',
      '1.36',
    ]),
  );
  expect(outcome.log.map(({ text }) => text)).toEqual(world.lines);
  expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
  expect(world.memory.holder).toBeUndefined();
});

test('each version on the way is a swap of its own, and the document has the phases of all', async () => {
  const world = new SwapWorld();
  world.seen = seenOf({ blue: ['1.34', 100] });
  world.configuration = world.seen.configuration;
  world.plan = planOf({ versions: ['1.35', '1.36'] });
  const { phases } = await world.run();
  expect(phases).toHaveLength(18);
  expect(new Set(phases.map(({ swap }) => swap)).size).toBe(2);
  expect(phases.at(-1)).toMatchObject({ from: '1.35', to: '1.36', phase: 'delete' });
});

/** Kills a run before or after what it does for the so-manieth time. */
function killing(world: SwapWorld, hook: 'action' | 'event' | 'amid', at: number) {
  let count = 0;
  let isDead = false;
  const tick = (): void => {
    count += 1;
    if (count === at) {
      isDead = true;
      throw new Killed();
    }
  };
  world.amid = hook === 'amid' ? tick : () => undefined;
  return {
    log: () => undefined,
    action: hook === 'action' ? tick : () => undefined,
    // A driver takes what a program throws for a failure: a dead process takes nothing any more.
    event: () => {
      if (hook === 'event') {
        tick();
      }
      if (isDead) {
        throw new Killed();
      }
    },
  };
}

describe('a kill anywhere, and a new run, end where a run that was not killed ends', () => {
  const worlds: [string, () => SwapWorld, more?: Partial<SwapRun>][] = [
    ['forward', () => new SwapWorld()],
    [
      'forward from a shift that was begun by hand',
      () => worldOf(seenOf({ blue: ['1.35', 60], green: ['1.36', 40] })),
      { adopt: true },
    ],
    [
      'back from a soak that was begun by hand',
      () => {
        const world = worldOf(seenOf({ blue: ['1.35', 0], green: ['1.36', 100] }));
        world.answers = { soak: () => ({ passed: false, reason: 'errors', final: true }) };
        return world;
      },
      { adopt: true },
    ],
    [
      'forward, with people, windows and a soak to wait for',
      () => {
        const world = new SwapWorld();
        const approval = { timeoutMs: 24 * hour, onTimeout: 'hold' } as const;
        const windows = [{ days: [1, 2], from: 660, to: 960, timeZone: 'Europe/London' }];
        world.plan = planOf(
          { windows },
          { soak: { leastMs: hour, everyMs: 20 * minute }, delete: { approval } },
        );
        return world;
      },
    ],
    [
      'back, since a check fails',
      () => {
        const world = new SwapWorld();
        world.plan = planOf({}, { soak: { onFailure: 'delete' } });
        world.answers = { soak: () => ({ passed: false, reason: 'errors', final: true }) };
        return world;
      },
    ],
  ];
  describe.each(worlds)('%s', (_, make, more = {}) => {
    test.each(['action', 'event', 'amid'] as const)('at each %s', async (hook) => {
      const whole = make();
      await whole.run(more);
      let kills = 0;
      for (let at = 1; ; at += 1) {
        const world = make();
        const isKilled = await world.killed({ ...more, observer: killing(world, hook, at) });
        world.amid = () => undefined;
        if (!isKilled) {
          break;
        }
        kills += 1;
        await world.run(more);
        expect({ at, ...endOf(world) }).toEqual({ at, ...endOf(whole) });
      }
      // What began by hand has less to do.
      expect(kills).toBeGreaterThanOrEqual(hook === 'amid' ? 2 : more.adopt ? 12 : 30);
    });
  });
});

describe('one run at a time', () => {
  test('a second one is refused, and changes nothing', async () => {
    const world = new SwapWorld();
    let second: Awaited<ReturnType<SwapWorld['run']>> | undefined;
    world.answers = {
      try: async () => {
        second = await world.run();
        return { passed: true };
      },
    };
    expect(await world.run()).toMatchObject({ verdict: 'completed' });
    expect(second).toMatchObject({ verdict: 'aborted', phases: [] });
    expect(second!.reason).toMatch(/^Nothing was changed\. lease in memory: run 1 swaps this fleet, until /);
    expect(world.done).toEqual(wholeWay);
  });

  test('one that another one has taken over ends before its next deployment, and leaves the lease', async () => {
    const world = new SwapWorld();
    const takeOver = (): void => {
      Object.assign(world.memory, { holder: 'other', expiresAt: 8.64e15 });
    };
    world.answers = { prescale: () => (takeOver(), { passed: true }) };
    const outcome = await world.run();
    expect(outcome).toMatchObject({ verdict: 'aborted' });
    expect(outcome.reason).toMatch(/^the lease is lost: other swaps this fleet/);
    expect(world.done).toEqual(wholeWay.slice(0, 5));
    expect(world.memory.holder).toBe('other');
  });

  test('a lease that is lost during a preview keeps the deployment from its begin', async () => {
    const world = new SwapWorld();
    world.changes = () => (Object.assign(world.memory, { holder: 'other', expiresAt: 8.64e15 }), []);
    expect(await world.run()).toMatchObject({ verdict: 'aborted' });
    expect(world.done).toEqual(['ready green']);
    expect(Object.keys(world.configuration.slots)).toEqual(['blue']);
  });

  test('it is kept through a wait of a day, and a loss ends the wait', async () => {
    const world = new SwapWorld();
    world.plan = planOf({}, { soak: { leastMs: 24 * hour, everyMs: 6 * hour, timeoutMs: 24 * hour } });
    const longest: number[] = [];
    const store = world.store();
    let kept = world.now;
    const keep: typeof store.keep = async (record, signal) => {
      longest.push(world.now - kept);
      kept = world.now;
      await store.keep(record, signal);
    };
    const watched = { ...store, keep };
    expect(await world.run({ store: watched })).toMatchObject({ verdict: 'completed' });
    expect(Math.max(...longest)).toBeLessThanOrEqual(2 * minute);
    expect(longest.length).toBeGreaterThan(24 * 60 - 60);

    const lost = new SwapWorld();
    lost.plan = world.plan;
    lost.answers = {
      soak: () => (Object.assign(lost.memory, { holder: 'other', expiresAt: 8.64e15 }), { passed: true }),
    };
    const outcome = await lost.run();
    expect(outcome).toMatchObject({ verdict: 'aborted' });
    expect(outcome.endedAt - outcome.startedAt).toBeLessThan(5 * minute);
  });

  test('it is kept beside a deployment that takes longer than it lasts', async () => {
    const world = new SwapWorld();
    const memory: SwapMemory = {};
    const store = memorySwapStore({ memory, holder: 'first', lastsMs: 90 });
    const other = memorySwapStore({ memory, holder: 'other', lastsMs: 90 });
    const refused: unknown[] = [];
    world.amid = async (signal) => {
      for (let look = 0; look < 4; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        await other.acquire(signal).catch((error: Error) => refused.push(error.name));
      }
    };
    const { verdict } = await world.run({ store, clock: systemClock });
    expect([verdict, refused]).toEqual(['completed', Array(12).fill('LeaseTaken')]);
  });

  test('a record that is none ends it', async () => {
    const world = new SwapWorld();
    const store = { ...world.store(), acquire: () => Promise.resolve({ problem: 'it is no JSON' }) };
    const { verdict, reason } = await world.run({ store });
    expect([verdict, reason]).toEqual([
      'aborted',
      'lease in memory: it is no JSON. Nothing was changed: what a swap has done so far is not known.',
    ]);
    expect(world.done).toEqual([]);
  });

  test('a record that can not be written ends it; one that fails once is written again', async () => {
    const world = new SwapWorld();
    const store = world.store();
    let writes = 0;
    const keep = (fails: (write: number) => boolean) => async (record: SwapRecord, signal: AbortSignal) => {
      writes += 1;
      if (fails(writes)) {
        throw new Error('no answer');
      }
      await store.keep(record, signal);
    };
    const never = await world.run({ store: { ...store, keep: keep(() => true) } });
    expect(never).toMatchObject({ verdict: 'aborted' });
    expect(never.reason).toContain('lease in memory: no answer');
    expect([world.done, writes]).toEqual([[], 3]);
    expect(await world.run({ store: { ...store, keep: keep((write) => write % 2 === 0) } })).toMatchObject({
      verdict: 'completed',
    });
  });

  test('a lease that can not be taken is said once, with its name', async () => {
    const world = new SwapWorld();
    const fails = () => Promise.reject(new Error('lease in memory: no answer'));
    const outcome = await world.run({ store: { ...world.store(), acquire: fails, release: fails } });
    expect(outcome).toMatchObject({
      verdict: 'aborted',
      reason: 'Nothing was changed. lease in memory: no answer',
    });
    expect(outcome.leaseProblem).toBeUndefined();
  });

  test('a lease that can not be given back is said', async () => {
    const world = new SwapWorld();
    const store = { ...world.store(), release: () => Promise.reject(new Error('no answer')) };
    expect(await world.run({ store })).toMatchObject({
      verdict: 'completed',
      leaseProblem: 'lease in memory: no answer',
    });
  });
});

describe('an interrupt', () => {
  test.each(['ready', 'try', 'drain'] as const)(
    'in %s ends what runs; the next run goes on',
    async (phase) => {
      const world = new SwapWorld();
      const interrupt = new AbortController();
      let ended: unknown;
      world.answers = {
        [phase]: (_: unknown, signal: AbortSignal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject((ended = signal.reason) as Error));
            interrupt.abort();
          }),
      };
      const outcome = await world.run({ signal: interrupt.signal });
      expect(outcome).toMatchObject({ verdict: 'held', record: { phase } });
      expect(ended).toEqual(new Error('interrupted'));
      expect(world.memory.holder).toBeUndefined();
      world.answers = {};
      expect(await world.run()).toMatchObject({ verdict: 'completed' });
      expect(world.seen).toEqual(seenOf({ green: ['1.36', 100] }));
    },
  );

  test('in a deployment waits until the program has ended', async () => {
    const world = new SwapWorld();
    const interrupt = new AbortController();
    const order: string[] = [];
    world.amid = async () => {
      interrupt.abort();
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('program');
    };
    expect(await world.run({ signal: interrupt.signal })).toMatchObject({
      verdict: 'held',
      record: { phase: 'create' },
    });
    order.push('run');
    expect(order).toEqual(['program', 'run']);
    world.amid = () => undefined;
    expect(await world.run()).toMatchObject({ verdict: 'completed' });
  });

  test('in a wait ends it, and before the begin nothing is asked', async () => {
    const world = new SwapWorld();
    const interrupt = new AbortController();
    world.plan = planOf({}, { soak: { leastMs: 24 * hour, timeoutMs: 24 * hour } });
    world.answers = { soak: () => (setImmediate(() => interrupt.abort()), { passed: true }) };
    const outcome = await world.run({ signal: interrupt.signal });
    expect(outcome).toMatchObject({ verdict: 'held', record: { phase: 'soak' } });
    expect(outcome.endedAt - outcome.startedAt).toBeLessThan(hour);

    const other = new SwapWorld();
    expect(await other.run({ signal: interrupt.signal })).toMatchObject({ verdict: 'held' });
    expect(other.done).toEqual([]);
  });
});

describe('deployments', () => {
  const cluster = (name: string) => ({ op: 'delete', type: 'aws:eks/cluster:Cluster', name }) as const;
  const rule = { op: 'update', type: 'aws:lb/listenerRule:ListenerRule', name: 'apps' } as const;

  test('a preview that shows what the phase does not mean keeps it from its begin', async () => {
    const world = new SwapWorld();
    world.changes = (when) => (when === 'before' ? [cluster('apps-blue')] : []);
    const outcome = await world.run();
    expect(outcome.verdict).toBe('aborted');
    expect(outcome.reason).toContain('delete aws:eks/cluster:Cluster apps-blue');
    expect(world.done).toEqual(['ready green']);
    expect(world.configuration).toEqual(seenOf({ blue: ['1.35', 100] }).configuration);
  });

  test('weights that do not hold after it are a failure of the phase', async () => {
    const world = new SwapWorld();
    let isShifted = false;
    world.changes = (when) => {
      const hasTraffic = (world.configuration.weights?.green ?? 0) > 0;
      const isFirst = when === 'after' && hasTraffic && !isShifted;
      isShifted ||= isFirst;
      return isFirst ? [rule] : [];
    };
    const outcome = await world.run();
    expect(outcome.verdict).toBe('rolledBack');
    expect(outcome.reason).toContain('it does not hold');
    expect(world.seen.live).toEqual({ blue: 100 });
  });

  test.each([
    ['before', 3, 'completed', 3],
    ['after', 3, 'completed', 3],
    ['before', 100, 'rolledBack', 3],
  ] as const)('a preview %s it that fails %d times', async (when, times, verdict, retries) => {
    const world = new SwapWorld();
    let left: number = times;
    world.changes = (now) => {
      left -= now === when ? 1 : 0;
      if (now === when && left >= 0) {
        throw new Error('no answer');
      }
      return [];
    };
    expect(await world.run()).toMatchObject({ verdict });
    expect(world.lines.filter((line) => line.includes('preview is tried again'))).toHaveLength(retries);
  });

  test('a program takes over the live weights before traffic goes back, and at no other time', async () => {
    const world = new SwapWorld();
    world.answers.soak = () => ({ passed: false, reason: 'slow', final: true });
    const takeOverWeights = (say: (line: string) => void) => {
      world.done.push('take over');
      say('reads the rules');
      return Promise.resolve();
    };
    await world.run({ program: { ...world.program, takeOverWeights } });
    expect(world.done.slice(-3)).toEqual([
      'soak green',
      'take over',
      'Swap back to 1.35: shift traffic to blue',
    ]);
    expect(world.done.filter((done) => done === 'take over')).toHaveLength(1);
    expect(world.lines).toContain('reads the rules');
  });

  test('live weights that can not be taken over keep the way back from its begin', async () => {
    const world = new SwapWorld();
    world.answers.soak = () => ({ passed: false, reason: 'slow', final: true });
    const takeOverWeights = () => Promise.reject(new Error('no answer'));
    const outcome = await world.run({ program: { ...world.program, takeOverWeights } });
    expect(outcome).toMatchObject({ verdict: 'held', reason: expect.stringContaining('no answer') });
    expect(world.done.at(-1)).toBe('soak green');
    await expect(world.run()).resolves.toMatchObject({ verdict: 'rolledBack' });
  });

  test('a program that somebody else has changed is left as it is', async () => {
    const world = new SwapWorld();
    world.changes = () => {
      world.configuration = { slots: { blue: '1.35', teal: '1.36' }, weights: { blue: 100, teal: 0 } };
      return [];
    };
    const outcome = await world.run();
    expect(outcome.verdict).toBe('aborted');
    expect(outcome.reason).toContain('somebody else has changed it');
    expect(Object.keys(world.configuration.slots)).toEqual(['blue', 'teal']);
  });
});

describe('what can not be read', () => {
  test('is read again, with growing pauses', async () => {
    const world = new SwapWorld();
    const run = world.swap();
    let failures = 4;
    const observe: typeof run.observe = (signal) =>
      (failures -= 1) >= 0 ? Promise.reject(new Error('no answer')) : run.observe(signal);
    const before = world.now;
    expect(await world.run({ observe })).toMatchObject({ verdict: 'completed' });
    expect(world.now - before).toBeGreaterThanOrEqual(1_000 + 2_000 + 4_000 + 8_000);
    expect(world.lines.filter((line) => line.includes('is read again: no answer'))).toHaveLength(4);
  });

  test.each<[string, Error, number]>([
    ['for good', new Error('no answer'), 5],
    [
      'for want of a right',
      new AwsError({ action: 'eks:DescribeCluster', subject: 'x' }, { kind: 'denied' }, undefined),
      1,
    ],
  ])('%s ends it', async (_, error, times) => {
    const world = new SwapWorld();
    let looks = 0;
    const observe = (): Promise<never> => {
      looks += 1;
      throw error;
    };
    expect(await world.run({ observe })).toMatchObject({ verdict: 'aborted', phases: [] });
    expect([looks, world.done]).toEqual([times, []]);
  });
});

describe('people', () => {
  const asking = planOf({}, { delete: { approval: { timeoutMs: hour, onTimeout: 'hold' } } });

  test('are told how to answer once, and asked until they do', async () => {
    const world = new SwapWorld();
    world.plan = asking;
    let asked = 0;
    const ids = new Set<string>();
    const answer = (_: string, { id }: { readonly id: string }) => {
      ids.add(id);
      asked += 1;
      return asked === 2
        ? Promise.reject(new Error('no answer'))
        : Promise.resolve(asked < 4 ? undefined : { approvedBy: 'bo' });
    };
    const outcome = await world.run({ approvals: { how: (phase) => `say yes to ${phase}`, answer } });
    expect(outcome.verdict).toBe('completed');
    expect(outcome.phases.at(-1)).toMatchObject({ phase: 'delete', approvedBy: 'bo' });
    expect([...ids]).toEqual([outcome.record!.id]);
    expect(world.lines.filter((line) => line.includes('say yes to delete'))).toHaveLength(1);
    expect(world.lines).toContain('delete: the answer could not be read: no answer');
  });

  test('may refuse: it goes back', async () => {
    const world = new SwapWorld();
    world.plan = asking;
    const approvals = { how: () => 'say yes', answer: () => Promise.resolve({ refusedBy: 'bo' }) };
    expect(await world.run({ approvals })).toMatchObject({ verdict: 'rolledBack' });
    expect(world.done.slice(8)).toEqual([
      'drain blue back',
      'Swap back to 1.35: restore in blue what drain deleted',
      'deliver blue back',
      'prescale blue back',
      'Swap back to 1.35: shift traffic to blue',
    ]);
  });

  test('are not waited for where it is not to wait', async () => {
    const world = new SwapWorld();
    world.plan = asking;
    const approvals = { how: () => 'say yes', answer: () => Promise.resolve(undefined) };
    const outcome = await world.run({ approvals, waits: false });
    expect(outcome).toMatchObject({ verdict: 'held', record: { phase: 'delete' } });
    expect(outcome.again).toBeGreaterThan(outcome.endedAt);
  });
});

describe('phases', () => {
  test('one that throws is asked again; what is wrong with its settings is final', async () => {
    const world = new SwapWorld();
    let tries = 0;
    world.answers = {
      try: ({ say }) => {
        say('first line\nsecond \u001b[31mline');
        tries += 1;
        if (tries < 3) {
          throw new Error('connection reset');
        }
        return { passed: true };
      },
    };
    expect(await world.run()).toMatchObject({ verdict: 'completed' });
    expect(tries).toBe(3);
    expect(world.lines).toEqual(expect.arrayContaining(['try: connection reset', 'first line']));
    expect(world.lines).toContain('second \\u001b[31mline');
  });

  test('one that hangs is ended, and is not passed', async () => {
    const world = new SwapWorld();
    world.plan = planOf({}, { try: { timeoutMs: 1_000 } });
    world.answers = {
      try: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended')))),
    };
    const outcome = await world.run();
    expect(outcome.verdict).toBe('rolledBack');
    expect(outcome.reason).toContain('no answer within 1 s');
  });

  test('a log has its newest lines', async () => {
    const world = new SwapWorld();
    world.answers = {
      deliver: ({ say }) => {
        Array.from({ length: 3_000 }, (_, line) => say(`line ${line}`));
        return { passed: true };
      },
    };
    const { log } = await world.run();
    expect(log).toHaveLength(2_000);
    expect(log.at(-1)!.text).toMatch(/^Completed/);
  });
});

import { InvalidInput } from '../../../../lib/core/validation';
import type { SwapWavesOutcome } from '../../../../lib/operate/swap';
import { Killed } from '../driver-world';
import { hour, planOf, seenOf, t0 } from '../machine/plans';
import { WavesWorld } from './waves-world';

const waves = [['eu', 'ap'], ['us']];

const verdictsOf = ({ swaps }: SwapWavesOutcome) =>
  Object.fromEntries(Object.entries(swaps).map(([name, outcome]) => [name, outcome?.verdict ?? null]));

const completed = { eu: 'completed', ap: 'completed', us: 'completed' };

test('a wave runs side by side, and the next one begins when all of it has completed', async () => {
  const world = new WavesWorld(waves);
  const outcome = await world.run();
  expect(world.order).toMatch(/^\+eu \+ap (-eu -ap|-ap -eu) \+us -us$/);
  expect(world.done).toHaveLength(27);
  expect(outcome).toMatchObject({ schemaVersion: 1, verdict: 'completed', waves, startedAt: t0 });
  expect(outcome.unchanged).toBeUndefined();
  expect(outcome.endedAt).toBe(world.now);
  expect(verdictsOf(outcome)).toEqual(completed);
  expect(outcome.swaps['us']!.phases).toHaveLength(9);
  expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);

  const again = await world.run();
  expect(again).toMatchObject({ verdict: 'completed', unchanged: true });
  expect(world.done).toHaveLength(27);
});

test.each(['soak', 'try'] as const)(
  'a %s that fails keeps later waves from their begin, and stops no other',
  async (phase) => {
    const world = new WavesWorld(waves);
    world.worlds['eu']!.answers = { [phase]: () => ({ passed: false, reason: 'errors', final: true }) };
    const outcome = await world.run();
    expect(outcome.verdict).toBe('rolledBack');
    expect(verdictsOf(outcome)).toEqual({ eu: 'rolledBack', ap: 'completed', us: null });
    expect(outcome.reason).toMatch(/^eu: .*errors[^]*Not run this time: us\.$/);
    expect(world.done.some((line) => line.startsWith('us'))).toBe(false);

    world.worlds['eu']!.answers = {};
    const unasked = await world.run();
    expect(unasked).toMatchObject({ verdict: 'rolledBack', reason: expect.stringContaining('--retry') });
    world.more = () => ({ retry: true });
    expect(verdictsOf(await world.run())).toEqual(completed);
  },
);

test('a drain that fails holds the waves, and says no time to run them again', async () => {
  const world = new WavesWorld(waves);
  world.worlds['ap']!.answers = { drain: () => ({ passed: false, reason: 'a volume', final: true }) };
  const outcome = await world.run({ waits: false });
  expect(verdictsOf(outcome)).toEqual({ eu: 'completed', ap: 'held', us: null });
  expect(outcome).toMatchObject({ verdict: 'held' });
  expect(outcome.again).toBeUndefined();
  world.worlds['ap']!.answers = {};
  expect(verdictsOf(await world.run())).toEqual(completed);
});

test('what is live and has no record stops the waves, and nothing begins', async () => {
  const world = new WavesWorld(waves);
  world.worlds['eu']!.seen = seenOf({ blue: ['1.35', 50], green: ['1.36', 50] });
  world.worlds['eu']!.configuration = world.worlds['eu']!.seen.configuration;
  const outcome = await world.run();
  expect(outcome.verdict).toBe('aborted');
  expect(verdictsOf(outcome)).toEqual({ eu: 'aborted', ap: 'completed', us: null });
});

describe('a kill anywhere, and a new run, end where a run that was not killed ends', () => {
  test.each(['action', 'event'] as const)('at each %s', async (hook) => {
    const make = (): WavesWorld => {
      const world = new WavesWorld([['eu'], ['us', 'ap']]);
      const soak = planOf({}, { soak: { leastMs: hour, everyMs: hour / 3 } });
      Object.values(world.worlds).forEach((each) => (each.plan = soak));
      return world;
    };
    const whole = make();
    await whole.run();
    let kills = 0;
    // Each third place: the machine of one swap is killed at every place by its own tests.
    for (let at = 1; ; at += 3) {
      const world = make();
      let count = 0;
      const tick = (): void => {
        count += 1;
        if (count >= at) {
          throw new Killed();
        }
      };
      // A dead process takes nothing any more, whatever it was about.
      const dead = (): void => {
        if (count >= at) {
          throw new Killed();
        }
      };
      world.more = () => ({
        observer: hook === 'action' ? { action: tick, event: dead } : { action: dead, event: tick },
      });
      const isKilled = await world.killed();
      world.more = () => ({});
      if (!isKilled) {
        break;
      }
      kills += 1;
      const before = world.done.length;
      await world.run();
      expect({ at, ...world.ends }).toEqual({ at, ...whole.ends });
      // Nothing that was done before is done again, but what was under way.
      const twice = world.done.slice(before).filter((line) => world.done.indexOf(line) < before);
      expect(new Set(twice).size).toBeLessThanOrEqual(3);
    }
    expect(kills).toBeGreaterThan(25);
  });

  test('between two fleets', async () => {
    const world = new WavesWorld([['eu'], ['us']]);
    world.more = (name) => ({
      observer: {
        event: () => {
          if (name === 'us') {
            throw new Killed();
          }
        },
      },
    });
    expect(await world.killed()).toBe(true);
    expect(world.order).toBe('+eu -eu');
    world.more = () => ({});
    const outcome = await world.run();
    expect(outcome.swaps['eu']).toMatchObject({ verdict: 'completed', unchanged: true, phases: [] });
    expect(world.order).toBe('+eu -eu +us -us');
  });
});

describe('swaps that are open', () => {
  /** us has been begun on its own, and waits for its soak; the file asks for a further version by now. */
  async function opened(): Promise<WavesWorld> {
    const world = new WavesWorld([['eu'], ['us']]);
    const soaking = planOf({}, { soak: { leastMs: hour, everyMs: hour } });
    Object.values(world.worlds).forEach((each) => (each.plan = soaking));
    const us = world.worlds['us']!;
    await us.run({ clock: world.clock, waits: false });
    expect(us.memory.record).toMatchObject({ phase: 'soak' });
    world.done.splice(0);
    return world;
  }

  test('go on first, whatever their wave', async () => {
    const world = await opened();
    expect(verdictsOf(await world.run())).toEqual({ eu: 'completed', us: 'completed' });
    expect(world.order).toBe('+us -us +eu -eu');
  });

  test('end at their own version, and get a further one in their wave', async () => {
    const world = await opened();
    const further = planOf({ versions: ['1.36', '1.37'] });
    Object.values(world.worlds).forEach((each) => (each.plan = further));
    const outcome = await world.run();
    expect(verdictsOf(outcome)).toEqual({ eu: 'completed', us: 'completed' });
    const titles = world.done.filter((line) => /shift traffic|remove slot/.test(line));
    expect(titles).toEqual([
      'us: Swap 1.35 to 1.36: remove slot blue',
      'eu: Swap 1.35 to 1.36: shift traffic to green',
      'eu: Swap 1.35 to 1.36: remove slot blue',
      'eu: Swap 1.36 to 1.37: shift traffic to blue',
      'eu: Swap 1.36 to 1.37: remove slot green',
      'us: Swap 1.36 to 1.37: shift traffic to blue',
      'us: Swap 1.36 to 1.37: remove slot green',
    ]);
    // Both runs of it are in its outcome, each phase once.
    const { phases, log, startedAt } = outcome.swaps['us']!;
    expect(phases.map(({ to, phase }) => `${to} ${phase}`)).toEqual(
      ['1.36', '1.37'].flatMap((to) =>
        ['ready', 'create', 'deliver', 'try', 'prescale', 'shift', 'soak', 'drain', 'delete'].map(
          (phase) => `${to} ${phase}`,
        ),
      ),
    );
    expect(startedAt).toBe(outcome.startedAt);
    expect(log[0]!.text).toMatch(/^Goes on with swap/);
  });

  test('that wait keep every other one from its begin', async () => {
    const world = await opened();
    const outcome = await world.run({ waits: false });
    expect(outcome).toMatchObject({ verdict: 'held', again: expect.any(Number) });
    expect(verdictsOf(outcome)).toEqual({ eu: null, us: 'held' });
    expect(world.done.filter((line) => line.startsWith('eu'))).toEqual([]);
  });
});

test('a wave that was half begun goes on side by side', async () => {
  const world = new WavesWorld([['sa'], ['eu', 'ap']]);
  const soak = planOf({}, { soak: { leastMs: hour, everyMs: hour } });
  world.worlds['eu']!.plan = soak;
  world.worlds['ap']!.answers = { try: () => ({ passed: false, reason: 'errors', final: true }) };
  const first = await world.run({ waits: false });
  expect(verdictsOf(first)).toEqual({ sa: 'completed', eu: 'held', ap: 'rolledBack' });
  world.worlds['ap']!.answers = {};
  world.more = () => ({ retry: true });
  // eu still soaks: ap needs not wait for it.
  const second = await world.run({ waits: false });
  expect(verdictsOf(second)).toEqual({ sa: 'completed', eu: 'held', ap: 'completed' });
  expect(second.swaps['sa']).toMatchObject({ unchanged: true });
});

test('where no run waits, it ends at a soak, and a later one goes on', async () => {
  const world = new WavesWorld(waves);
  const soak = planOf({}, { soak: { leastMs: hour, everyMs: hour } });
  Object.values(world.worlds).forEach((each) => (each.plan = soak));
  const first = await world.run({ waits: false });
  expect(verdictsOf(first)).toEqual({ eu: 'held', ap: 'held', us: null });
  expect(first.again).toBe(Math.min(...['eu', 'ap'].map((name) => first.swaps[name]!.again!)));
  world.now = Math.max(...['eu', 'ap'].map((name) => first.swaps[name]!.again!));
  const second = await world.run({ waits: false });
  expect(verdictsOf(second)).toEqual({ eu: 'completed', ap: 'completed', us: 'held' });
  world.now = second.again!;
  expect(verdictsOf(await world.run({ waits: false }))).toEqual(completed);
});

describe('a wait between waves', () => {
  const waitMs = 720 * hour;

  test('counts from the completion of the wave, and a new run knows it', async () => {
    const world = new WavesWorld([['eu'], ['us']]);
    const first = await world.run({ waitMs, waits: false });
    expect(verdictsOf(first)).toEqual({ eu: 'completed', us: null });
    const until = world.worlds['eu']!.memory.record!.ended!.at + waitMs;
    expect(first).toMatchObject({ verdict: 'held', again: until });
    world.now = until - 2 * hour;
    expect(await world.run({ waitMs, waits: false })).toMatchObject({ verdict: 'held', again: until });
    const whole = await world.run({ waitMs });
    expect(whole.verdict).toBe('completed');
    expect(world.lines.filter((line) => line.startsWith('The next wave (us)'))).toEqual([
      `The next wave (us) begins at ${new Date(until).toISOString()}.`,
    ]);
    expect(whole.swaps['us']!.startedAt).toBeGreaterThanOrEqual(until);
  });

  test('an interrupt ends it', async () => {
    const world = new WavesWorld([['eu'], ['us']]);
    const stop = new AbortController();
    const outcome = await world.run({
      ...{ waitMs, signal: stop.signal },
      log: () => stop.abort(),
    });
    expect(outcome).toMatchObject({ verdict: 'held' });
    expect(outcome.reason).toBe(
      'It was interrupted. Run it again: it goes on there.\nNot run this time: us.',
    );
    expect(verdictsOf(outcome)).toEqual({ eu: 'completed', us: null });
  });
});

describe('two runs at once', () => {
  test('the second one changes nothing, and the first one completes', async () => {
    const world = new WavesWorld(waves);
    let second: SwapWavesOutcome | undefined;
    world.worlds['eu']!.answers = {
      try: async () => {
        second = await world.run();
        return { passed: true };
      },
    };
    const first = await world.run();
    expect(verdictsOf(first)).toEqual(completed);
    expect(second!.verdict).toBe('aborted');
    expect(second!.swaps['eu']!.reason).toMatch(
      /^Nothing was changed\. lease in memory: run 1 swaps this fleet/,
    );
    expect(second!.swaps['us']).toBeNull();
    expect(world.done).toHaveLength(27);
  });

  test('the second one begins between two waves: only one of them runs each fleet', async () => {
    const world = new WavesWorld([['eu'], ['us']]);
    let second: SwapWavesOutcome | undefined;
    world.worlds['us']!.answers = {
      try: async () => {
        second ??= await world.run();
        return { passed: true };
      },
    };
    expect(verdictsOf(await world.run())).toEqual({ eu: 'completed', us: 'completed' });
    expect(second!.swaps['eu']).toMatchObject({ verdict: 'completed', unchanged: true });
    expect(second!.swaps['us']).toMatchObject({ verdict: 'aborted', phases: [] });
    expect(world.done).toHaveLength(18);
  });
});

describe('the way back', () => {
  async function halfway(): Promise<WavesWorld> {
    const world = new WavesWorld([['eu'], ['us', 'ap'], ['sa']]);
    const soak = planOf({}, { soak: { leastMs: hour, everyMs: hour } });
    ['us', 'ap', 'sa'].forEach((name) => (world.worlds[name]!.plan = soak));
    await world.run({ waits: false });
    await world.worlds['sa']!.run({ clock: world.clock, waits: false });
    world.done.splice(0);
    return world;
  }

  test('takes back every open swap, the last wave first, and no wave that has completed', async () => {
    const world = await halfway();
    const outcome = await world.run({ ask: 'back' });
    expect(outcome.verdict).toBe('rolledBack');
    expect(verdictsOf(outcome)).toEqual({ eu: null, us: 'rolledBack', ap: 'rolledBack', sa: 'rolledBack' });
    expect(outcome.reason).toBe('All traffic is on the old cluster: us, ap, sa.\nNo open swap: eu.');
    expect(world.order).toMatch(/^\+sa -sa \+us/);
    // A second time, nothing is to be done; with --delete the kept clusters go.
    const again = await world.run({ ask: 'back' });
    expect(again).toMatchObject({ verdict: 'rolledBack', unchanged: true });
    const gone = await world.run({ ask: 'backAndDelete' });
    expect(gone.verdict).toBe('rolledBack');
    expect(gone.unchanged).toBeUndefined();
    expect(world.worlds['us']!.seen).toEqual(seenOf({ blue: ['1.35', 100] }));
    expect(world.worlds['eu']!.seen).toEqual(seenOf({ green: ['1.36', 100] }));
  });

  test('one that fails keeps no other from it', async () => {
    const world = await halfway();
    world.worlds['sa']!.amid = () => {
      throw new Error('no such stack');
    };
    const outcome = await world.run({ ask: 'back' });
    expect(outcome.verdict).toBe('held');
    expect(verdictsOf(outcome)).toEqual({ eu: null, us: 'rolledBack', ap: 'rolledBack', sa: 'held' });
    expect(outcome.reason).toMatch(/^sa: .*no such stack/);
  });

  test('there is nothing to go back from', async () => {
    const outcome = await new WavesWorld(waves).run({ ask: 'back' });
    expect(outcome).toMatchObject({
      verdict: 'aborted',
      reason: 'No swap is open: there is nothing to go back from.',
    });
  });
});

describe('a record that can not be read', () => {
  const refusing = (world: WavesWorld, name: string): void => {
    world.unreadable[name] = 'AccessDenied\u001b[31m';
  };

  test('keeps all from their begin', async () => {
    const world = new WavesWorld(waves);
    refusing(world, 'us');
    const outcome = await world.run();
    expect(outcome).toMatchObject({ verdict: 'aborted' });
    expect(outcome.reason).toMatch(/^us: lease in memory: AccessDenied.*\nNothing was changed/);
    expect(outcome.reason).not.toContain('\u001b');
    expect(verdictsOf(outcome)).toEqual({ eu: null, ap: null, us: null });
    expect(world.done).toEqual([]);
  });

  test('keeps no other from the way back', async () => {
    const world = new WavesWorld(waves);
    const soak = planOf({}, { soak: { leastMs: hour, everyMs: hour } });
    world.worlds['eu']!.plan = soak;
    await world.run({ waits: false });
    refusing(world, 'us');
    const outcome = await world.run({ ask: 'back' });
    expect(outcome.verdict).toBe('aborted');
    expect(verdictsOf(outcome)).toEqual({ eu: 'rolledBack', ap: null, us: 'aborted' });
  });
});

test('an interrupt holds what runs, and nothing more begins', async () => {
  const world = new WavesWorld(waves);
  const stop = new AbortController();
  world.worlds['ap']!.answers = { soak: () => (stop.abort(), { passed: true }) };
  const outcome = await world.run({ signal: stop.signal });
  expect(outcome.verdict).toBe('held');
  expect(outcome.again).toBeUndefined();
  expect(outcome.swaps['us']).toBeNull();
  const before = await new WavesWorld(waves).run({ signal: AbortSignal.abort() });
  expect(before).toMatchObject({ verdict: 'held', swaps: { eu: null, ap: null, us: null } });
  const back = await new WavesWorld(waves).run({ signal: AbortSignal.abort(), ask: 'back' });
  expect(back).toMatchObject({ verdict: 'held' });
});

test('what is thrown comes out when the others have ended', async () => {
  const world = new WavesWorld(waves);
  world.more = (name) => (name === 'eu' ? { runners: {} as never } : {});
  await expect(world.run()).rejects.toThrow('nothing runs the phase ready');
  expect(world.order).toBe('+ap -ap');
});

test('waves that do not fit the swaps are refused', async () => {
  const world = new WavesWorld(waves);
  await expect(world.run({ waves: [['eu'], ['sa']] })).rejects.toThrow(InvalidInput);
});

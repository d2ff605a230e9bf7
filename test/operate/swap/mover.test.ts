import { NotBegun, NotMoved, ShiftAborted, planMover } from '../../../lib/operate/planned-shift';
import type { TrafficMover } from '../../../lib/operate/planned-shift';
import { SwapWorld, wholeWay } from './driver-world';

/** A program that leaves the shift to others: what it deploys has no effect on traffic. */
function worldByOthers() {
  const world = new SwapWorld();
  const own = { ...world.program };
  world.program.deploy = async (change, signal) => {
    const { live } = world.seen;
    await own.deploy(change, signal);
    world.seen = { ...world.seen, live };
  };
  const moved: string[] = [];
  const mover: TrafficMover = {
    putOn: (slot) => Promise.resolve(void moved.push(`put on ${slot}`)),
    takeOff: (slot) => Promise.resolve(void moved.push(`take off ${slot}`)),
    move: (weights, { back }) => {
      moved.push(`move ${JSON.stringify(weights)}${back ? ' back' : ''}`);
      world.seen = {
        ...world.seen,
        live: Object.fromEntries(Object.entries(weights).filter(([, w]) => w > 0)),
      };
      return Promise.resolve();
    },
  };
  return { world, mover, moved };
}

const green = '{"blue":0,"green":100}';
const blue = '{"blue":100,"green":0}';

test('once the program has deployed weights that it leaves to others, the swap moves the traffic', async () => {
  const { world, mover, moved } = worldByOthers();
  expect((await world.run({ mover })).verdict).toBe('completed');
  expect(world.done).toEqual(wholeWay);
  expect(moved).toEqual(['put on green', `move ${green}`, 'take off blue']);
});

test('traffic that could not be moved goes back the same way, at once', async () => {
  const { world, mover, moved } = worldByOthers();
  const failing: TrafficMover = {
    ...mover,
    move: async (weights, options, signal) => {
      if (!options.back) {
        world.seen = { ...world.seen, live: { blue: 50, green: 50 } };
        throw new Error('the shift of plan.json was held where it was: errors');
      }
      await mover.move(weights, options, signal);
    },
  };
  const { verdict, reason } = await world.run({ mover: failing });
  expect([verdict, reason]).toEqual([
    'rolledBack',
    expect.stringMatching(
      /^shift could not be deployed: program: the shift of plan\.json was held where it was: errors/,
    ),
  ]);
  expect(moved).toEqual(['put on green', `move ${blue} back`]);
  expect(world.seen.live).toEqual({ blue: 100 });
});

test('weights that somebody else has set are not written over', async () => {
  const { world, mover, moved } = worldByOthers();
  const seen = { blue: 5, green: 95 };
  const { verdict, reason } = await world.run({
    mover: {
      ...mover,
      move: () => {
        world.seen = { ...world.seen, live: seen };
        throw new ShiftAborted('the shift of plan.json was aborted: another process changed the weights');
      },
    },
  });
  expect([verdict, reason]).toEqual(['aborted', expect.stringContaining('another process changed')]);
  expect([world.seen.live, world.memory.record?.back]).toEqual([seen, undefined]);
  // The word of a person takes it back.
  const back = await world.run({ mover, ask: 'back' });
  expect([back.verdict, moved]).toEqual(['rolledBack', ['put on green', `move ${blue} back`]]);
});

test('traffic goes back before the program is asked for anything', async () => {
  const { world, mover, moved } = worldByOthers();
  let asked = 0;
  const failing: TrafficMover = {
    ...mover,
    move: (weights, options, signal) => {
      if (options.back) {
        return mover.move(weights, options, signal);
      }
      world.seen = { ...world.seen, live: { blue: 50, green: 50 } };
      world.program.preview = () => {
        asked += 1;
        return Promise.reject(new Error('the token has expired'));
      };
      throw new NotMoved('the shift of plan.json was rolled back: errors');
    },
  };
  expect((await world.run({ mover: failing })).verdict).toBe('held');
  expect([moved, asked]).toEqual([['put on green', `move ${blue} back`], 4]);
  expect(world.seen.live).toEqual({ blue: 100 });
});

test('one request that fails is no reason to give up a new cluster, nor the way back', async () => {
  const { world, mover, moved } = worldByOthers();
  const failures = new Map<string, number>();
  const once = async (what: string, call: () => Promise<void>): Promise<void> => {
    const before = failures.get(what) ?? 0;
    failures.set(what, before + 1);
    if (before === 0) {
      throw new Error(`${what}: 503`);
    }
    await call();
  };
  const failing: TrafficMover = {
    putOn: (...all) => once('put on', () => mover.putOn(...all)),
    takeOff: (...all) => once('take off', () => mover.takeOff(...all)),
    move: (...all) => mover.move(...all),
  };
  expect((await world.run({ mover: failing })).verdict).toBe('completed');
  expect(moved).toEqual(['put on green', `move ${green}`, 'take off blue']);
});

test('what did not answer is asked again on the way back; what somebody else has moved is not', async () => {
  const { world, mover, moved } = worldByOthers();
  let tries = 0;
  const failing: TrafficMover = {
    ...mover,
    move: async (weights, options, signal) => {
      tries += 1;
      if (tries === 1) {
        world.seen = { ...world.seen, live: { blue: 50, green: 50 } };
        throw new NotMoved('the shift of plan.json was rolled back: errors');
      }
      if (tries === 2) {
        throw new NotBegun('the shift of plan.json was aborted: the lease did not answer');
      }
      await mover.move(weights, options, signal);
    },
  };
  expect((await world.run({ mover: failing })).verdict).toBe('rolledBack');
  expect(moved).toEqual(['put on green', `move ${blue} back`]);
});

test('a run whose lease another one has taken meanwhile moves nothing', async () => {
  const { world, mover, moved } = worldByOthers();
  const own = { ...world.program };
  let other: string | undefined;
  world.program.deploy = async (change, signal) => {
    await own.deploy(change, signal);
    if (change.title.endsWith('shift traffic to green')) {
      // It was asleep when the deployment had ended.
      world.now += 300_001;
      other = (await world.run({ mover, ask: 'backAndDelete' })).verdict;
    }
  };
  const { verdict, reason } = await world.run({ mover });
  expect([other, verdict, reason]).toEqual(['rolledBack', 'aborted', expect.stringContaining('lease')]);
  expect(moved).not.toContain(`move ${green}`);
  expect(world.seen.live).toEqual({ blue: 100 });
});

test('a plan that can not be used is found before anything is delivered', async () => {
  const { world, mover } = worldByOthers();
  const { verdict, reason } = await world.run({
    mover: planMover('/nowhere/plan.json', {
      fleet: 'apps',
      takeOff: () => mover.takeOff('blue', new AbortController().signal),
    }),
  });
  expect([verdict, reason]).toEqual([
    'rolledBack',
    expect.stringMatching(/^create could not be deployed: program: .*\/nowhere\/plan\.json/),
  ]);
  expect(world.done).not.toContain('deliver green');
});

test('without a plan, it says what is missing', async () => {
  const { world } = worldByOthers();
  const { verdict, reason } = await world.run();
  expect(verdict).toBe('aborted');
  expect(reason).toMatch(
    /All live traffic is on blue\..*\n.*\(runBy\), give phases\.shift\.plan its plan, and take this swap back with --back\./,
  );
});

test('a slot stays on the rule where somebody has changed the program before its delete', async () => {
  const { world, mover, moved } = worldByOthers();
  world.answers.drain = () => {
    world.changes = (when) => {
      if (when === 'before') {
        world.configuration = {
          ...world.configuration,
          slots: { ...world.configuration.slots, red: '1.36' },
        };
      }
      return [];
    };
    return { passed: true };
  };
  expect((await world.run({ mover })).verdict).toBe('aborted');
  expect(moved).not.toContain('take off blue');
});

import type { FleetProgram, SwapSeen } from '../../../lib/operate/swap';
import { DeploymentRefused, ProgramUnreachable } from '../../../lib/operate/swap/program';
import { SwapWorld } from './driver-world';

/** A world whose program asks people, and notes when it takes that back. */
function asking(withdraw: () => Promise<void> = () => Promise.resolve()) {
  const world = new SwapWorld();
  const program: FleetProgram = {
    ...world.program,
    withdraw: (say) => {
      world.done.push('withdraw');
      say('taken back');
      return withdraw();
    },
  };
  return { world, program };
}

test('what was asked for is taken back before anything else of the way back, and once more at its end', async () => {
  const { world, program } = asking();
  world.answers.try = () => ({ passed: false, reason: 'ill', final: true });
  expect(await world.run({ program })).toMatchObject({ verdict: 'rolledBack' });
  expect(world.done.slice(4)).toEqual(['withdraw', 'withdraw']);
  expect(world.lines).toContain('taken back');
});

test('the way forward takes nothing back', async () => {
  const { world, program } = asking();
  expect(await world.run({ program })).toMatchObject({ verdict: 'completed' });
  expect(world.done).not.toContain('withdraw');
});

test('where that fails, the traffic goes back all the same; the swap ends once a run has done it', async () => {
  let isAway = true;
  const { world, program } = asking(() =>
    isAway ? Promise.reject(new Error('GitHub is away')) : Promise.resolve(),
  );
  world.answers.soak = () => ({ passed: false, reason: 'ill', final: true });
  const problem = 'program: what is asked for there and not done yet could not be taken back: GitHub is away';
  const held = await world.run({ program });
  expect(held).toMatchObject({ verdict: 'held', reason: expect.stringContaining(problem) });
  expect(held.record?.ended).toBeUndefined();
  expect(world.done.at(-2)).toBe('Swap back to 1.35: shift traffic to blue');
  expect(world.lines).toContainEqual(problem);
  isAway = false;
  expect(await world.run({ program })).toMatchObject({ verdict: 'rolledBack' });
});

test("a run that has lost its lease while it slept takes nothing back: what is asked for now is the other run's", async () => {
  const { world, program } = asking();
  const deploy: FleetProgram['deploy'] = async (change, signal) => {
    if (!change.title.includes('shift traffic')) {
      return world.program.deploy(change, signal);
    }
    world.now += 300_001;
    await world.store().acquire(signal);
    throw new Error('closed without a merge');
  };
  const outcome = await world.run({ program: { ...program, deploy } });
  expect(outcome).toMatchObject({
    verdict: 'aborted',
    reason: expect.stringContaining('the lease is lost'),
  });
  expect(world.done).not.toContain('withdraw');
});

test('a program that can not be asked is no failure of the phase: nothing is undone, and the next run goes on', async () => {
  const world = new SwapWorld();
  let isAway = true;
  const program: FleetProgram = {
    ...world.program,
    deploy: (change, signal) =>
      isAway && change.title.includes('shift traffic')
        ? Promise.reject(new ProgramUnreachable('GitHub does not know the token', false))
        : world.program.deploy(change, signal),
  };
  const outcome = await world.run({ program });
  expect(outcome).toMatchObject({ verdict: 'aborted', record: { phase: 'shift' } });
  expect(outcome.reason).toContain('GitHub does not know the token');
  expect(outcome.record).not.toHaveProperty('back');
  isAway = false;
  expect(await world.run({ program })).toMatchObject({ verdict: 'completed' });
});

describe('a program that waits for a person before the old cluster goes', () => {
  /** Asks as the program of a Git repository does, which then throws. */
  async function waiting(meanwhile: (world: SwapWorld, faults: Error[]) => void) {
    const world = new SwapWorld();
    const faults: Error[] = [];
    const observe = (): Promise<SwapSeen> =>
      faults.length > 0
        ? Promise.reject(faults.shift()!)
        : Promise.resolve({ ...world.seen, configuration: world.configuration });
    const answers: (string | undefined)[] = [];
    const deploy: FleetProgram['deploy'] = async (change, signal) => {
      if (!change.title.includes('remove slot')) {
        answers.push(change.refusedSince && 'asked');
        return world.program.deploy(change, signal);
      }
      answers.push(await change.refusedSince!(signal));
      meanwhile(world, faults);
      const reason = await change.refusedSince!(signal);
      answers.push(reason);
      if (reason !== undefined) {
        throw new DeploymentRefused(reason);
      }
      return world.program.deploy(change, signal);
    };
    const outcome = await world.run({ observe, program: { ...world.program, deploy } });
    return { world, answers, outcome };
  }

  test('goes on where no traffic has come back', async () => {
    const { answers, outcome } = await waiting(() => undefined);
    expect([answers, outcome.verdict]).toEqual([[undefined, undefined, undefined, undefined], 'completed']);
  });

  test('learns of traffic that a person has moved there, and the swap stops', async () => {
    const { world, answers, outcome } = await waiting((each) => {
      each.seen = { ...each.seen, live: { blue: 100 } };
    });
    const reason = 'blue has 100 % of the live traffic: it must not go';
    expect([answers, outcome.verdict]).toEqual([[undefined, undefined, undefined, reason], 'aborted']);
    expect(outcome.reason).toContain(reason);
    expect(Object.keys(world.seen.clusters)).toEqual(['blue', 'green']);
  });

  test('goes on, and says so, where that can not be read', async () => {
    const { world, answers, outcome } = await waiting((_, faults) => {
      faults.push(new Error('no route'));
    });
    expect([answers.slice(2), outcome.verdict]).toEqual([[undefined, undefined], 'completed']);
    expect(world.lines).toContain('Whether blue has traffic could not be read: no route');
  });
});

test('a program learns of which swap a deployment is: the same in each run of it', async () => {
  const world = new SwapWorld();
  const swaps = new Set<string | undefined>();
  let left = 3;
  const program: FleetProgram = {
    ...world.program,
    deploy: (change, signal) => {
      swaps.add(change.swap);
      left -= 1;
      return left === 0
        ? Promise.reject(new ProgramUnreachable('away', true))
        : world.program.deploy(change, signal);
    },
  };
  await world.run({ program });
  const { record } = await world.run({ program });
  expect([...swaps]).toEqual([record!.id]);
});

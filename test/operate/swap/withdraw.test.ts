import type { FleetProgram } from '../../../lib/operate/swap';
import { ProgramUnreachable } from '../../../lib/operate/swap/program';
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

test('where that fails, it is said, and the traffic goes back all the same', async () => {
  const { world, program } = asking(() => Promise.reject(new Error('GitHub is away')));
  world.answers.soak = () => ({ passed: false, reason: 'ill', final: true });
  expect(await world.run({ program })).toMatchObject({ verdict: 'rolledBack' });
  expect(world.done.at(-2)).toBe('Swap back to 1.35: shift traffic to blue');
  expect(world.lines).toContainEqual(
    'program: what is asked for there and not done yet could not be taken back: GitHub is away',
  );
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

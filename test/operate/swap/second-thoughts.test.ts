import type { SwapRun } from '../../../lib/operate/swap';
import { SwapWorld } from './driver-world';
import { hour, planOf, t0 } from './machine/plans';

/** `t0` is Monday, 10:00 in UTC. The window closes while a person thinks, and opens an hour later. */
const windows = [
  { days: [1], from: 600, to: 601, timeZone: 'UTC' },
  { days: [1], from: 660, to: 720, timeZone: 'UTC' },
];

/** A person who agrees when the window has closed, and says this once it is open again. */
function worldWith(later: () => { readonly refusedBy: string } | undefined) {
  const world = new SwapWorld();
  world.plan = planOf({ windows }, { create: { approval: { timeoutMs: 24 * hour, onTimeout: 'hold' } } });
  const approvals: SwapRun['approvals'] = {
    how: () => 'say yes',
    answer: () =>
      Promise.resolve(
        world.now < t0 + 2 * 60_000 ? undefined : world.now < t0 + hour ? { approvedBy: 'bo' } : later(),
      ),
  };
  return { world, approvals };
}

const refuses = () => ({ refusedBy: 'bo' });

test('a refusal counts until the phase begins, although that person has agreed before', async () => {
  const { world, approvals } = worldWith(refuses);
  const outcome = await world.run({ approvals });
  expect(outcome).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringContaining('bo refuses create.'),
  });
  expect(Object.keys(world.configuration.slots)).toEqual(['blue']);
});

test('in another run as well', async () => {
  const { world, approvals } = worldWith(refuses);
  world.now = t0;
  let outcome = await world.run({ approvals, waits: false });
  for (let runs = 0; outcome.again !== undefined && runs < 100; runs += 1) {
    world.now = Math.max(world.now, outcome.again);
    outcome = await world.run({ approvals, waits: false });
  }
  expect(outcome).toMatchObject({ verdict: 'rolledBack' });
});

test('who agreed is not asked again: without another answer, the phase begins in its window', async () => {
  const { world, approvals } = worldWith(() => undefined);
  const outcome = await world.run({ approvals });
  expect(outcome.phases).toContainEqual(expect.objectContaining({ phase: 'create', approvedBy: 'bo' }));
  expect(outcome.phases.find(({ phase }) => phase === 'create')!.startedAt).toBeGreaterThanOrEqual(t0 + hour);
  expect(world.lines.filter((line) => line.includes('a person has to agree by'))).toHaveLength(1);
});

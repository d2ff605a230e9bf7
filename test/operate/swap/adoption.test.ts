import { wholeWay, worldOf } from './driver-world';
import { hour, planOf, seenOf } from './machine/plans';

const both = { blue: ['1.35', 100], green: ['1.36', 0] } as const;
const half = { blue: ['1.35', 60], green: ['1.36', 40] } as const;
const moved = { blue: ['1.35', 0], green: ['1.36', 100] } as const;

test.each([
  ['a new slot without traffic', both, undefined, wholeWay],
  ['traffic that was moved partly', half, { phase: 'shift', mayBeDrained: false }, wholeWay.slice(5)],
  ['traffic that was moved as a whole', moved, { phase: 'soak', mayBeDrained: true }, wholeWay.slice(6)],
] as const)('%s is taken over, and ends as a swap does', async (_, slots, adopted, done) => {
  const world = worldOf(seenOf(slots));
  const outcome = await world.run({ adopt: true });
  expect(outcome.verdict).toBe('completed');
  expect(outcome.record!.adopted).toEqual(adopted);
  expect(world.done).toEqual(done);
  expect(world.seen).toEqual(seenOf({ green: ['1.36', 100] }));
  // What was done by hand is no phase of the swap.
  const ran = ['ready', 'create', 'deliver', 'try', 'prescale', 'shift', 'soak', 'drain', 'delete'];
  expect(outcome.phases.map(({ phase }) => phase)).toEqual(ran.slice(ran.length - done.length));
});

test('the preview of the first deployment is the guard of any swap', async () => {
  const world = worldOf(seenOf(half));
  world.changes = () => [{ op: 'replace', type: 'aws:eks/cluster:Cluster', name: 'apps-blue' }];
  expect(await world.run({ adopt: true })).toMatchObject({ verdict: 'aborted' });
  expect([world.done, world.seen]).toEqual([[], seenOf(half)]);
});

test.each([
  [
    'traffic that was moved partly: its old cluster still serves',
    half,
    'shift',
    ['Swap back to 1.35: shift traffic to blue'],
  ],
  [
    'traffic that was moved as a whole: its old cluster may be drained',
    moved,
    'soak',
    [
      'drain blue back',
      'Swap back to 1.35: restore in blue what drain deleted',
      'deliver blue back',
      'prescale blue back',
      'Swap back to 1.35: shift traffic to blue',
    ],
  ],
] as const)('the way back of %s', async (_, slots, phase, done) => {
  const world = worldOf(seenOf(slots));
  const approval = { timeoutMs: hour, onTimeout: 'back' } as const;
  world.plan = planOf({}, { [phase]: { approval } });
  const approvals = { how: () => 'say yes', answer: () => Promise.resolve({ refusedBy: 'bo' }) };
  const outcome = await world.run({ adopt: true, approvals });
  expect(outcome).toMatchObject({ verdict: 'rolledBack', record: { adopted: { phase } } });
  expect(world.done).toEqual(done);
  expect(world.seen).toEqual(seenOf(both));
});

test.each([
  ['a wrong version', seenOf({ blue: ['1.35', 60], green: ['1.37', 40] }), 'the plan asks for 1.36'],
  [
    'no cluster',
    { ...seenOf(half), clusters: seenOf({ blue: ['1.35', 0] }).clusters },
    'no cluster of slot green',
  ],
  [
    'no slot',
    { ...seenOf(moved), configuration: seenOf({ green: ['1.36', 100] }).configuration },
    'no slot blue',
  ],
])('with %s is left as it is', async (_, seen, reason) => {
  const world = worldOf(seen);
  const { verdict, reason: said } = await world.run({ adopt: true });
  expect([verdict, said]).toEqual(['aborted', expect.stringContaining(reason)]);
  expect([world.done, world.memory.record, world.memory.holder]).toEqual([[], undefined, undefined]);
});

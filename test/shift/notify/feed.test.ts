import * as fc from 'fast-check';
import type { CheckStatus, ShiftRun, ShiftSettings } from '../../../lib/shift/engine';
import { eventText, eventTypes, shiftFeed } from '../../../lib/shift/notify';
import type { FleetEvent } from '../../../lib/shift/notify';
import { check, result, World } from '../engine/world';

const origin = { by: 'alex@laptop', route: 'traffic', source: 'plan.yaml' };

/** Runs a real shift in simulated time, and keeps its events. */
async function eventsOf(
  settings: ShiftSettings,
  changes: Partial<ShiftRun> = {},
  world = new World(),
): Promise<{ readonly events: readonly FleetEvent[]; readonly world: World }> {
  const events: FleetEvent[] = [];
  const how = changes.resume?.how;
  const observer = shiftFeed({
    origin,
    ...(how !== undefined && { how }),
    emit: (event) => events.push(event),
  });
  await world.run(settings, { ...changes, observer });
  return { events, world };
}

const types = (events: readonly FleetEvent[]): string[] =>
  events.flatMap(({ type }) => (type === 'checkAnswered' ? [] : [type]));

test('a shift that completes: its start, each step, its end', async () => {
  const { events } = await eventsOf({ step: 50, every: '1m', bake: '1m' });
  expect(types(events)).toEqual(['started', 'stepWritten', 'stepWritten', 'ended']);
  expect(events.map(({ id }) => id.split('-').at(-1))).toEqual(events.map((_, index) => `${index + 1}`));
  expect(events[0]!.id).toMatch(/^20300101T000000Z-[0-9a-f]{8}-[0-9a-z]+-1$/);
  expect(events.filter(({ type }) => type !== 'checkAnswered').map(eventText)).toEqual([
    'From blue 100, green 0 to blue 0, green 100 in 2 steps, at least 3m.',
    'Step 1 of 2: blue 50, green 50.',
    'Step 2 of 2: blue 0, green 100.',
    expect.stringMatching(/^Completed: /),
  ]);
  expect(events[1]).toMatchObject({ weights: { blue: 50, green: 50 }, step: 1, steps: 2, ...origin });
  expect(events.at(-1)).toMatchObject({
    verdict: 'completed',
    writes: 2,
    failed: [],
    weights: { green: 100 },
  });
});

test('answers of a check say whether they are another one than before', async () => {
  const answers: CheckStatus[] = ['pass', 'inconclusive', 'inconclusive', 'pass', 'pass', 'pass'];
  const { events } = await eventsOf(
    { step: 100, every: '1m', bake: '1m', checkEvery: '10s' },
    { checks: [check(() => answers.shift() ?? 'pass')] },
  );
  const changed = events.flatMap((event) =>
    event.type === 'checkAnswered' && event.changed ? [event.check.status] : [],
  );
  expect(changed).toEqual(['pass', 'inconclusive', 'pass']);
});

test('a failed check: why it goes back, the write of it, and the check at the end', async () => {
  const { events } = await eventsOf(
    { step: 50, every: '1m', bake: '1m' },
    {
      checks: [
        check(({ live }) => (live.green! > 0 ? result('fail', 'green: 12 of 90 requests failed') : 'pass')),
      ],
    },
  );
  expect(types(events)).toEqual(['started', 'stepWritten', 'rollingBack', 'stepWritten', 'ended']);
  expect(events.find(({ type }) => type === 'rollingBack')).toMatchObject({
    reason: expect.stringContaining('green: 12 of 90 requests failed'),
    failed: [{ name: 'errors', status: 'fail' }],
  });
  const [, back] = events.filter(({ type }) => type === 'stepWritten');
  expect(back).toMatchObject({ rollback: true, weights: { blue: 100, green: 0 } });
  expect(eventText(back!)).toBe('Rolled back: blue 100, green 0 is written.');
  expect(events.at(-1)).toMatchObject({ verdict: 'rolledBack', failed: [{ name: 'errors' }] });
});

test('a pause says once how a person lets it continue', async () => {
  let asked = 0;
  const resume = { how: 'touch go-50', resumed: () => Promise.resolve((asked += 1) > 3) };
  const { events } = await eventsOf({ step: 50, every: '1m', bake: '1m', pause: [50] }, { resume });
  expect(types(events)).toEqual(['started', 'stepWritten', 'paused', 'resumed', 'stepWritten', 'ended']);
  expect(events.find(({ type }) => type === 'paused')).toMatchObject({ place: 50, how: 'touch go-50' });
});

test('it waits for a check before a step, and says so once', async () => {
  let asked = 0;
  const waits = check(
    () => ((asked += 1) > 4 ? 'pass' : result('inconclusive', '3 of 9 targets')),
    ['before'],
    'capacity',
  );
  const { events } = await eventsOf({ step: 100, every: '1m', bake: '1m' }, { checks: [waits] });
  expect(types(events)).toEqual(['started', 'waiting', 'stepWritten', 'ended']);
  expect(eventText(events.find(({ type }) => type === 'waiting')!)).toBe(
    'Waits for capacity (3 of 9 targets).',
  );
});

test('a run that can not begin has an end alone', async () => {
  const world = new World();
  world.rule.onRead = () => 'denied';
  const { events } = await eventsOf({}, {}, world);
  expect(types(events)).toEqual(['ended']);
  expect(events[0]).toMatchObject({ verdict: 'aborted', weights: null, from: null });
});

test('one route that is taken back later starts and ends twice, with numbers that grow', async () => {
  const world = new World();
  const events: FleetEvent[] = [];
  const observer = shiftFeed({ origin, emit: (event) => events.push(event) });
  await world.run({ step: 100, every: '1m', bake: '1m' }, { observer, keepRecord: true });
  await world.run({ step: 100, every: '1m', bake: '1m' }, { observer, rollBack: 'another one failed' });
  expect(types(events)).toEqual([
    'started',
    'stepWritten',
    'ended',
    'started',
    'rollingBack',
    'stepWritten',
    'ended',
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});

test('whatever checks answer: one end, after everything else; each write once; weights as they are written', async () => {
  const status = fc.constantFrom<CheckStatus>('pass', 'pass', 'pass', 'inconclusive', 'fail');
  await fc.assert(
    fc.asyncProperty(fc.array(status, { maxLength: 30 }), async (answers) => {
      const given = [...answers];
      const { events, world } = await eventsOf(
        { step: 25, every: '1m', bake: '1m', inconclusiveLimit: '5m' },
        { checks: [check(() => given.shift() ?? 'pass', ['before', 'after'])] },
      );
      const names = types(events);
      expect(names.filter((name) => name === 'ended')).toHaveLength(1);
      expect(events.at(-1)!.type).toBe('ended');
      expect(names.filter((name) => name === 'started').length).toBeLessThanOrEqual(1);
      const written = events.filter(({ type }) => type === 'stepWritten').map(({ weights }) => weights);
      expect(written).toEqual(world.rule.writes.map(({ weights }) => weights));
      expect(events.every(({ type }) => eventTypes.includes(type))).toBe(true);
      const times = events.map(({ at }) => Date.parse(at));
      expect(times).toEqual([...times].sort((one, other) => one - other));
    }),
    { numRuns: 60 },
  );
});

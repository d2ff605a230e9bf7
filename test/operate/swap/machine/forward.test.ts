import { hour, minute, planOf, playWell, seenOf } from './plans';

const blue = seenOf({ blue: ['1.35', 100] });

test('a swap goes the whole way: the new slot has all traffic, and the old one is gone', () => {
  const { played, seen, done } = playWell(planOf(), blue);
  expect(done).toEqual([
    'run ready green',
    'deploy create',
    'run deliver green',
    'run try green',
    'run prescale green',
    'deploy shift',
    'run soak green',
    'run drain blue',
    'deploy delete',
  ]);
  expect(played.state.end).toEqual({
    verdict: 'completed',
    reason: 'green (1.36) has all traffic, and blue (1.35) is gone.',
  });
  expect(seen).toEqual(seenOf({ green: ['1.36', 100] }));
  expect(played.state.record!.done.map(({ phase, verdict }) => `${phase} ${verdict}`)).toEqual([
    'ready passed',
    'create passed',
    'deliver passed',
    'try passed',
    'prescale passed',
    'shift passed',
    'soak passed',
    'drain passed',
    'delete passed',
  ]);
});

test('each version on the way is a swap of its own, and the names take turns', () => {
  const { played, seen, done } = playWell(
    planOf({ versions: ['1.35', '1.36'] }),
    seenOf({ blue: ['1.34', 100] }),
  );
  expect(done.filter((text) => text.startsWith('run drain'))).toEqual(['run drain blue', 'run drain green']);
  expect(played.state.end!.verdict).toBe('completed');
  expect(played.state.record!.id).toBe('swap-1-2');
  expect(seen).toEqual(seenOf({ blue: ['1.36', 100] }));
});

test('a hub hands over to the other one', () => {
  const { blue: cluster } = blue.clusters;
  const seen = {
    configuration: { slots: { blue: '1.35' }, active: 'blue' },
    clusters: { blue: cluster! },
    live: { blue: 100 },
  };
  const { played, seen: after } = playWell(planOf({ moves: 'hub' }), seen);
  expect(played.state.end!.verdict).toBe('completed');
  expect(after.configuration).toEqual({ slots: { green: '1.36' }, active: 'green' });
});

test('a soak is asked again until its time is over', () => {
  const { done } = playWell(planOf({}, { soak: { leastMs: hour, everyMs: 25 * minute } }), blue);
  expect(done.filter((text) => text.includes('soak'))).toEqual([
    'run soak green',
    'wait soak',
    'run soak green',
    'wait soak',
    'run soak green',
    'wait soak',
    'run soak green',
  ]);
});

test('nothing is to be done where the fleet has the version and no other cluster', () => {
  const { played, done } = playWell(planOf(), seenOf({ green: ['1.36', 100] }));
  expect(done).toEqual([]);
  expect(played.state.end).toEqual({
    verdict: 'completed',
    unchanged: true,
    reason: 'green (1.36) has all traffic, and there is no other cluster.',
  });
});

test('phases that change nothing can be left out, the others not', () => {
  const skipped = { skip: true };
  const { done } = playWell(
    planOf(
      {},
      { ready: skipped, deliver: skipped, try: skipped, prescale: skipped, soak: skipped, drain: skipped },
    ),
    blue,
  );
  expect(done).toEqual(['deploy create', 'deploy shift', 'run drain blue', 'deploy delete']);
});

test('a soak that is asked less often than its time-out has all of it each time', () => {
  let asked = 0;
  const plan = planOf({}, { soak: { leastMs: hour, everyMs: 25 * minute } });
  const { played, done } = playWell(plan, blue, {}, (action) =>
    action.type === 'run' && action.phase === 'soak' && ++asked === 2
      ? { type: 'notPassed', reason: 'no metrics yet', final: false }
      : undefined,
  );
  expect(done).toContain('wait retry');
  expect(played.state.end!.verdict).toBe('completed');
});

import type { SwapAction, SwapPhase, SwapRecord } from '../../../../lib/operate/swap';
import { deployedOn, minute, planOf, playWell, seenOf, started, t0 } from './plans';
import type { Fed } from './plans';

const blue = seenOf({ blue: ['1.35', 100] });
const both = seenOf({ blue: ['1.35', 100], green: ['1.36', 0] });
const onGreen = seenOf({ blue: ['1.35', 0], green: ['1.36', 100] });

/** The way forward fails in one phase; the way back goes well. */
function failing(phase: SwapPhase, how: Fed): (action: SwapAction) => Fed | undefined {
  return (action) =>
    (action.type === 'run' || action.type === 'deploy') &&
    action.phase === phase &&
    !action.back &&
    !isNew(action)
      ? how
      : undefined;
}

/** Whether a drain is that of the new slot, on the way back. */
function isNew(action: SwapAction): boolean {
  return action.type === 'run' && action.phase === 'drain' && action.slot.name === 'green';
}

const broken: Fed = { type: 'notPassed', reason: 'it is broken', final: true };
const failed: Fed = { type: 'notDeployed', reason: 'it is broken', changed: false };

test.each<[SwapPhase, 'keep' | 'delete', Fed, done: readonly string[], after: object]>([
  ['ready', 'keep', broken, ['run ready green'], blue],
  ['ready', 'delete', broken, ['run ready green'], blue],
  ['create', 'keep', failed, ['deploy create'], blue],
  ['deliver', 'keep', broken, ['run deliver green'], both],
  ['try', 'delete', broken, ['run try green', 'run drain green', 'deploy delete back'], blue],
  ['prescale', 'keep', broken, ['run prescale green'], both],
  ['shift', 'delete', failed, ['deploy shift', 'run drain green', 'deploy delete back'], blue],
  ['soak', 'keep', broken, ['run soak green', 'deploy shift back'], both],
  [
    'soak',
    'delete',
    broken,
    ['run soak green', 'deploy shift back', 'run drain green', 'deploy delete back'],
    blue,
  ],
])(
  'where %s fails and the plan says %s, all traffic is on the old slot',
  (phase, onFailure, how, done, after) => {
    const {
      played,
      seen,
      done: all,
    } = playWell(planOf({}, { [phase]: { onFailure } }), blue, {}, failing(phase, how));
    const first = done[0]!;
    expect(all.slice(all.indexOf(first))).toEqual(done);
    expect(seen).toEqual(after);
    expect(played.state.end!.verdict).toBe('rolledBack');
    expect(played.state.end!.reason).toContain('it is broken\nblue (1.35) has all traffic.');
    expect(played.state.record!.ended!.verdict).toBe('rolledBack');
    expect(played.state.record!.done).toContainEqual(expect.objectContaining({ phase, verdict: 'failed' }));
  },
);

test('a shift that fails halfway goes back', () => {
  const halfway = { ...onGreen, live: { blue: 40, green: 60 } };
  let isCut = false;
  const { played, seen, done } = playWell(planOf(), blue, {}, (action) => {
    if (action.type === 'deploy' && action.phase === 'shift' && !action.back) {
      isCut = true;
      return failed;
    }
    const looks = action.type === 'look' && isCut;
    isCut = isCut && !looks;
    return looks ? { type: 'seen', seen: halfway } : undefined;
  });
  expect(done.slice(-2)).toEqual(['deploy shift', 'deploy shift back']);
  expect(played.state.end!.verdict).toBe('rolledBack');
  expect(seen.live).toEqual({ blue: 100 });
});

test.each<[SwapPhase, Fed]>([
  ['drain', broken],
  ['delete', failed],
])('where %s fails, it stops, and the next run goes on there', (phase, how) => {
  const { played, seen } = playWell(planOf(), blue, {}, failing(phase, how));
  expect(played.state.end).toMatchObject({
    verdict: 'held',
    reason: expect.stringContaining('green has all traffic'),
  });
  expect(played.state.record!.phase).toBe(phase);
  const again = playWell(planOf(), seen, { record: played.state.record! });
  expect(again.played.state.end!.verdict).toBe('completed');
  expect(again.done[0]).toBe(phase === 'drain' ? 'run drain blue' : 'deploy delete');
});

test('a phase that does not pass is asked again until its time is over', () => {
  const { played, done } = playWell(planOf(), blue, {}, failing('try', { ...broken, final: false } as Fed));
  expect(done.filter((text) => text === 'run try green')).toHaveLength(5);
  expect(played.state.end!.reason).toContain('try has not passed within 1m: it is broken');
});

/** The record of a swap from blue to green, in a phase. */
function recordIn(phase: SwapPhase, changes: Partial<SwapRecord> = {}): SwapRecord {
  return {
    id: 'swap-0',
    by: 'ana@laptop',
    startedAt: t0 - minute,
    old: { name: 'blue', version: '1.35' },
    new: { name: 'green', version: '1.36' },
    setting: '1.36',
    phase,
    before: both.configuration,
    done: [],
    ...changes,
  };
}

const afterShift = { before: both.configuration, written: onGreen.configuration };
const begun = { phaseStartedAt: t0 - 1 };
const fromDrain = [
  'run drain blue back',
  'deploy drain back',
  'run deliver blue back',
  'run prescale blue back',
  'deploy shift back',
];

test.each<[what: string, record: SwapRecord, seen: typeof both, done: readonly string[]]>([
  ['before the shift nothing is to be moved', recordIn('prescale', begun), both, []],
  [
    'in a shift the traffic goes back',
    recordIn('shift', { ...begun, ...afterShift }),
    onGreen,
    ['deploy shift back'],
  ],
  [
    'in a soak the traffic goes back',
    recordIn('soak', { ...begun, ...afterShift }),
    onGreen,
    ['deploy shift back'],
  ],
  [
    'before drain begins it has nothing to undo',
    recordIn('drain', afterShift),
    onGreen,
    ['deploy shift back'],
  ],
  [
    'once drain has begun, Argo CD deploys to the old cluster first',
    recordIn('drain', { ...begun, ...afterShift }),
    onGreen,
    fromDrain,
  ],
  ['before delete begins as well', recordIn('delete', afterShift), onGreen, fromDrain],
  [
    'in a soak of a swap that was taken over with all traffic on the new slot: the old cluster may be drained',
    recordIn('soak', {
      ...begun,
      adopted: { phase: 'soak', mayBeDrained: true },
      before: onGreen.configuration,
    }),
    onGreen,
    fromDrain,
  ],
  [
    'in a soak, after a person has evacuated the new cluster: the configuration goes back',
    recordIn('soak', { ...begun, ...afterShift }),
    { ...onGreen, live: { blue: 100 } },
    ['deploy shift back'],
  ],
  [
    'in a soak, after a person has moved some of the traffic',
    recordIn('soak', { ...begun, ...afterShift }),
    { ...onGreen, live: { blue: 60, green: 40 } },
    ['deploy shift back'],
  ],
  [
    'in try, after a person has moved some of the traffic',
    recordIn('try', begun),
    { ...both, live: { blue: 95, green: 5 } },
    ['deploy shift back'],
  ],
  [
    'in a soak of one that was taken over in the shift',
    recordIn('soak', { ...begun, ...afterShift, adopted: { phase: 'shift', mayBeDrained: false } }),
    onGreen,
    ['deploy shift back'],
  ],
])('the way back is asked for: %s', (_, record, seen, done) => {
  const back = playWell(planOf(), seen, { record, ask: 'back' });
  expect(back.done).toEqual(done);
  expect(back.seen).toEqual(both);
  expect(back.played.state.end).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringContaining('ana@laptop requested a rollback'),
  });
  const away = playWell(planOf(), seen, { record, ask: 'backAndDelete' });
  expect(away.done).toEqual([...done, 'run drain green', 'deploy delete back']);
  expect(away.seen).toEqual(blue);
});

test('there is no way back once delete has begun', () => {
  const written = blue.configuration;
  const record = recordIn('delete', { ...begun, before: onGreen.configuration, written });
  const { played, done } = playWell(planOf(), onGreen, { record, ask: 'back' });
  expect(done).toEqual([]);
  expect(played.state.end).toMatchObject({
    verdict: 'aborted',
    reason: expect.stringMatching(/^There is no way back/),
  });
  expect(played.state.record).toEqual(record);
});

test('a way back that has begun goes on whatever is asked for, and can take the new cluster away as well', () => {
  const back = { why: 'ana asked', then: 'keep', step: 'shift', stepStartedAt: t0 - 1 } as const;
  const record = recordIn('soak', { ...begun, ...afterShift, back });
  const { done, seen } = playWell(planOf(), onGreen, { record });
  expect([done, seen]).toEqual([['deploy shift back'], both]);
  const away = playWell(planOf(), onGreen, { record, ask: 'backAndDelete' });
  expect(away.done).toEqual(['deploy shift back', 'run drain green', 'deploy delete back']);
});

test('a person may have moved the traffic by the configuration before the way back is asked for', () => {
  const record = recordIn('soak', { ...begun, ...afterShift });
  const halves = { blue: 50, green: 50 };
  const seen = { ...onGreen, live: halves, configuration: { ...onGreen.configuration, weights: halves } };
  const back = playWell(planOf(), seen, { record, ask: 'back' });
  expect([back.done, back.seen]).toEqual([['deploy shift back'], both]);
  const forward = playWell(planOf(), seen, { record });
  expect([forward.done, forward.played.state.end?.verdict]).toEqual([[], 'aborted']);
});

test.each([
  ['runs Kubernetes 1.37 by now', seenOf({ blue: ['1.35', 100], green: ['1.37', 0] })],
  [
    'has other settings by now',
    {
      ...both,
      configuration: {
        ...both.configuration,
        slots: { ...both.configuration.slots, green: { version: '1.36', nodes: 9 } },
      },
    },
  ],
])('a slot that is no longer the one of the last swap is not taken away: it %s', (what, seen) => {
  const last = recordIn('soak', { ...begun, ...afterShift, ended: { at: t0, verdict: 'rolledBack' } });
  const { played, done } = playWell(planOf(), seen, { record: last, ask: 'backAndDelete' });
  expect(done).toEqual([]);
  expect(played.state.end).toMatchObject({
    verdict: 'aborted',
    reason: expect.stringContaining(`green ${what}, and the last swap made it with 1.36`),
  });
});

test('a way back that fails stops, and goes on in the next run', () => {
  const record = recordIn('soak', { ...begun, ...afterShift });
  const first = playWell(planOf(), onGreen, { record, ask: 'back' }, ({ type }) =>
    type === 'deploy' ? failed : undefined,
  );
  expect(first.played.state.end!.verdict).toBe('held');
  const next = playWell(planOf(), onGreen, { record: first.played.state.record! });
  expect(next.played.state.end!.verdict).toBe('rolledBack');
  expect(next.seen).toEqual(both);
});

test.each([
  ['shift', both, 'deploy shift back', both],
  ['delete', blue, 'deploy delete back', blue],
] as const)(
  'a %s that was killed after its last change is deployed again on the way back',
  (step, seen, deploys, after) => {
    const back = {
      why: 'ana asked',
      then: step === 'shift' ? 'keep' : 'delete',
      step,
      stepStartedAt: t0 - 7,
    } as const;
    const record = recordIn('soak', { before: onGreen.configuration, written: seen.configuration, back });
    const { played, done, seen: left } = playWell(planOf(), seen, { record });
    expect(done).toEqual([deploys]);
    expect(left).toEqual(after);
    // It began in the run before.
    expect(played.state.record!.done).toContainEqual(
      expect.objectContaining({ phase: step, startedAt: t0 - 7 }),
    );
  },
);

test('a step of the way back that does not pass is asked again, and goes on in the next run', () => {
  const record = recordIn('drain', { ...begun, ...afterShift });
  const first = playWell(planOf(), onGreen, { record, ask: 'back' }, (action) =>
    action.type === 'run' && action.phase === 'deliver' ? { ...broken, final: false } : undefined,
  );
  expect(first.done.filter((text) => text === 'run deliver blue back')).toHaveLength(5);
  expect(first.played.state.end).toMatchObject({
    verdict: 'held',
    reason: expect.stringContaining('has not passed within 1m: it is broken'),
  });
  const next = playWell(planOf(), onGreen, { record: first.played.state.record! });
  expect(next.done).toEqual(fromDrain.slice(2));
});

test('what drain has deleted of the program comes back by a deployment that changes no configuration', () => {
  const record = recordIn('drain', { ...begun, ...afterShift });
  const { played } = playWell(planOf(), onGreen, { record, ask: 'back' });
  const deployed = played.actions.filter((action) => action.type === 'deploy');
  expect(deployed[0]).toMatchObject({
    ...{ phase: 'drain', back: true, restore: { fleet: 'apps', slot: 'blue' } },
    ...{ configuration: onGreen.configuration, expected: [onGreen.configuration, onGreen.configuration] },
  });
  expect(deployed[1]).not.toHaveProperty('restore');
  expect(played.log).toContain('The way back: the program makes again what drain deleted in blue.');
  const done = played.state.record!.done.map(({ phase, verdict }) => `${phase} ${verdict}`);
  expect(done).toEqual(['drain undone', 'drain undone', 'deliver undone', 'prescale undone', 'shift undone']);
});

test('targets of the old cluster are not waited for where the plan leaves that out', () => {
  const record = recordIn('drain', { ...begun, ...afterShift });
  const { done } = playWell(planOf({}, { prescale: { skip: true } }), onGreen, { record, ask: 'back' });
  expect(done).toEqual(fromDrain.filter((text) => !text.includes('prescale')));
});

test('a program that does not make it again stops the way back before the traffic', () => {
  const record = recordIn('drain', { ...begun, ...afterShift });
  const first = playWell(planOf(), onGreen, { record, ask: 'back' }, ({ type }) =>
    type === 'deploy' ? failed : undefined,
  );
  expect(first.done).toEqual(fromDrain.slice(0, 2));
  expect(first.played.state.end).toMatchObject({
    verdict: 'held',
    reason: expect.stringContaining('(the program makes again what drain deleted in blue) was not deployed'),
  });
  const next = playWell(planOf(), onGreen, { record: first.played.state.record! });
  expect(next.done).toEqual(fromDrain.slice(1));
});

test('somebody who changes the configuration on the way back ends it', () => {
  const record = recordIn('soak', { ...begun, ...afterShift });
  const { played } = playWell(planOf(), onGreen, { record, ask: 'back' }, ({ type }) =>
    type === 'deploy' ? { type: 'notDeployed', reason: 'it is another one', changed: true } : undefined,
  );
  expect(played.state.end).toMatchObject({
    verdict: 'aborted',
    reason: expect.stringContaining('it is another one'),
  });
});

test('a drain of the new cluster that fails for good stops at once', () => {
  const record = recordIn('try', begun);
  const { played, done } = playWell(planOf(), both, { record, ask: 'backAndDelete' }, ({ type }) =>
    type === 'run' ? broken : undefined,
  );
  expect(done).toEqual(['run drain green']);
  expect(played.state.end!.verdict).toBe('held');
});

test('a cluster that the last swap kept goes', () => {
  const kept = recordIn('try', { ended: { at: t0, verdict: 'rolledBack' } });
  const { played, seen, done } = playWell(planOf(), both, { record: kept, ask: 'backAndDelete' });
  expect(done).toEqual(['run drain green', 'deploy delete back']);
  expect(seen).toEqual(blue);
  expect(played.state.record).toMatchObject({ id: started.id, ended: { verdict: 'rolledBack' } });
});

test('a cluster that never served is not drained, but goes', () => {
  const record = recordIn('create', { ...begun, before: blue.configuration, written: both.configuration });
  const creating = seenOf({ blue: ['1.35', 100], green: ['1.36', 0, 'FAILED'] });
  const { done, seen } = playWell(planOf(), creating, { record, ask: 'backAndDelete' });
  expect(done).toEqual(['deploy delete back']);
  expect(seen).toEqual(deployedOn(blue, blue.configuration));
});

test.each<[string, SwapRecord | undefined, typeof both, 'rolledBack' | 'aborted', string]>([
  [
    'no swap',
    undefined,
    blue,
    'aborted',
    'No swap is open: there is nothing to go back from. All live traffic is on blue.',
  ],
  [
    'a completed one',
    recordIn('delete', { ended: { at: t0, verdict: 'completed' } }),
    blue,
    'aborted',
    'No swap is open',
  ],
  [
    'one that went back',
    recordIn('soak', { ended: { at: t0, verdict: 'rolledBack' } }),
    both,
    'rolledBack',
    'The last swap went back already: blue (1.35) has all traffic. green is kept',
  ],
  [
    'one that went back, and traffic elsewhere',
    recordIn('soak', { ended: { at: t0, verdict: 'rolledBack' } }),
    onGreen,
    'aborted',
    'All live traffic is on green. The last swap went back to blue.',
  ],
])('the way back is asked for after %s', (_, record, seen, verdict, reason) => {
  const { played, done } = playWell(planOf(), seen, { ...(record && { record }), ask: 'back' });
  expect(done).toEqual([]);
  expect(played.state.end).toMatchObject({ verdict, reason: expect.stringContaining(reason) });
});

test('a short time-out of the shift does not cut off the deployment that takes its traffic back', () => {
  const times: Record<string, number> = {};
  playWell(planOf({}, { shift: { timeoutMs: minute } }), blue, {}, (action) => {
    if (action.type === 'deploy' && action.phase === 'shift') {
      times[action.back ? 'back' : 'forward'] = action.until;
    }
    return failing('soak', broken)(action);
  });
  expect(times['back']! - times['forward']!).toBeGreaterThanOrEqual(29 * minute);
});

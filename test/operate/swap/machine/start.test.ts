import type { SwapAction, SwapPlan, SwapRecord, SwapSeen } from '../../../../lib/operate/swap';
import { planOf, playWell, Played, seenOf, started, t0 } from './plans';
import type { Fed } from './plans';

const blue = seenOf({ blue: ['1.35', 100] });

test.each<[what: string, seen: SwapSeen, reason: string, plan?: Partial<SwapPlan>]>([
  ['nothing leads to the fleet', { ...blue, live: {} }, 'No live traffic leads to the fleet.'],
  [
    'the traffic is split',
    seenOf({ blue: ['1.35', 90], green: ['1.36', 10] }),
    'The live traffic is split: blue 90 %, green 10 %. A swap begins where one slot has all of it.',
  ],
  [
    'the configuration says another slot',
    { ...seenOf({ blue: ['1.35', 0], green: ['1.36', 100] }), live: { blue: 100 } },
    'All live traffic is on blue. The configuration says otherwise (slots blue and green; weights blue 0, green 100).',
  ],
  [
    'the configuration has no weights',
    { ...blue, configuration: { slots: { blue: '1.35' }, active: 'blue' } },
    'The configuration says otherwise (slots blue; blue writes).',
  ],
  [
    'the configuration gives no slot a weight',
    { ...blue, configuration: { slots: { blue: '1.35' }, weights: {} } },
    'The configuration says otherwise (slots blue; weights ).',
  ],
  [
    'the new cluster has another version than its setting',
    {
      ...seenOf({ blue: ['1.35', 100], green: ['1.36', 0] }),
      clusters: { ...blue.clusters, green: { version: '1.35', status: 'ACTIVE' } },
    },
    'It runs Kubernetes 1.35, and its setting says 1.36.',
  ],
  ['a hub does not write', blue, 'The configuration says otherwise', { moves: 'hub' }],
  ['the old cluster goes', seenOf({ blue: ['1.35', 100, 'DELETING'] }), 'The cluster of blue is DELETING.'],
  [
    'the old cluster is missing',
    { ...blue, clusters: {} },
    'EKS has no cluster of slot blue in the region of this swap.',
  ],
  [
    'there are three slots',
    seenOf({ blue: ['1.35', 100], green: ['1.36', 0], red: ['1.34', 0] }),
    'Besides blue, which has all traffic, there are green and red: a swap has two slots.',
  ],
  [
    'another slot has another version',
    seenOf({ blue: ['1.35', 100], green: ['1.34', 0] }),
    'There is a slot green (1.34) without traffic, and it is not what the plan asks for (1.36).',
  ],
  [
    'another slot has the version, and other settings',
    seenOf({ blue: ['1.35', 100], green: ['1.36', 0] }),
    'Run it with --adopt to take it as it is',
    { versions: [{ version: '1.36', nodes: 3 }] },
  ],
  [
    'a cluster is in no configuration',
    { ...blue, clusters: { ...blue.clusters, red: { version: '1.36', status: 'ACTIVE' } } },
    'The cluster of red is ACTIVE. The configuration has no slot red: add it to the configuration, or delete the cluster.',
  ],
  [
    'the new cluster goes',
    seenOf({ blue: ['1.35', 100], green: ['1.36', 0, 'DELETING'] }),
    'The cluster of green is DELETING.',
  ],
  [
    'the plan is older',
    seenOf({ blue: ['1.37', 100] }),
    'blue (1.37) has all traffic, and the plan asks for 1.36, which is older.',
  ],
  [
    'the version is there, and another slot too',
    seenOf({ blue: ['1.35', 0], green: ['1.36', 100] }),
    'Run it with --adopt to go on at soak',
  ],
  ['no name is free', blue, 'No name is free for the new slot: the plan has blue.', { names: ['blue'] }],
])('a swap does not begin where %s', (_, seen, reason, plan = {}) => {
  const { played, done } = playWell(planOf(plan), seen);
  expect(done).toEqual([]);
  expect(played.actions.map(({ type }) => type)).toEqual(['look', 'log']);
  expect(played.state.end).toMatchObject({ verdict: 'aborted', reason: expect.stringContaining(reason) });
});

test.each<[what: string, seen: SwapSeen, plan: Partial<SwapPlan>, first: string]>([
  [
    'the traffic is on the new slot',
    seenOf({ blue: ['1.35', 0], green: ['1.36', 100] }),
    {},
    'run soak green',
  ],
  ['it is on the old one', seenOf({ blue: ['1.35', 100], green: ['1.36', 0] }), {}, 'run ready green'],
  [
    'the new slot has other settings',
    seenOf({ blue: ['1.35', 100], green: ['1.36', 0] }),
    { versions: [{ version: '1.36', nodes: 3 }] },
    'run ready green',
  ],
  [
    'it is a version on the way',
    seenOf({ blue: ['1.35', 0], green: ['1.36', 100] }),
    { versions: ['1.36', '1.37'] },
    'run soak green',
  ],
])('what is live is taken over where %s', (_, seen, plan, first) => {
  const { played, done } = playWell(planOf(plan), seen, { adopt: true });
  expect(done[0]).toBe(first);
  expect(played.state.end!.verdict).toBe('completed');
});

test('a slot that has the wanted setting already is used', () => {
  const { played, done } = playWell(planOf(), seenOf({ blue: ['1.35', 100], teal: ['1.36', 0] }));
  expect(played.state.record!.new).toEqual({ name: 'teal', version: '1.36' });
  expect(done).toContain('deploy create');
});

test('1.10 is newer than 1.9', () => {
  const { played } = playWell(planOf({ versions: ['1.10'] }), seenOf({ blue: ['1.9', 100] }));
  expect(played.state.record!.new).toEqual({ name: 'green', version: '1.10' });
});

const both = seenOf({ blue: ['1.35', 100], green: ['1.36', 0] });
const moved = seenOf({ blue: ['1.35', 0], green: ['1.36', 100] });
const half = seenOf({ blue: ['1.35', 60], green: ['1.36', 40] });
/** What is there without the cluster of a slot, or without the slot in the configuration. */
const withoutCluster = (seen: SwapSeen, name: string): SwapSeen => {
  const { [name]: _, ...clusters } = seen.clusters;
  return { ...seen, clusters };
};
const unconfigured = (seen: SwapSeen, name: string): SwapSeen => {
  const { [name]: _, ...slots } = seen.configuration.slots;
  const { [name]: _weight, ...weights } = seen.configuration.weights!;
  return { ...seen, configuration: { slots, weights } };
};

describe('with --adopt', () => {
  const toDelete = ['run soak green', 'run drain blue', 'deploy delete'];

  test.each<
    [what: string, seen: SwapSeen, adopted: 'shift' | 'soak', mayBeDrained: boolean, done: readonly string[]]
  >([
    ['a part of the traffic is on the new slot', half, 'shift', false, ['deploy shift', ...toDelete]],
    [
      'nearly all of it is',
      seenOf({ blue: ['1.35', 1], green: ['1.36', 99] }),
      'shift',
      false,
      ['deploy shift', ...toDelete],
    ],
    [
      'a part of it is, and the configuration still says the old one',
      { ...both, live: { blue: 75, green: 25 } },
      'shift',
      false,
      ['deploy shift', ...toDelete],
    ],
    [
      'all of it is, and the configuration still says the old one',
      { ...both, live: { green: 100 } },
      'shift',
      true,
      ['deploy shift', ...toDelete],
    ],
    [
      'none of it is, and the configuration says the new one',
      { ...moved, live: { blue: 100 } },
      'shift',
      false,
      ['deploy shift', ...toDelete],
    ],
    ['all of it is', moved, 'soak', true, toDelete],
  ])('it goes on where %s', (_, seen, adopted, mayBeDrained, done) => {
    const without = playWell(planOf(), seen);
    expect(without.done).toEqual([]);
    expect(without.played.state.end!.reason).toContain(`Run it with --adopt to go on at ${adopted}.`);
    const { played, done: all } = playWell(planOf(), seen, { adopt: true });
    expect(all).toEqual(done);
    expect(played.state.record).toMatchObject({
      ...{
        adopted: { phase: adopted, mayBeDrained },
        old: { name: 'blue' },
        new: { name: 'green', version: '1.36' },
      },
      ended: { verdict: 'completed' },
    });
    expect(played.log).toContain(
      `Swap swap-1: blue (1.35) to green (1.36), taken over at ${adopted}: what came before was done by hand.`,
    );
  });

  test('a new slot that needs nothing of it is not taken over', () => {
    const { played, done } = playWell(planOf(), both, { adopt: true });
    expect(done[0]).toBe('run ready green');
    expect(played.state.record).not.toHaveProperty('adopted');
  });

  test('a shift that was taken over and fails goes back to the old slot', () => {
    const { played, seen } = playWell(planOf(), half, { adopt: true }, (action) =>
      action.type === 'deploy' && !action.back
        ? { type: 'notDeployed', reason: 'a check fails', changed: false }
        : undefined,
    );
    expect(played.state.end!.verdict).toBe('rolledBack');
    expect(seen).toEqual(both);
  });

  test('a person still has to agree, and windows still hold', () => {
    const approval = { timeoutMs: 60_000, onTimeout: 'hold' } as const;
    const { done } = playWell(planOf({}, { shift: { approval } }), half, { adopt: true });
    expect(done.slice(0, 3)).toEqual(['ask shift', 'ask shift', 'deploy shift']);
  });

  test.each<[what: string, seen: SwapSeen, reason: string, plan?: Partial<SwapPlan>]>([
    [
      'the configuration has no slot for the new cluster',
      unconfigured(both, 'green'),
      'The cluster of green is ACTIVE. The configuration has no slot green: add it to the configuration, or delete the cluster.',
    ],
    [
      'the configuration has no slot for the old cluster',
      unconfigured(moved, 'blue'),
      'green (1.36) has all traffic, and there is blue as well, of which no record says why. The cluster of blue is ACTIVE. The configuration has no slot blue',
    ],
    [
      'the old slot has no cluster',
      withoutCluster(moved, 'blue'),
      'EKS has no cluster of slot blue in the region of this swap. Take the slot out of the configuration, or deploy the program to create it.',
    ],
    [
      'a slot with traffic has no cluster',
      withoutCluster(half, 'green'),
      'The live traffic is split: blue 60 %, green 40 %. A swap begins where one slot has all of it.\nEKS has no cluster of slot green in the region of this swap.',
    ],
    [
      'the new cluster is in no configuration, and has traffic',
      unconfigured(half, 'green'),
      'The configuration has no slot green',
    ],
    [
      'the new cluster goes',
      seenOf({ blue: ['1.35', 60], green: ['1.36', 40, 'DELETING'] }),
      'The cluster of green is DELETING. Run it again once it is gone.',
    ],
    [
      'the old cluster is updated',
      seenOf({ blue: ['1.35', 60, 'UPDATING'], green: ['1.36', 40] }),
      'The cluster of blue is UPDATING. Run it again once it is ACTIVE.',
    ],
    [
      'both have one version',
      seenOf({ blue: ['1.36', 60], green: ['1.36', 40] }),
      'The cluster of blue is not newer than that of green.',
    ],
    [
      'the other slot is newer',
      seenOf({ blue: ['1.37', 0], green: ['1.36', 100] }),
      'The cluster of green is not newer than that of blue.',
    ],
    [
      'the newer slot has a version that is not wanted',
      seenOf({ blue: ['1.35', 60], green: ['1.37', 40] }),
      'green runs Kubernetes 1.37, and the plan asks for 1.36.',
    ],
    [
      'the new cluster has another version than its setting',
      {
        ...half,
        configuration: { ...half.configuration, slots: { blue: '1.35', green: '1.37' } },
      },
      'The cluster of green runs Kubernetes 1.36, and its setting says 1.37.',
      { versions: ['1.36', '1.37'] },
    ],
    [
      'there are three slots',
      seenOf({ blue: ['1.35', 60], green: ['1.36', 40], red: ['1.34', 0] }),
      'There are the slots blue, green, red: a swap has two.',
    ],
    ['no traffic leads there', { ...half, live: {} }, 'No live traffic leads to the fleet.'],
    [
      'the configuration has no weights',
      { ...half, configuration: { slots: half.configuration.slots, active: 'blue' } },
      'The active hub is blue and green',
    ],
    [
      'another slot without traffic has another version',
      seenOf({ blue: ['1.35', 100], green: ['1.34', 0] }),
      'There is a slot green (1.34) without traffic, and it is not what the plan asks for (1.36).',
    ],
  ])('it does not begin where %s', (_, seen, reason, plan = {}) => {
    const { played, done } = playWell(planOf(plan), seen, { adopt: true });
    expect(done).toEqual([]);
    expect(played.actions.map(({ type }) => type)).toEqual(['look', 'log']);
    expect(played.state.end!.verdict).toBe('aborted');
    expect(played.state.end!.reason).toContain(reason);
    expect(played.state.end!.reason).toMatch(/Nothing was changed\.$/);
    expect(played.state.end!.reason).not.toContain('--adopt');
  });

  test('a swap that is open goes on by its record, and says how to give it up where that does not fit', () => {
    const { played, done } = playWell(planOf(), moved, { record: open, adopt: true });
    expect(done).toEqual([]);
    expect(played.state.end!.reason).toContain(
      'Undo what differs, and run it again; or give this swap up with --forget, and go on from what there is with --adopt.',
    );
  });
});

const open: SwapRecord = {
  id: 'swap-0',
  by: 'bo',
  startedAt: t0,
  old: { name: 'blue', version: '1.35' },
  new: { name: 'green', version: '1.36' },
  setting: '1.36',
  phase: 'deliver',
  written: { slots: { blue: '1.35', green: '1.36' }, weights: { blue: 100, green: 0 } },
  before: { slots: { blue: '1.35' }, weights: { blue: 100 } },
  done: [],
};

test('an open swap goes on, whatever the file asks for by now', () => {
  const { played, done } = playWell(planOf({ versions: ['1.37'] }), both, { record: open });
  expect(done[0]).toBe('run deliver green');
  expect(played.log[0]).toContain('The file asks for 1.37 by now');
  // Then comes what the file asks for.
  expect(played.state.record!.new).toEqual({ name: 'blue', version: '1.37' });
});

test.each<[what: string, seen: SwapSeen, changes: Partial<SwapRecord>, reason: string]>([
  [
    'a third slot has come',
    seenOf({ blue: ['1.35', 100], green: ['1.36', 0], red: ['1.34', 0] }),
    {},
    'There is a slot red',
  ],
  [
    'a third cluster has come',
    { ...both, clusters: { ...both.clusters, red: { version: '1.36', status: 'CREATING' } } },
    {},
    'There is a slot red, which is none of blue and green.',
  ],
  ['somebody has undone what was created', blue, {}, 'somebody has changed it'],
  [
    'somebody has changed a setting',
    { ...both, configuration: { ...both.configuration, slots: { blue: '1.35', green: '1.37' } } },
    {},
    'somebody has changed it',
  ],
  [
    'the traffic has moved',
    { ...both, live: { green: 100 } },
    {},
    'Before deliver all of it has to be on blue.',
  ],
  [
    'the configuration is the one from before the shift while it soaks',
    { ...moved, configuration: both.configuration },
    { phase: 'soak', phaseStartedAt: t0, written: moved.configuration, before: both.configuration },
    'somebody has changed it',
  ],
  ['there is no traffic', { ...both, live: {} }, { phase: 'shift' }, 'No live traffic leads to the fleet.'],
  [
    'the traffic is back',
    { ...moved, live: { blue: 100 } },
    { phase: 'drain', written: moved.configuration },
    'Before drain all of it has to be on green.',
  ],
  [
    'the traffic is back while it goes on with a delete',
    { ...moved, live: { blue: 1, green: 99 } },
    {
      phase: 'delete',
      phaseStartedAt: t0,
      before: moved.configuration,
      written: { slots: { green: '1.36' }, weights: { green: 100 } },
    },
    'Before delete all of it has to be on green.',
  ],
  [
    'the new cluster has another version',
    seenOf(
      { blue: ['1.35', 100], green: ['1.36', 0] },
      {
        clusters: {
          blue: { version: '1.35', status: 'ACTIVE' },
          green: { version: '1.37', status: 'ACTIVE' },
        },
      },
    ),
    {},
    'The cluster of green runs Kubernetes 1.37',
  ],
  [
    'the old cluster fails',
    { ...both, clusters: { ...both.clusters, blue: { version: '1.35', status: 'FAILED' } } },
    {},
    'The cluster of blue is FAILED.',
  ],
  [
    'the new cluster is gone',
    { ...both, clusters: blue.clusters },
    {},
    'EKS has no cluster of slot green in the region of this swap.',
  ],
  [
    'the new cluster goes',
    seenOf({ blue: ['1.35', 100], green: ['1.36', 0, 'DELETING'] }),
    { phase: 'create', phaseStartedAt: t0 },
    'The cluster of green is DELETING. Run it again once it is gone.',
  ],
  [
    'the old cluster fails on the way back',
    seenOf({ blue: ['1.35', 100, 'FAILED'], green: ['1.36', 0] }),
    { back: { why: 'bo asked', then: 'keep', step: 'shift' } },
    'The cluster of blue is FAILED.',
  ],
  [
    'the traffic has moved while the new cluster is to go',
    { ...both, live: { green: 100 } },
    { back: { why: 'bo asked', then: 'delete', step: 'delete' } },
    'Before the new cluster goes, all of it has to be on blue: move it there',
  ],
  [
    'the old cluster has not been drained',
    moved,
    { phase: 'delete', written: moved.configuration },
    'blue has not been drained: it is not deleted.',
  ],
])('an open swap does not go on where %s', (_, seen, changes, reason) => {
  const { played, done } = playWell(planOf(), seen, { record: { ...open, ...changes } });
  expect(done).toEqual([]);
  expect(played.state.end).toMatchObject({ verdict: 'aborted', reason: expect.stringContaining(reason) });
});

test.each(['back', 'backAndDelete'] as const)(
  'a way back whose traffic has left again goes there once more where a person asks for it: %s',
  (ask) => {
    const split = { ...both, live: { blue: 60, green: 40 } };
    const back = { why: 'bo asked', then: 'keep', step: 'drain' } as const;
    const { played, done, seen } = playWell(planOf(), split, { record: { ...open, back }, ask });
    expect(done[0]).toBe('deploy shift back');
    expect(played.state.end!.verdict).toBe('rolledBack');
    expect(seen.live).toEqual({ blue: 100 });
  },
);

test('once only: where the traffic does not come, it ends', () => {
  const split = { ...both, live: { blue: 60, green: 40 } };
  const back = { why: 'bo asked', then: 'delete', step: 'delete' } as const;
  const stays = (action: SwapAction): Fed | undefined =>
    action.type === 'look' ? { type: 'seen', seen: split } : undefined;
  const { played, done } = playWell(planOf(), split, { record: { ...open, back }, ask: 'back' }, stays);
  expect(done).toEqual(['deploy shift back']);
  expect(played.state.end!.verdict).toBe('aborted');
});

test('a delete that was killed once the old cluster was gone is ended', () => {
  const after = seenOf({ green: ['1.36', 100] });
  const { configuration: written } = after;
  const record = {
    ...open,
    phase: 'delete',
    phaseStartedAt: t0,
    before: moved.configuration,
    written,
  } as const;
  const { played, done } = playWell(planOf(), after, { record });
  expect(done).toEqual(['deploy delete']);
  expect(played.state.end!.verdict).toBe('completed');
});

test.each([
  ['look', { type: 'notSeen', reason: 'no route' }, 'aborted', 'no route'],
  ['look', { type: 'interrupted' }, 'held', 'no swap is open'],
] as const)('a %s is answered by %o', (_, event, verdict, reason) => {
  const played = new Played(planOf()).feed(started, event);
  expect(played.state.end).toMatchObject({ verdict, reason: expect.stringContaining(reason) });
});

test('a record that cannot be written ends it before anything is changed', () => {
  const played = new Played(planOf()).feed(started, { type: 'seen', seen: blue });
  expect(played.last!.type).toBe('record');
  played.feed({ type: 'notRecorded', reason: 'bo has taken over' });
  expect(played.state.end).toMatchObject({
    verdict: 'aborted',
    reason: expect.stringContaining('bo has taken over'),
  });
});

test('a configuration that somebody changed before the write ends it', () => {
  const { played } = playWell(planOf(), blue, {}, ({ type }) =>
    type === 'deploy'
      ? { type: 'notDeployed', reason: 'the configuration is another one', changed: true }
      : undefined,
  );
  expect(played.state.end).toMatchObject({
    verdict: 'aborted',
    reason: expect.stringContaining('the configuration is another one'),
  });
  expect(played.state.record!.ended).toBeUndefined();
});

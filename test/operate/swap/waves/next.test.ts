import * as fc from 'fast-check';
import {
  nextSwapWave,
  nextWaveBack,
  swapWavesPlanProblems,
  waveStateAfter,
  waveStateOf,
} from '../../../../lib/operate/swap/waves/next';
import type { SwapWavesPlan, SwapWavesStep, WaveSwapState } from '../../../../lib/operate/swap/waves/next';
import { record } from '../records';

const waves = [['eu', 'ap'], ['us'], ['sa']];

const run = (...names: readonly string[]): SwapWavesStep => ({
  do: 'run',
  swaps: names.map((name) => ({ name })),
});

const done = { verdict: 'completed' } as const;

const end = { do: 'end' };

const hour = 3_600_000;

test.each<[string, Readonly<Record<string, WaveSwapState>>, object]>([
  ['nothing is known', {}, run('eu', 'ap')],
  ['one of two is left', { eu: done }, run('ap')],
  ['the first wave is complete', { eu: done, ap: done }, run('us')],
  ['all are complete', { eu: done, ap: done, us: done, sa: done }, end],
  ['one went back', { eu: { verdict: 'rolledBack' }, ap: done }, end],
  ['one is held', { eu: done, ap: { verdict: 'held' } }, end],
  ['a later one can not go on', { eu: done, ap: done, us: { verdict: 'aborted' } }, end],
  ['one of a later wave is open', { us: { open: {} } }, run('us')],
  [
    'one is open, on its way to an earlier version',
    { us: { open: { only: '1.35' } } },
    { do: 'run', swaps: [{ name: 'us', only: '1.35' }] },
  ],
  ['two of two waves are open', { sa: { open: {} }, us: { open: {} } }, run('us')],
  ['one that was open has ended, another one is', { us: done, sa: { open: {} } }, run('sa')],
  [
    'one that was open could not end, another one is',
    { us: { verdict: 'held' }, sa: { open: {} } },
    run('sa'),
  ],
  ['one that was open could not end', { us: { verdict: 'held' }, sa: done }, end],
  ['one that was open has ended before its wave', { us: done }, run('eu', 'ap')],
  ['one is open in the first wave', { eu: { open: {} } }, run('eu', 'ap')],
  [
    'one is open in the first wave, on its way to an earlier version',
    { eu: { open: { only: '1.35' } } },
    run('eu', 'ap'),
  ],
  [
    'one is open in the wave whose turn it is: those before it are asked all the same',
    { eu: { isDone: true }, ap: { isDone: true }, us: { open: {} } },
    run('eu', 'ap'),
  ],
  ['those before it have said so', { eu: done, ap: done, us: { open: {} } }, run('us')],
  [
    'one is done in the first wave, and the other one is open, as one of a later wave',
    { eu: { isDone: true }, ap: { open: {} }, us: { open: {} } },
    run('us'),
  ],
  ['one is done, and the other one is open', { eu: { isDone: true }, ap: { open: {} } }, run('eu', 'ap')],
  ['one was done, and is not', { eu: { verdict: 'aborted' }, ap: { isDone: true } }, end],
  [
    'one beside it has stopped: the open one goes on, and no further',
    { us: { verdict: 'held' }, eu: { open: { only: '1.35' } } },
    { do: 'run', swaps: [{ name: 'eu', only: '1.35' }] },
  ],
])('forward, where %s', (_, swaps, expected) => {
  expect(nextSwapWave({ waves }, swaps, 0)).toEqual(expected);
});

test.each<[string, number, Readonly<Record<string, WaveSwapState>>, object]>([
  [
    'just ended',
    hour,
    { eu: { ...done, completedAt: 0 }, ap: { ...done, completedAt: hour } },
    { do: 'wait', until: 3 * hour, wave: 1 },
  ],
  [
    'ended long ago',
    3 * hour,
    { eu: { ...done, completedAt: 0 }, ap: { ...done, completedAt: hour } },
    run('us'),
  ],
  ['ended, no one knows when', 0, { eu: done, ap: done }, run('us')],
  ['has not begun', 0, {}, run('eu', 'ap')],
  // A wave that was begun is not to wait for the one before it.
  [
    'ended, and the next one is open',
    hour,
    { eu: { ...done, completedAt: hour }, ap: done, us: { open: {} } },
    run('us'),
  ],
  [
    'ended, as records say',
    hour,
    { eu: { isDone: true, completedAt: hour }, ap: { isDone: true } },
    run('eu', 'ap'),
  ],
])('a wait between waves: the wave before has %s', (_, now, swaps, expected) => {
  expect(nextSwapWave({ waves, waitMs: 2 * hour }, swaps, now)).toEqual(expected);
});

test.each<[string, Readonly<Record<string, WaveSwapState>>, object]>([
  ['none is open', { eu: {}, us: {} }, end],
  ['the newest wave is first', { eu: { open: {} }, ap: {}, us: { open: {} } }, run('us')],
  [
    'one that can not go back keeps none from it',
    { eu: { open: {} }, us: { open: {}, verdict: 'held' } },
    run('eu'),
  ],
  ['all are back', { eu: { open: {}, verdict: 'rolledBack' } }, end],
])('back: %s', (_, swaps, expected) => {
  expect(nextWaveBack({ waves }, swaps)).toEqual(expected);
});

test('what a record says before a run', () => {
  const ended = (verdict: 'completed' | 'rolledBack') => ({ ...record, ended: { at: 9, verdict } });
  const plan = { versions: [record.setting] };
  expect(waveStateOf(undefined, plan, false)).toEqual({});
  expect(waveStateOf(record, plan, false)).toEqual({ open: {} });
  expect(waveStateOf(record, { versions: [record.setting, '1.99'] }, false)).toEqual({
    open: { only: record.setting },
  });
  expect(waveStateOf(ended('rolledBack'), plan, false)).toEqual({});
  // Its new cluster may have been kept.
  expect(waveStateOf(ended('rolledBack'), plan, true)).toEqual({ open: {} });
  expect(waveStateOf(ended('completed'), plan, true)).toEqual({ isDone: true, completedAt: 9 });
  expect(waveStateOf(ended('completed'), { versions: ['1.99'] }, false)).toEqual({
    isDone: false,
    completedAt: 9,
  });
  const forgotten = { ...record, ended: { at: 9, verdict: 'forgotten' } } as const;
  expect(waveStateOf(forgotten, plan, true)).toEqual({});
});

test('what is known after a run', () => {
  const ended = { ...record, ended: { at: 9, verdict: 'completed' } } as const;
  expect(waveStateAfter({ name: 'eu' }, { verdict: 'completed', record: ended })).toEqual({
    verdict: 'completed',
    completedAt: 9,
  });
  // Further versions come with its wave.
  expect(waveStateAfter({ name: 'eu', only: '1.35' }, { verdict: 'completed', record: ended })).toEqual({
    completedAt: 9,
  });
  expect(waveStateAfter({ name: 'eu', only: '1.35' }, { verdict: 'held', record })).toEqual({
    verdict: 'held',
  });
});

test('waves that do not fit the swaps', () => {
  const problems = swapWavesPlanProblems(
    {
      waves: [
        ['eu', 'us'],
        ['eu', 'constructor'],
      ],
    },
    ['eu', 'us', 'ap'],
  );
  expect(problems).toEqual([
    { path: 'waves[1][0]', value: 'eu', allowed: 'in one wave only' },
    { path: 'waves[1][1]', value: 'constructor', allowed: 'one of eu, us, ap' },
    { path: 'waves', value: 'ap', allowed: 'complete: this swap is in no wave' },
  ]);
});

/** A fleet that the machine does not know: how many versions it lacks, and what stops its swaps. */
interface ModelFleet {
  /** Swaps that it still needs. */
  left: number;
  /** One of them has begun. */
  isOpen: boolean;
  /** Its newest swap led there; else it has the version since it was made. */
  hasRecord: boolean;
  /** How its next runs end before they complete: each once. */
  readonly troubles: ('rolledBack' | 'held' | 'aborted')[];
}

const modelFleet: fc.Arbitrary<ModelFleet> = fc.record({
  left: fc.integer({ min: 0, max: 3 }),
  isOpen: fc.boolean(),
  hasRecord: fc.boolean(),
  troubles: fc.array(fc.constantFrom('rolledBack', 'held', 'aborted'), { maxLength: 2 }),
});

const drawn = fc
  .array(fc.array(modelFleet, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
  .map((all) => {
    const fleets: Record<string, ModelFleet> = {};
    const names = all.map((wave, index) =>
      wave.map((fleet, place) => {
        fleets[`f${index}${place}`] = { ...fleet, left: fleet.isOpen ? Math.max(fleet.left, 1) : fleet.left };
        return `f${index}${place}`;
      }),
    );
    return { waves: names, fleets };
  });

type Model = { readonly waves: SwapWavesPlan['waves']; readonly fleets: Record<string, ModelFleet> };

const copyOf = ({ waves: names, fleets }: Model): Model => structuredClone({ waves: names, fleets });

/** What a run must not do. */
const broken: string[] = [];

/** One run of the model; it is killed in the middle of its so-manieth swap. */
function play({ waves: names, fleets }: Model, killAt = Infinity): 'ended' | 'killed' {
  const states: Record<string, WaveSwapState> = {};
  const begins = new Map<string, number>();
  for (const [name, { isOpen, left, hasRecord }] of Object.entries(fleets)) {
    const done = left === 0 && hasRecord ? { isDone: true } : {};
    states[name] = isOpen ? { open: left > 1 ? { only: 'next' } : {} } : done;
  }
  let ran = 0;
  for (let count = 0; count < 100; count += 1) {
    const step = nextSwapWave({ waves: names }, states, 0);
    if (step.do !== 'run') {
      return 'ended';
    }
    const wave = names.findIndex((each) => each.includes(step.swaps[0]!.name));
    for (const { name, ...rest } of step.swaps) {
      const fleet = fleets[name]!;
      begins.set(name, (begins.get(name) ?? 0) + 1);
      const before = names.slice(0, wave).flat();
      const others = Object.keys(fleets).filter((each) => !names[wave]!.includes(each));
      const isNew = !fleet.isOpen && fleet.left > 0;
      broken.push(
        ...(names[wave]!.includes(name) ? [] : ['two waves at once']),
        ...(begins.get(name)! > ('only' in rest ? 1 : 2) ? [`${name} runs again and again`] : []),
        ...(isNew && before.some((each) => fleets[each]!.left > 0) ? [`${name} begins too early`] : []),
        ...(isNew && others.some((each) => fleets[each]!.isOpen) ? [`${name} begins before open ones`] : []),
      );
      ran += 1;
      fleet.isOpen = fleet.left > 0;
      if (ran === killAt) {
        return 'killed';
      }
      const trouble = fleet.left > 0 ? fleet.troubles.shift() : undefined;
      if (trouble === undefined) {
        fleet.hasRecord ||= fleet.left > 0;
        fleet.left = 'only' in rest ? fleet.left - 1 : 0;
      }
      fleet.isOpen = trouble !== undefined && trouble !== 'rolledBack';
      states[name] = waveStateAfter({ name, ...rest }, { verdict: trouble ?? 'completed' });
    }
  }
  broken.push('it does not end');
  return 'ended';
}

test('no swap begins before its wave; runs that are killed and run again end where whole runs end', () => {
  let kills = 0;
  const killsAt = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 });
  fc.assert(
    fc.property(drawn, killsAt, (model, all) => {
      const [whole, cut] = [copyOf(model), copyOf(model)];
      kills += all.filter((at) => play(cut, at) === 'killed').length;
      const most = Object.values(model.fleets).reduce((sum, { troubles }) => sum + troubles.length, 1);
      for (let runs = 0; runs < most; runs += 1) {
        play(whole);
        play(cut);
      }
      const isDone = ({ fleets }: Model): boolean =>
        Object.values(fleets).every(({ left, isOpen }) => left === 0 && !isOpen);
      return isDone(whole) && isDone(cut) && broken.length === 0;
    }),
    { numRuns: 1_000 },
  );
  expect(broken).toEqual([]);
  expect(kills).toBeGreaterThan(300);
});

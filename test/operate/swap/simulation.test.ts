import { nextSwap } from '../../../lib/operate/swap';
import type { SwapAction, SwapAnswer, SwapEvent } from '../../../lib/operate/swap';
import { brokenInvariants, drawScenario, playSwap } from '../../../lib/operate/swap/simulation';
import type {
  PlayedSwap,
  SwapInvariant,
  SwapMachine,
  SwapScenario,
} from '../../../lib/operate/swap/simulation';
import { scaled } from '../../runs';

interface Simulated {
  /** Seed of the first swap that breaks an invariant, by invariant. */
  readonly broken: Partial<Record<SwapInvariant, number>>;
  readonly ends: Partial<Record<string, number>>;
  readonly kills: number;
}

/** @param sought invariants whose breaks are all that is looked for. @default - the swaps are all played */
function simulate(
  count: number,
  machine: SwapMachine = nextSwap,
  sought?: readonly SwapInvariant[],
): Simulated {
  const broken: Partial<Record<SwapInvariant, number>> = {};
  const ends: Record<string, number> = {};
  let kills = 0;
  for (let seed = 1; seed <= count && !sought?.every((each) => each in broken); seed++) {
    const scenario = drawScenario(seed);
    const played = playSwap(scenario, { machine });
    for (const invariant of brokenInvariants(
      scenario,
      played,
      playSwap(scenario, { machine, isDisturbed: false }),
    )) {
      broken[invariant] ??= seed;
    }
    const end = lastEnd(played);
    ends[end] = (ends[end] ?? 0) + 1;
    kills += played.ends.filter((each) => each === 'killed').length;
  }
  return { broken, ends, kills };
}

function lastEnd({ ends }: PlayedSwap): string {
  const last = ends.at(-1)!;
  return typeof last === 'string' ? last : last.verdict;
}

const swaps = scaled(10_000);

test(`${swaps} swaps with failures, kills and other people break no invariant`, () => {
  const { broken, ends, kills } = simulate(swaps);
  expect(broken).toEqual({});
  // Each way to end is played often enough to say something.
  for (const verdict of ['completed', 'rolledBack', 'held', 'aborted']) {
    expect(ends[verdict]).toBeGreaterThan(swaps / 20);
  }
  expect(kills).toBeGreaterThan(swaps);
}, 60_000);

test.each([
  [3, 'completed', 'two versions, one after the other'],
  [7, 'held', 'hubs, whose try fails, and a way back that fails'],
  [10, 'rolledBack', 'a person who refuses the drain'],
  [15, 'held', 'a drain that fails'],
  [22, 'held', 'windows of time, and a delete that fails'],
  [25, 'rolledBack', 'a soak that fails'],
])('swap %i, killed in any one of its actions, ends %s as it does without: %s', (seed, verdict) => {
  const undisturbed = {
    kills: [],
    interrupts: [],
    meddling: [],
    waits: true,
    sleep: undefined,
    backFrom: undefined,
  };
  const scenario = { ...drawScenario(seed), ...undisturbed } as SwapScenario;
  const calm = playSwap(scenario);
  expect(lastEnd(calm)).toBe(verdict);
  for (let place = 1; place <= 100; place++) {
    const killed = { ...scenario, kills: [place] };
    expect([place, ...brokenInvariants(killed, playSwap(killed), calm)]).toEqual([place]);
  }
});

/** A machine with a mistake in what it asks for. */
function asking(change: (action: SwapAction) => SwapAction): SwapMachine {
  return (plan, state, event) => {
    const { state: after, actions } = nextSwap(plan, state, event);
    return { state: after, actions: actions.map(change) };
  };
}

/** A machine with a mistake in what it takes in. */
function hearing(change: (event: SwapEvent) => SwapEvent): SwapMachine {
  return (plan, state, event) => nextSwap(plan, state, change(event));
}

/** A machine that takes a drain for done, and asks for none. */
const skipsDrain: SwapMachine = (plan, state, event) => {
  let answer: SwapAnswer = nextSwap(plan, state, event);
  while (answer.actions.some((action) => action.type === 'run' && action.phase === 'drain')) {
    answer = nextSwap(plan, answer.state, { type: 'passed', at: event.at });
  }
  return answer;
};

/** What a machine sees that does not look where the traffic is, but takes it to be where the record wants it. */
const ignoresTraffic: SwapMachine = (plan, state, event) => {
  if (event.type !== 'seen' || !state.record || state.record.ended) {
    return nextSwap(plan, state, event);
  }
  const { phase, back, old, new: fresh } = state.record;
  const isOver = phase === 'soak' || phase === 'drain' || phase === 'delete';
  const live = { [isOver && !back ? fresh.name : old.name]: 100 };
  return nextSwap(plan, state, { ...event, seen: { ...event.seen, live } });
};

/** A machine that leaves the way back of the traffic out, and believes that it is back. */
const staysThere: SwapMachine = (plan, state, event) => {
  const { record } = state;
  if (event.type === 'seen' && record?.back?.step === 'drain') {
    const seen = {
      ...event.seen,
      configuration: record.written ?? record.before,
      live: { [record.old.name]: 100 },
    };
    return nextSwap(plan, state, { ...event, seen });
  }
  const answer = nextSwap(plan, state, event);
  return answer.actions.some((action) => action.type === 'deploy' && action.back && action.phase === 'shift')
    ? nextSwap(plan, answer.state, { type: 'deployed', at: event.at })
    : answer;
};

/** A machine that takes the program's part of the way back from a drain for done. */
const restoresNothing: SwapMachine = (plan, state, event) => {
  const answer = nextSwap(plan, state, event);
  return answer.actions.some((action) => action.type === 'deploy' && action.restore)
    ? nextSwap(plan, answer.state, { type: 'deployed', at: event.at })
    : answer;
};

const withSlots = (slots: Readonly<Record<string, string>>, phase: string) =>
  asking((action) =>
    action.type === 'deploy' && action.phase === phase
      ? {
          ...action,
          configuration: {
            ...action.configuration,
            slots: phase === 'delete' ? slots : { ...action.configuration.slots, ...slots },
          },
        }
      : action,
  );

test.each<[mistake: string, invariants: readonly SwapInvariant[], machine: SwapMachine]>([
  ['it skips the drain', ['no delete without drain'], skipsDrain],
  ['it does not look where the traffic is', ['no delete with traffic'], ignoresTraffic],
  [
    'it deletes both slots',
    ['one slot deleted', 'no delete with traffic', 'traffic served'],
    withSlots({}, 'delete'),
  ],
  [
    'it makes a third slot',
    ['two slots at most', 'two clusters at most'],
    withSlots({ red: '1.35' }, 'create'),
  ],
  [
    'it moves the traffic as soon as it creates',
    ['weights by shift only'],
    asking((action) =>
      action.type === 'deploy' && action.phase === 'create' && action.configuration.weights
        ? {
            ...action,
            configuration: {
              ...action.configuration,
              weights: { [action.old.name]: 0, [action.new.name]: 100 },
            },
          }
        : action,
    ),
  ],
  [
    'it forgets the record',
    ['same end after kills'],
    hearing((event) => (event.type === 'started' ? { ...event, record: undefined } : event)),
  ],
  [
    'it asks again without a wait, and never gives up',
    ['always ends'],
    hearing((event) => (event.type === 'notPassed' ? { ...event, at: 0, final: false } : event)),
  ],
  ['it says that it went back, and does not', ['back is back'], staysThere],
  ['it gives traffic to a drained cluster as it is', ['no traffic to an emptied cluster'], restoresNothing],
])('the simulation finds a machine with a mistake: %s', (_, invariants, machine) => {
  const { broken } = simulate(200, machine, invariants);
  expect(Object.keys(broken)).toEqual(expect.arrayContaining([...invariants]));
});

test('the same seed plays the same swap', () => {
  const ends = (seed: number) => playSwap(drawScenario(seed)).ends;
  expect([7, 8, 9].map(ends)).toEqual([7, 8, 9].map(ends));
});

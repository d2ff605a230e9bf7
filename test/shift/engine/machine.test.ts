import fc from 'fast-check';
import type { ShiftAction, ShiftEvent, ShiftState, Weights } from '../../../lib/shift/engine';
import { initialState, next, shiftPlan } from '../../../lib/shift/engine';

const slots = ['blue', 'green', 'red'];
const start = 1_900_000_000_000;

const weights: fc.Arbitrary<Weights> = fc.constantFrom<Weights>(
  { blue: 100, green: 0, red: 0 },
  { blue: 0, green: 100, red: 0 },
  { blue: 50, green: 50, red: 0 },
  { blue: 50, green: 25, red: 25 },
  { blue: 90, green: 5 },
  { white: 100 },
);

const plans = fc
  .record({
    wanted: fc.constantFrom<Weights>({ green: 100 }, { blue: 100 }, { blue: 20, green: 40, red: 40 }),
    step: fc.constantFrom(50, 'geometric' as const),
    pause: fc.constantFrom([], [0], [10, 60]),
    deadline: fc.constantFrom(undefined, '3m'),
    bake: fc.constantFrom('0s', '5m'),
    onFailure: fc.constantFrom('rollback' as const, 'hold' as const, { rollbackTo: 'red' }),
    onInterrupt: fc.constantFrom('rollback' as const, 'hold' as const),
  })
  .map(({ wanted, ...settings }) => shiftPlan(slots, wanted, settings));

const statuses = fc.constantFrom('pass' as const, 'fail' as const, 'inconclusive' as const);
const message = fc.constant('it failed.');
const record = fc.option(
  fc.record({
    origin: weights,
    wanted: weights,
    written: weights,
    startedAt: fc.constant(start),
    rollingBack: fc.boolean(),
    before: fc.option(fc.array(weights, { maxLength: 2 }), { nil: undefined }),
  }),
  { nil: undefined },
);

/** Any event at any time: what the machine has asked for, and what it has not. */
const events: fc.Arbitrary<(at: number) => ShiftEvent> = fc
  .oneof(
    fc.record({
      type: fc.constant('started' as const),
      record,
      origin: fc.option(weights, { nil: undefined }),
      resumedTo: fc.constantFrom(undefined, 10),
      rollBack: fc.constantFrom(undefined, undefined, 'another one failed.'),
    }),
    fc.record({
      type: fc.constant('live' as const),
      weights,
      members: fc.option(
        fc.array(fc.record({ name: fc.constant('rule'), weights }), { minLength: 1, maxLength: 2 }),
        { nil: undefined },
      ),
    }),
    fc.record({
      type: fc.constant('routerFailed' as const),
      failure: fc.constantFrom(
        'throttled' as const,
        'denied' as const,
        'notFound' as const,
        'unfit' as const,
        'unreachable' as const,
      ),
      message,
      live: fc.option(weights, { nil: undefined }),
    }),
    fc.record({
      type: fc.constant('checked' as const),
      stage: fc.constantFrom('before' as const, 'after' as const),
      results: fc.array(
        fc.record({
          name: fc.constantFrom('a', 'b'),
          status: statuses,
          reason: message,
          figures: fc.constant([]),
        }),
        { maxLength: 2 },
      ),
    }),
    fc.record({ type: fc.constantFrom('recordFailed' as const, 'leaseTaken' as const), message }),
    fc.record({ type: fc.constantFrom('recorded' as const, 'written' as const, 'waited' as const) }),
    fc.record({ type: fc.constantFrom('resumed' as const, 'notResumed' as const, 'cannotResume' as const) }),
    fc.record({ type: fc.constantFrom('interrupted' as const, 'killed' as const) }),
    fc.record({
      type: fc.constant('requested' as const),
      what: fc.constantFrom('hold' as const, 'rollBack' as const),
      by: fc.constant('alex'),
    }),
  )
  .map((event) => (at: number) => ({ ...event, at }));

/** Events that go on, more often than chance would have them. */
const going: fc.Arbitrary<'fair' | ((at: number) => ShiftEvent)> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('fair' as const) },
  { weight: 1, arbitrary: events },
);

/** A world in which all goes well. */
class Fair {
  public at = start;
  private asked: ShiftAction | undefined;

  public constructor(public live: Weights) {}

  public heed(actions: readonly ShiftAction[]): void {
    this.asked = actions.filter(({ type }) => type !== 'log').at(-1) ?? this.asked;
  }

  public answer(): ShiftEvent {
    const { asked, at } = this;
    switch (asked?.type) {
      case undefined:
      case 'log':
        return { type: 'started', at };
      case 'read':
        return { type: 'live', at, weights: this.live };
      case 'record':
        return { type: 'recorded', at };
      case 'write':
        this.live = asked.weights;
        return { type: 'written', at };
      case 'wait':
        this.at = Math.max(at, asked.until);
        return { type: 'waited', at: this.at };
      case 'check':
        return {
          type: 'checked',
          at,
          stage: asked.stage,
          results: [{ name: 'a', status: 'pass', reason: '', figures: [] }],
        };
      case 'ask':
        return { type: 'resumed', at };
    }
  }
}

/** What no answer may have: more than one question, weights that don't add up, a wait that is over already. */
function wrongWith({ at }: ShiftEvent, actions: readonly ShiftAction[]): string | undefined {
  const question = actions.findIndex(({ type }) => type !== 'log');
  if (question >= 0 && question !== actions.length - 1) {
    return 'a question that is not the last action';
  }
  const action = actions[question];
  if (
    action?.type === 'write' &&
    Object.values(action.weights).reduce((sum, weight) => sum + weight) !== 100
  ) {
    return `weights ${JSON.stringify(action.weights)}`;
  }
  return action?.type === 'wait' && action.until <= at ? 'a wait that is over' : undefined;
}

describe('the machine', () => {
  test('has an answer to every event in every state, and always ends', () => {
    const phases = new Set<string>();
    fc.assert(
      fc.property(plans, weights, fc.array(going, { maxLength: 60 }), (plan, live, story) => {
        const world = new Fair(live);
        let state: ShiftState = initialState;
        let wrong: string | undefined;
        const tell = (event: ShiftEvent) => {
          const answer = next(plan, state, event);
          if (state.phase === 'ended' && (answer.state !== state || answer.actions.length > 0)) {
            wrong = 'an end that is none';
          }
          state = answer.state;
          phases.add(state.phase);
          wrong ??= wrongWith(event, answer.actions);
          world.heed(answer.actions);
        };
        for (const event of story) {
          tell(event === 'fair' ? world.answer() : event(world.at));
        }
        for (let turns = 0; state.phase !== 'ended' && turns < 2000; turns += 1) {
          tell(world.answer());
        }
        expect([state.phase, wrong]).toEqual(['ended', undefined]);
      }),
      { numRuns: 300 },
    );
    // The stories are rich enough to have been everywhere.
    expect(phases).toEqual(
      new Set([
        'idle',
        'starting',
        'preparing',
        'announcing',
        'reading',
        'writing',
        'standing',
        'paused',
        'returning',
        'ending',
        'ended',
      ]),
    );
  });

  test('does not change what it is given', () => {
    const plan = shiftPlan(slots, { green: 100 });
    const freeze = (value: any): any => {
      if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
        Object.freeze(value);
        Object.values(value).forEach(freeze);
      }
      return value;
    };
    const world = new Fair({ blue: 100, green: 0, red: 0 });
    let state: ShiftState = initialState;
    while (state.phase !== 'ended') {
      const answer = next(freeze(plan), freeze(state), freeze(world.answer()));
      state = answer.state;
      world.heed(answer.actions);
    }
    expect(state.end.verdict).toBe('completed');
  });
});

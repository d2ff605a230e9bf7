import fc from 'fast-check';
import { initialSwap, nextSwap } from '../../../../lib/operate/swap';
import type { SwapEvent, SwapState } from '../../../../lib/operate/swap';
import { drawScenario, playSwap } from '../../../../lib/operate/swap/simulation';
import type { SwapMachine } from '../../../../lib/operate/swap/simulation';
import { hour, minute, planOf, playWell, Played, seenOf, started, t0 } from './plans';

const blue = seenOf({ blue: ['1.35', 100] });
const worlds = [
  blue,
  seenOf({ blue: ['1.35', 100], green: ['1.36', 0] }),
  seenOf({ blue: ['1.35', 0], green: ['1.36', 100] }),
  seenOf({ green: ['1.36', 100] }),
  { ...blue, live: {} },
];

const approval = { timeoutMs: minute, onTimeout: 'back' } as const;
const plan = planOf(
  { windows: [{ days: [1, 2], from: 540, to: 960, timeZone: 'Europe/Berlin' }] },
  { shift: { approval }, soak: { leastMs: hour }, try: { onFailure: 'delete' } },
);

const events = fc.oneof(
  fc.constantFrom<object>(
    { type: 'recorded' },
    { type: 'deployed' },
    { type: 'passed' },
    { type: 'waited' },
    { type: 'notAnswered' },
    { type: 'approved', approvedBy: 'bo' },
  ),
  fc.constantFrom<object>(
    started,
    { ...started, ask: 'backAndDelete' },
    { type: 'refused', refusedBy: 'bo' },
    { type: 'notSeen', reason: 'x' },
    { type: 'notRecorded', reason: 'x' },
    { type: 'notDeployed', reason: 'x', changed: false },
    { type: 'notPassed', reason: 'x', final: false },
    { type: 'notPassed', reason: 'x', final: true },
  ),
  fc.constantFrom(...worlds).map((seen) => ({ type: 'seen', seen })),
) as fc.Arbitrary<object>;

test('no event is too much in any state, and what is not waited for changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(events, fc.nat(10 * minute)), { maxLength: 120 }), (drawn) => {
      let state: SwapState = nextSwap(plan, initialSwap, started).state;
      let at = t0;
      for (const [event, later] of drawn) {
        at += later;
        const answer = nextSwap(plan, state, { ...event, at } as SwapEvent);
        const asked = answer.actions.filter(({ type }) => type !== 'log');
        const isStill = answer.state === state;
        // It asks for one thing at a time, unless it has ended, or the last action still applies.
        expect(asked).toHaveLength(isStill || answer.state.doing === 'ended' ? 0 : 1);
        expect(answer.state.end === undefined).toBe(answer.state.doing !== 'ended');
        state = answer.state;
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('a state is plain data: one that was written and read again goes on in the same way', () => {
  const throughText: SwapMachine = (given, state, event) =>
    nextSwap(given, JSON.parse(JSON.stringify(state)) as SwapState, event);
  for (let seed = 1; seed <= 30; seed++) {
    const scenario = drawScenario(seed);
    expect(playSwap(scenario, { machine: throughText }).ends).toEqual(playSwap(scenario).ends);
  }
});

test('an end is an end', () => {
  const { played } = playWell(planOf(), seenOf({ green: ['1.36', 100] }));
  const { state } = played;
  expect(state.doing).toBe('ended');
  for (const event of [
    started,
    { type: 'interrupted', at: t0 },
    { type: 'seen', seen: blue, at: t0 },
  ] as const) {
    expect(nextSwap(plan, state, event)).toEqual({ state, actions: [] });
  }
});

test('an interrupt holds it wherever it is, and says where', () => {
  const played = new Played(planOf()).feed(
    started,
    { type: 'seen', seen: blue },
    { type: 'recorded' },
    { type: 'interrupted' },
  );
  expect(played.state.end).toEqual({
    verdict: 'held',
    reason: 'It was interrupted at ready. Run it again: it goes on there.',
  });
});

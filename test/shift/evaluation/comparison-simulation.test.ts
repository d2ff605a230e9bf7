import type { CountedRequests, SlotCount } from '../../../lib/shift/evaluation';
import { compareSlots } from '../../../lib/shift/evaluation';
import type { Story } from './comparison-traffic';
import { Dice, minute, start, tell } from './comparison-traffic';
import { scaled } from '../../runs';

const runs = scaled(300, 60);

/** The first minute after which the shift is stopped, looking after every one; undefined if it never is. */
function stoppedAfter(counts: readonly SlotCount[], counted: CountedRequests): number | undefined {
  const question = {
    gaining: ['green'],
    baseline: ['blue'],
    from: start,
    warmUntil: { green: start + minute },
  };
  const isStopped = (until: number): boolean =>
    compareSlots(
      counts.filter(({ at }) => at < until),
      question,
      { counted: [counted] },
    )[0]!.verdict === 'regression';
  const minutes = Math.round((Math.max(...counts.map(({ at }) => at)) + minute - start) / minute);
  if (!isStopped(start + minutes * minute)) {
    return undefined;
  }
  // What was seen once stays: so the first minute is found by halving.
  let [before, after] = [0, minutes];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    [before, after] = isStopped(start + middle * minute) ? [before, middle] : [middle, after];
  }
  return after;
}

interface Outcome {
  /** Share of the shifts that are stopped. */
  readonly share: number;
  /** Minutes until half of those are. */
  readonly median: number;
}

const outcomes = new Map<Story, Outcome>();

function simulate(story: Story, counted: CountedRequests = 'errors'): Outcome {
  const dice = new Dice(20260101);
  const stops: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const after = stoppedAfter(tell(story, dice), counted);
    if (after !== undefined) {
      stops.push(after);
    }
  }
  stops.sort((one, other) => one - other);
  const outcome = { share: stops.length / runs, median: stops[Math.floor(stops.length / 2)] ?? Infinity };
  outcomes.set(story, outcome);
  return outcome;
}

describe(`false alarms of a healthy slot, in ${runs} shifts each`, () => {
  const day = { perSecond: 1000, share: 0.001 };
  const stories: readonly (readonly [string, Story, CountedRequests])[] = [
    ['independent errors', day, 'errors'],
    ['a cold first minute', { ...day, cold: 0.2 }, 'errors'],
    ['bursts, each slot its own', { ...day, correlation: 0.001 }, 'errors'],
    ['strong bursts, each slot its own', { ...day, correlation: 0.01 }, 'errors'],
    ['bursts that hit both slots', { ...day, correlation: 0.01, shared: true }, 'errors'],
    ['bursts that last', { ...day, correlation: 0.001, persistence: 0.8, cold: 0.2 }, 'errors'],
    ['strong bursts that last', { ...day, correlation: 0.005, persistence: 0.5 }, 'errors'],
    ['bursts without a history', { ...day, correlation: 0.01, history: 0 }, 'errors'],
    [
      'lasting bursts without a history',
      { ...day, correlation: 0.005, persistence: 0.5, history: 0 },
      'errors',
    ],
    ['many errors', { ...day, share: 0.05, correlation: 0.01 }, 'errors'],
    ['a quiet night', { perSecond: 0.2, share: 0.01 }, 'errors'],
    ['little traffic', { perSecond: 5, share: 0.005, correlation: 0.01, history: 0 }, 'errors'],
    ['slow requests', { ...day, share: 0.05, correlation: 0.005, cold: 0.9 }, 'slow'],
  ];

  test.each(stories)('%s: at most 5 %%', (_name, story, counted) => {
    expect(simulate(story, counted).share).toBeLessThanOrEqual(0.05);
  });

  test('all of these together stay under what was declared, 1 %', () => {
    const shares = stories.map(
      ([, story, counted]) => (outcomes.get(story) ?? simulate(story, counted)).share,
    );
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeLessThanOrEqual(0.01);
  });
});

describe(`regressions that are caught, in ${runs} shifts each`, () => {
  const day = { perSecond: 1000, share: 0.001 };

  test.each<[string, Story, CountedRequests, number, number]>([
    ['an outage, by the first minute', { ...day, green: () => 1 }, 'errors', 1, 1],
    ['an outage among bursts', { ...day, correlation: 0.01, green: () => 1 }, 'errors', 1, 2],
    ['an outage with few requests', { perSecond: 5, share: 0.001, green: () => 1 }, 'errors', 1, 4],
    ['an outage at night', { perSecond: 0.2, share: 0.001, green: () => 1 }, 'errors', 1, 9],
    ['an outage at half of the way', { ...day, green: (usual, at) => (at < 8 ? usual : 1) }, 'errors', 1, 10],
    ['1.1 % instead of 0.1 %', { ...day, green: () => 0.011 }, 'errors', 0.9, 5],
    ['the same, without a history', { ...day, green: () => 0.011, history: 0 }, 'errors', 0.9, 6],
    [
      'one percent more, among bursts',
      { ...day, correlation: 0.001, green: (usual) => usual + 0.01 },
      'errors',
      0.9,
      7,
    ],
    ['twice as many slow requests', { ...day, share: 0.05, green: (usual) => 2 * usual }, 'slow', 0.9, 5],
    [
      'twice as many slow requests, which vary',
      { ...day, share: 0.05, correlation: 0.0005, green: (usual) => 2 * usual },
      'slow',
      0.9,
      6,
    ],
  ])('%s', (_name, story, counted, least, minutes) => {
    const { share, median } = simulate(story, counted);
    expect(share).toBeGreaterThanOrEqual(least);
    expect(median).toBeLessThanOrEqual(minutes);
  });
});

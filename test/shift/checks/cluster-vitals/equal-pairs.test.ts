import { compareVital } from '../../../../lib/shift/checks/cluster-vitals/compare';
import { chanceOfSoMany } from '../../../../lib/shift/checks/cluster-vitals/odds';
import { vitalKinds, vitals } from '../../../../lib/shift/checks/cluster-vitals/vitals';
import type { CountedVital, VitalCount } from '../../../../lib/shift/checks/cluster-vitals/vitals';
import { Xoshiro128 } from '../../../../lib/core/random';
import { binomial } from '../../../../lib/shift/simulation/random';

const bounds = { tolerance: 0.02, alpha: 0.001 };
const counted = vitals.filter((each): each is CountedVital => each !== 'eks');
const count = (affected: number, of: number): VitalCount => ({ affected, waiting: 0, of });

describe('the chance of so many', () => {
  const usual = 0.01;

  test('without anything known it is that of what is expected; with much known, that of the other cluster', () => {
    expect(chanceOfSoMany({ affected: 0, of: 50 }, { affected: 0, of: 0 }, usual)).toBeCloseTo(1, 10);
    expect(chanceOfSoMany({ affected: 1, of: 1 }, { affected: 0, of: 0 }, usual)).toBeCloseTo(0.01, 10);
    const [mine, other] = [
      { affected: 300, of: 1_000 },
      { affected: 30_000, of: 100_000 },
    ];
    expect(chanceOfSoMany(mine, other, usual)).toBeCloseTo(0.51, 1);
  });

  test('it sums to one over all that can be, and falls with each more', () => {
    const beside = { affected: 3, of: 40 };
    const at = (affected: number) => chanceOfSoMany({ affected, of: 30 }, beside, usual);
    const chances = Array.from({ length: 31 }, (_, affected) => at(affected));
    expect(chances[0]).toBeCloseTo(1, 9);
    chances.slice(1).forEach((chance, index) => expect(chance).toBeLessThan(chances[index]!));
    // By hand: of one pod each, beside 20 virtual ones of which one in a hundred is affected.
    expect(chanceOfSoMany({ affected: 2, of: 2 }, { affected: 0, of: 0 }, usual)).toBeCloseTo(
      (0.2 * 1.2) / (20 * 21),
      12,
    );
  });

  test('of a large cluster it is a number, and quick', () => {
    const begun = performance.now();
    const chance = chanceOfSoMany({ affected: 150, of: 150_000 }, { affected: 140, of: 150_000 }, usual);
    expect(chance).toBeGreaterThan(0.05);
    expect(chance).toBeLessThan(0.9);
    expect(chanceOfSoMany({ affected: 75_000, of: 150_000 }, { affected: 140, of: 150_000 }, usual)).toBe(0);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

/** What is wrong in an ordinary cluster: as much as is usual, and here and there a workload of it that is always ill. */
const noise: Readonly<Record<CountedVital, readonly number[]>> = {
  restarts: [0, 0.005, 0.02, 0.1],
  oomKills: [0, 0.002, 0.01, 0.05],
  pendingPods: [0, 0.002, 0.01, 0.1],
  imagePulls: [0, 0.002, 0.01, 0.05],
  podNetworks: [0, 0.001, 0.005, 0.02],
  refusedPods: [0, 0.002, 0.01, 0.1],
  nodes: [0, 0.00001, 0.0001, 0.001],
  dns: [0, 0.0001, 0.001, 0.002],
  dnsAnswers: [0, 0.001, 0.01, 0.1],
};

function sizeOf(vital: CountedVital, pods: number): number {
  const shares: Partial<Record<CountedVital, number>> = { refusedPods: 0.1, nodes: 0.05, dnsAnswers: 2 };
  return vital === 'dns' ? 2 + Math.floor(pods / 500) : Math.max(2, Math.round(pods * (shares[vital] ?? 1)));
}

/** Alarms of so many pairs of equal clusters, each looked at a few times. */
function alarms(pairs: number, seed: number, looks = 5): readonly string[] {
  const random = Xoshiro128.fromSeed(seed);
  const found: string[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const pods = Math.round(10 ** (1 + 2 * random.uniform()));
    for (const vital of counted) {
      const rates = noise[vital];
      const rate = rates[Math.floor(random.uniform() * rates.length)]!;
      // The new cluster has other sizes: it is scaled for the traffic to come, or has yet to be.
      const [mine, other] = [sizeOf(vital, pods * (0.5 + random.uniform())), sizeOf(vital, pods)];
      for (let look = 0; look < looks; look += 1) {
        const now = count(binomial(random, mine, rate), mine);
        const beside = count(binomial(random, other, rate), other);
        if (compareVital(vital, now, beside, bounds) === 'ill') {
          found.push(`${vital} ${now.affected} of ${mine}, ${beside.affected} of ${other}, ${rate}`);
        }
      }
    }
  }
  return found;
}

test('300 pairs of equal clusters raise no alarm', () => {
  expect(alarms(300, 1)).toEqual([]);
});

test('pairs that differ by a crashing workload raise none, unless it is a good part of the cluster', () => {
  // Three replicas of one Deployment, of some hundred pods.
  expect(compareVital('restarts', count(3, 200), count(0, 200), bounds)).toBe('well');
  expect(compareVital('restarts', count(3, 30), count(0, 30), bounds)).toBe('well');
});

/** The least number of units that is found ill, of so many, beside as many that are all well. */
function leastFound(
  vital: CountedVital,
  of: number,
  beside: VitalCount | 'not known' = count(0, of),
): number {
  const found = Array.from({ length: of + 1 }, (_, affected) => affected).find(
    (affected) =>
      compareVital(vital, count(affected, of), beside === 'not known' ? undefined : beside, bounds) === 'ill',
  );
  return found ?? Infinity;
}

test.each<[CountedVital, readonly (readonly [of: number, least: number])[]]>([
  [
    'restarts',
    [
      [10, 7],
      [20, 8],
      [50, 11],
      [100, 12],
      [500, 14],
      [5_000, 100],
    ],
  ],
  [
    'pendingPods',
    [
      [10, 6],
      [20, 8],
      [50, 10],
      [100, 11],
      [500, 12],
      [5_000, 100],
    ],
  ],
  [
    'refusedPods',
    [
      [1, Infinity],
      [3, 3],
      [5, 4],
      [10, 5],
      [50, 8],
    ],
  ],
  [
    'nodes',
    [
      [1, Infinity],
      [2, 2],
      [3, 2],
      [10, 3],
      [50, 5],
    ],
  ],
  [
    'dns',
    [
      [1, 1],
      [2, 2],
      [3, 2],
      [10, 6],
    ],
  ],
  [
    'dnsAnswers',
    [
      [10, 6],
      [50, 10],
      [500, 100],
    ],
  ],
])('what is found of %s, beside as many that are well', (vital, expected) => {
  expect(expected.map(([of]) => [of, leastFound(vital, of)])).toEqual(expected);
});

test('a larger old cluster makes it sharper, one that is not known blunter', () => {
  expect(leastFound('restarts', 20, count(0, 200))).toBeLessThan(leastFound('restarts', 20));
  expect(leastFound('restarts', 100, 'not known')).toBeGreaterThan(2 * leastFound('restarts', 100));
  expect(leastFound('restarts', 100, 'not known')).toBeLessThan(60);
  expect(leastFound('nodes', 3, 'not known')).toBe(2);
});

test('what waits makes an alarm that is not one yet', () => {
  const waiting = { affected: 2, waiting: 30, of: 40 };
  expect(compareVital('pendingPods', waiting, count(0, 40), bounds)).toBe('starting');
  // Of the old cluster it counts: it is as ill then.
  expect(compareVital('pendingPods', waiting, waiting, bounds)).toBe('well');
});

test('nothing that is counted is ever ill where nothing is affected', () => {
  counted.forEach((vital) => {
    expect(compareVital(vital, count(0, 0), undefined, bounds)).toBe('well');
    expect(compareVital(vital, count(0, 100), undefined, bounds)).toBe('well');
    expect(vitalKinds[vital].usual).toBeLessThan(0.05);
  });
});

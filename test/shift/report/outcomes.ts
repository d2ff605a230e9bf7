import type { CheckRecord, Figure, ShiftOutcome, Weights } from '../../../lib/shift/engine';

const start = Date.parse('2031-05-06T07:08:09Z');

/** A moment, by minutes since the start of the shift. */
export function at(minutes: number): string {
  return new Date(start + minutes * 60_000).toISOString();
}

const greens = [1, 2, 5, 10, 25, 50, 100];

const both = (green: number): Weights => ({ blue: 100 - green, green });

function errorShare(minutes: number, green: number, blue: number): CheckRecord {
  const figures: Figure[] = [
    { name: 'error share', slot: 'blue', value: blue, unit: 'share', max: 0.01 },
    {
      ...{ name: 'error share', slot: 'green', value: green, unit: 'share', max: 0.01 },
      counts: { counted: Math.round(green * 7_800), of: 7_800, what: 'requests failed' },
    },
    { name: 'requests', slot: 'blue', value: 110_000 - minutes * 900, unit: 'count' },
    { name: 'requests', slot: 'green', value: 600 + minutes * 900, unit: 'count', min: 200 },
  ];
  const status = green > 0.01 ? 'fail' : 'pass';
  const reason = `green: error share ${(green * 100).toFixed(2)} % of at most 1 %`;
  return { at: at(minutes), name: 'cloudWatch.errorShare', stage: 'after', status, reason, figures };
}

function targetHealth(minutes: number, share: number | null): CheckRecord {
  const figures: Figure[] = [{ name: 'healthy share', slot: 'green', value: share, unit: 'share', min: 0.9 }];
  const status = share === null ? 'inconclusive' : 'pass';
  const reason = share === null ? 'green: no targets are known yet' : 'green: all targets are healthy';
  return { at: at(minutes), name: 'targetHealth', stage: 'before', status, reason, figures };
}

/** All seven steps and the bake went well. */
export const completed: ShiftOutcome = {
  schemaVersion: 1,
  verdict: 'completed',
  reason: 'blue 0 %, green 100 % are live and have baked for 10m.',
  from: both(0),
  to: both(100),
  final: both(100),
  startedAt: at(0),
  endedAt: at(24),
  writes: greens.map((green, index) => ({ at: at(index * 2), weights: both(green) })),
  checks: greens.flatMap((_, index) => [
    targetHealth(index * 2, index === 0 ? null : 1),
    errorShare(index * 2 + 2, 0.0009 + 0.0004 * (index % 3), 0.001),
  ]),
  log: [
    { at: at(0), text: 'live weights: blue 100 %, green 0 %' },
    ...greens.map((green, index) => ({
      at: at(index * 2),
      text: `wrote blue ${100 - green} %, green ${green} %`,
    })),
    { at: at(24), text: 'baked' },
  ],
};

/** The fourth step brought errors. */
export const rolledBack: ShiftOutcome = {
  ...completed,
  verdict: 'rolledBack',
  reason:
    'green: 328 of 7,800 requests failed (4.2 %); also failed: smoke test.\nThe traffic is back at blue 100, green 0.',
  failed: ['cloudWatch.errorShare', 'smoke test'],
  final: both(0),
  endedAt: at(8.2),
  writes: [
    ...greens.slice(0, 4).map((green, index) => ({ at: at(index * 2), weights: both(green) })),
    { at: at(8.1), weights: both(0), rollback: true },
  ],
  checks: [
    ...[0, 2, 4, 6].map((minutes) => targetHealth(minutes, minutes === 0 ? null : 1)),
    ...[2, 4, 6].map((minutes) => errorShare(minutes, 0.0012, 0.001)),
    errorShare(8, 0.042, 0.001),
    { at: at(8), name: 'smoke test', stage: 'after', status: 'fail', reason: 'exit status 3', figures: [] },
  ],
};

/** Somebody else wrote weights in the middle, between three slots. */
export const foreign: ShiftOutcome = {
  ...completed,
  verdict: 'aborted',
  reason: 'Another process changed the weights.',
  from: { red: 70, teal: 30, black: 0 },
  to: { red: 0, teal: 40, black: 60 },
  final: { red: 50, teal: 50, black: 0 },
  endedAt: at(5),
  writes: [
    { at: at(0), weights: { red: 63, teal: 31, black: 6 } },
    { at: at(3), weights: { red: 56, teal: 32, black: 12 } },
  ],
  checks: [],
};

/** Nothing could be read. */
export const unread: ShiftOutcome = {
  ...completed,
  verdict: 'aborted',
  reason: 'ALB rule: access denied',
  from: null,
  final: null,
  endedAt: at(0),
  writes: [],
  checks: [],
  log: [],
};

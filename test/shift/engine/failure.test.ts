import * as fc from 'fast-check';
import type { CheckRecord, Figure, FigureCounts, NamedResult } from '../../../lib/shift/engine';
import { failedChecks, failureSentence, formatFigure, runChecks } from '../../../lib/shift/engine';
import { windowOf } from '../checks/health-samples';

const counts = (counted: number, of: number, more: Partial<FigureCounts> = {}): FigureCounts => ({
  ...{ counted, of, what: 'requests failed' },
  ...more,
});
const share = (slot: string, value: number, more: Partial<Figure> = {}): Figure => ({
  ...{ name: 'error share', slot, value, unit: 'share', failed: true },
  ...more,
});
const failed = (name: string, reason: string, ...figures: Figure[]): NamedResult => ({
  ...{ name, reason, figures, status: 'fail' },
});
const outage = share('green', 1, {
  counts: counts(1026, 1026),
  beside: { slots: ['blue'], value: 0.00097 },
});

test.each<[string, NamedResult[], string]>([
  ['none', [], ''],
  [
    'counts beside the old slot',
    [failed('errors', 'regression', outage)],
    'green: 1,026 of 1,026 requests failed (100 %), blue 0.097 %',
  ],
  [
    'counts beside several slots',
    [
      failed(
        'errors',
        'r',
        share('green', 0.5, { counts: counts(1, 2), beside: { slots: ['blue', 'red'], value: 0 } }),
      ),
    ],
    'green: 1 of 2 requests failed (50 %), blue and red 0 %',
  ],
  [
    'nothing is known of the others',
    [
      failed(
        'errors',
        'r',
        share('green', 0.023, { counts: counts(23, 1_000), beside: { slots: ['blue'], value: null } }),
      ),
    ],
    'green: 23 of 1,000 requests failed (2.3 %)',
  ],
  [
    'a bound says that it fails',
    [
      failed('targets', 'r', {
        name: 'healthy share',
        slot: 'green',
        value: 0.3,
        unit: 'share',
        min: 0.9,
        counts: counts(3, 10, { what: 'targets are healthy' }),
      }),
    ],
    'green: 3 of 10 targets are healthy (30 %)',
  ],
  [
    'a figure that is no share, of the whole, with a cause',
    [
      failed('pods', 'r', {
        name: 'ready',
        value: 3,
        unit: 'count',
        min: 5,
        counts: counts(3, 5, { what: 'pods are ready', cause: 'waiting for a' }),
      }),
    ],
    '3 of 5 pods are ready: waiting for a',
  ],
  [
    'figures that do not fail say nothing',
    [failed('errors', 'r', share('blue', 0.1, { counts: counts(1, 10), failed: false }), outage)],
    'green: 1,026 of 1,026 requests failed (100 %), blue 0.097 %',
  ],
  [
    'several figures',
    [
      failed(
        'errors',
        'r',
        ...['green', 'red', 'teal', 'black'].map((slot) => share(slot, 0.5, { counts: counts(1, 2) })),
      ),
    ],
    'green: 1 of 2 requests failed (50 %); red: 1 of 2 requests failed (50 %); and 2 more',
  ],
  ['no counts', [failed('smoke test', 'exit status 3.')], 'smoke test: exit status 3'],
  [
    'several checks: the one that counts comes first',
    [failed('smoke test', 'exit status 3'), failed('errors', 'r', outage), failed('pods', 'r')],
    'green: 1,026 of 1,026 requests failed (100 %), blue 0.097 %; also failed: smoke test, pods',
  ],
])('%s', (_, checks, sentence) => {
  expect(failureSentence(checks)).toBe(sentence);
});

test.each([
  [1, 1, '100 %'],
  [1_999, 2_000, '99.9 %'],
  [99_999, 100_000, '99.9 %'],
  [0, 10, '0 %'],
  [1, 1_000_000, '0.0001 %'],
  [123, 1_000, '12.3 %'],
  [42, 1_000, '4.2 %'],
])('%d of %d are %s', (counted, of, percent) => {
  const [said] = [
    failureSentence([failed('e', 'r', share('green', counted / of, { counts: counts(counted, of) }))]),
  ];
  expect(said).toMatch(new RegExp(`\\(${percent.replace('.', '\\.')}\\)$`));
});

test('whatever checks say, it is a sentence without a break, a number that is none, or a full stop', () => {
  const number = fc.double({ min: 0, max: 1e9, noNaN: true });
  const figure = fc.record({
    ...{ name: fc.constant('x'), slot: fc.constantFrom('green', undefined), value: fc.option(number) },
    ...{ unit: fc.constantFrom('share' as const, 'count' as const), failed: fc.boolean(), max: number },
    counts: fc.option(
      fc.record({
        counted: number,
        of: number,
        what: fc.constant('requests failed'),
        cause: fc.constantFrom(undefined, 'so'),
      }),
      { nil: undefined },
    ),
    beside: fc.option(fc.record({ slots: fc.constant(['blue']), value: fc.option(number) }), {
      nil: undefined,
    }),
  });
  const check = fc.record({
    ...{
      name: fc.constant('a'),
      status: fc.constant('fail' as const),
      reason: fc.constantFrom('why', 'why.'),
    },
    figures: fc.array(figure, { maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(check, { minLength: 1, maxLength: 3 }), (checks) => {
      expect(failureSentence(checks as NamedResult[])).toMatch(
        /^(?!.*(NaN|undefined|Infinity|null)).*[^.\n]$/,
      );
    }),
  );
});

test('a figure as a line has what it counts and what it stands beside, too', () => {
  expect(formatFigure({ ...outage, max: 0.01 })).toBe(
    'error share of green 100 % (1026 of 1026, blue 0.097 %, at most 1 %)',
  );
  expect(formatFigure(share('green', 0.5, { beside: { slots: ['blue', 'red'], value: null } }))).toBe(
    'error share of green 50 % (blue and red unknown)',
  );
});

describe('the checks that a shift ended by', () => {
  const record = (name: string, status: CheckRecord['status'], reason: string): CheckRecord => ({
    ...{ at: '2031-05-06T07:08:09.000Z', stage: 'after', figures: [] },
    ...{ name, status, reason },
  });
  const checks = [
    record('errors', 'pass', '1'),
    record('pods', 'inconclusive', '2'),
    record('errors', 'fail', '3'),
    record('pods', 'inconclusive', '4'),
  ];

  test.each<[string, readonly string[] | undefined, string[]]>([
    ['are those that it names, by their last answers', ['pods'], ['4']],
    ['are those that failed last, where it names none', undefined, ['3']],
    ['are none, where it ended by none', [], []],
  ])('%s', (_, named, reasons) => {
    const found = failedChecks({ checks, ...(named && { failed: named }) });
    expect(found.map(({ reason }) => reason)).toEqual(reasons);
  });
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['no value', { name: 'x' }],
  ['a value that is text', { name: 'x', value: '1' }],
  ['counts that are none', { name: 'x', value: 1, failed: true, counts: { counted: '5', of: 5 } }],
  ['slots that are no list', { name: 'x', value: 1, failed: true, beside: { slots: 'blue', value: 1 } }],
])('a figure of a check that is %s makes its answer none', async (_, figure) => {
  const check = {
    ...{ name: 'mine', stages: ['after' as const] },
    evaluate: () => Promise.resolve({ status: 'fail' as const, reason: 'r', figures: [figure as Figure] }),
  };
  expect(await runChecks([check], windowOf({ blue: 50, green: 50 }), undefined)).toEqual([
    expect.objectContaining({
      status: 'inconclusive',
      reason: expect.stringMatching(/^its answer is neither/),
    }),
  ]);
});

test('what others wrote is one line', () => {
  const cause = 'a\u001b[2Jb\nc';
  const said = failureSentence([failed('e', 'r', share('green', 1, { counts: counts(1, 1, { cause }) }))]);
  expect(said).not.toMatch(/[\u001b\n]/);
});

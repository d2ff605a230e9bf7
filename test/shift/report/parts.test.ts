import * as fc from 'fast-check';
import { niceCeiling, slotMarks, spread, timeTicks } from '../../../lib/shift/report/drawing';
import { chartStyle } from '../../../lib/shift/report/event-lanes';
import { figurePanels } from '../../../lib/shift/report/figure-chart';
import { bounds, elapsed, figureValue, shortened } from '../../../lib/shift/report/format';
import { pageStyle } from '../../../lib/shift/report/style';
import { timelineOf } from '../../../lib/shift/report/timeline';
import { completed, foreign, rolledBack, unread } from './outcomes';

test.each([
  [0, '0 s'],
  [40, '0 s'],
  [250, '0.3 s'],
  [9_960, '10 s'],
  [45_400, '45 s'],
  [59_900, '1 min'],
  [150_000, '2 min 30 s'],
  [3_600_000, '1 h'],
  [3_660_000, '1 h 1 min'],
  [90_061_000, '25 h 1 min'],
])('%d ms is %s', (milliseconds, text) => {
  expect(elapsed(milliseconds)).toBe(text);
});

test.each([
  [0.0109, 'share', '1.09 %'],
  [1, 'share', '100 %'],
  [123_456, 'count', '123,456'],
  [0.25, 'seconds', '0.25 s'],
  [999.7, 'perSecond', '1,000 /s'],
  [0.001234, undefined, '0.00123'],
  [null, 'share', 'no data'],
] as const)('%p as %p is %s', (value, unit, text) => {
  expect(figureValue(value, unit)).toBe(text);
});

test('an absent bound is absent, and 0 is a bound', () => {
  expect(bounds({})).toBe('');
  expect(bounds({ max: 0, unit: 'count' })).toBe('at most 0');
  expect(bounds({ min: 0, unit: 'share' })).toBe('at least 0 %');
  expect(bounds({ min: 1, max: 2 })).toBe('from 1 to 2');
});

test('a name is cut by letters, not by halves of them', () => {
  expect(shortened('green', 5)).toBe('green');
  expect(shortened('emerald', 5)).toBe('emer…');
  expect(shortened('😀😀😀', 2)).toBe('😀…');
});

test.each([
  [
    ['blue', 'green'],
    ['blue', 'green'],
  ],
  [
    ['green', 'blue'],
    ['green', 'blue'],
  ],
  [
    ['a', 'b', 'c', 'd', 'e'],
    ['blue', 'orange', 'green', 'purple', 'red'],
  ],
  [
    ['v1', 'blue'],
    ['orange', 'blue'],
  ],
  [
    ['pink', 'violet', 'x'],
    ['purple', 'blue', 'orange'],
  ],
  [
    ['constructor', 'toString'],
    ['blue', 'orange'],
  ],
])('slots %j get the hues %j', (slots, hues) => {
  expect(slotMarks(slots).map(({ hue }) => hue)).toEqual(hues);
});

test('up to five slots differ in hue and in shape', () => {
  const names = fc.uniqueArray(fc.constantFrom('red', 'blue', 'pink', 'violet', 'a', 'b', 'c', 'green'), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(names, (slots) => {
      const marks = slotMarks(slots);
      expect(new Set(marks.map(({ hue }) => hue)).size).toBe(slots.length);
      expect(new Set(marks.map(({ index }) => index)).size).toBe(slots.length);
    }),
  );
});

test('the slots that gain lie at the bottom', () => {
  expect(timelineOf(completed).slots).toEqual(['green', 'blue']);
  expect(timelineOf(foreign).slots).toEqual(['teal', 'black', 'red']);
});

test('weights stand from one write to the next, and what was only found follows the end', () => {
  const { stretches, end, span } = timelineOf(foreign);
  const minute = 60_000;
  expect(stretches.map(({ from, to }) => [from / minute, to / minute])).toEqual([
    [0, 0],
    [0, 3],
    [3, 5],
    [5, span / minute],
  ]);
  expect(span).toBeGreaterThan(end);
  expect(stretches.at(-1)!.weights).toEqual(foreign.final);
  expect(timelineOf(rolledBack).foreign).toBeUndefined();
  expect(timelineOf(unread).stretches).toEqual([]);
});

test('a figure is marked as failed where it is beyond its bound, else where its check failed', () => {
  const panels = figurePanels(rolledBack);
  expect(panels.map(({ check, figure }) => `${check} ${figure}`)).toEqual([
    'targetHealth healthy share',
    'cloudWatch.errorShare error share',
    'cloudWatch.errorShare requests',
  ]);
  const failed = panels.flatMap(({ figure, series }) =>
    series.flatMap(({ slot, points }) =>
      points.filter((point) => point.failed).map(() => `${figure} ${slot}`),
    ),
  );
  expect(failed).toEqual(['error share green']);
  const [check] = rolledBack.checks.filter(({ status }) => status === 'fail');
  const unbounded = { ...check!, figures: [{ name: 'score', value: 3 }] };
  expect(figurePanels({ ...rolledBack, checks: [unbounded] })[0]!.series[0]!.points[0]!.failed).toBe(true);
});

test('what stands beside a slot is drawn with it, by its name where that is one slot', () => {
  const share = (slot: string, slots: string[]) => ({
    ...{ name: 'error share', slot, value: 0.5, unit: 'share' as const, failed: true },
    beside: { slots, value: 0.1 },
  });
  const seriesOf = (...figures: object[]) => {
    const [check] = rolledBack.checks;
    const checks = [{ ...check!, status: 'fail' as const, figures: figures as never }];
    return figurePanels({ ...rolledBack, checks }).map(({ figure, series }) => [
      figure,
      ...series.map(({ slot, name, points }) => [
        slot,
        name,
        points.map(({ value, failed }) => [value, failed]),
      ]),
    ]);
  };
  const own = [0.5, true];
  const other = [0.1, false];
  expect(seriesOf(share('green', ['blue']))).toEqual([
    ['error share', ['green', undefined, [own]], ['blue', undefined, [other]]],
  ]);
  expect(seriesOf(share('green', ['blue', 'red']))).toEqual([
    ['error share', ['green', undefined, [own]], [undefined, 'blue+red', [other]]],
  ]);
  expect(seriesOf(share('green', ['blue']), share('red', ['blue']))).toEqual([
    [
      'error share',
      ['green', undefined, [own]],
      [undefined, 'blue by green', [other]],
      ['red', undefined, [own]],
      [undefined, 'blue by red', [other]],
    ],
  ]);
  expect(seriesOf(share('green', ['blue']), { name: 'error share', slot: 'blue', value: 0.2 })).toEqual([
    ['error share', ['green', undefined, [own]], ['blue', undefined, [[0.2, false]]]],
  ]);
});

test('a time axis has round places, never too many', () => {
  expect(timeTicks(24 * 60_000, 10)).toEqual([0, 5, 10, 15, 20].map((minutes) => minutes * 60_000));
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 1e10 }), fc.integer({ min: 2, max: 12 }), (span, most) => {
      const ticks = timeTicks(span, most);
      expect(ticks.length).toBeGreaterThan(0);
      expect(ticks.length).toBeLessThanOrEqual(most + 1);
      expect(ticks.at(-1)).toBeLessThanOrEqual(span);
    }),
  );
});

test('a scale ends at or a little above its largest value', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (value) => {
      expect(niceCeiling(value)).toBeGreaterThanOrEqual(value * (1 - 1e-6));
      expect(niceCeiling(value)).toBeLessThanOrEqual(value * 2.5 * (1 + 1e-6));
    }),
  );
  expect([0, -1, NaN, 5e-324].map(niceCeiling)).toEqual([1, 1, 1, 1]);
});

test('labels that fit do not overlap and keep their order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 5 }), (wanted) => {
      const placed = spread(wanted, 30, 0, 300);
      const sorted = [...placed].sort((one, other) => one - other);
      sorted.slice(1).forEach((place, index) => expect(place - sorted[index]!).toBeGreaterThanOrEqual(30));
      placed.forEach((place) => expect(place >= 0 && place <= 300).toBe(true));
      wanted.forEach((one, i) =>
        wanted.forEach((other, j) => expect(one < other && placed[i]! >= placed[j]!).toBe(false)),
      );
    }),
  );
});

describe('colours', () => {
  const [lightPage, darkPage] = pageStyle.split('@media screen');
  const [lightChart, darkChart] = chartStyle.split('@media screen');
  const colours = (style: string): Record<string, string> =>
    Object.fromEntries(
      [...style.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]),
    );

  /** Contrast as WCAG 2 counts it: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
  const contrast = (one: string, other: string): number => {
    const luminance = (colour: string): number => {
      const [red, green, blue] = [1, 3, 5]
        .map((start) => parseInt(colour.slice(start, start + 2), 16) / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
    };
    const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (lighter! + 0.05) / (darker! + 0.05);
  };

  test.each([
    ['light', colours(lightPage!), colours(lightChart!)],
    ['dark', colours(darkPage!), colours(darkChart!)],
  ])('are readable (%s)', (_name, page, chart) => {
    for (const text of ['cc-ink', 'cc-quiet', 'cc-bad']) {
      expect([text, contrast(chart[text]!, chart['cc-surface']!) >= 4.5]).toEqual([text, true]);
    }
    for (const hue of ['blue', 'orange', 'green', 'purple', 'red', 'good', 'axis']) {
      expect([hue, contrast(chart[`cc-${hue}`]!, chart['cc-surface']!) >= 3]).toEqual([hue, true]);
    }
    for (const [text, ground] of [
      ['ink', 'page'],
      ['quiet', 'page'],
      ['quiet', 'card'],
      ['good', 'good-area'],
      ['bad', 'bad-area'],
      ['still', 'still-area'],
      ['bad', 'card'],
    ]) {
      expect([text, contrast(page[text!]!, page[ground!]!) >= 4.5]).toEqual([text, true]);
    }
  });
});

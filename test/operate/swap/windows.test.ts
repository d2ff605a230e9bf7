import fc from 'fast-check';
import { nextOpening } from '../../../lib/operate/swap';
import type { TimeWindow } from '../../../lib/operate/swap';

const everyDay = [0, 1, 2, 3, 4, 5, 6];

function windowOf(
  from: string,
  to: string,
  timeZone: string,
  days: readonly number[] = everyDay,
): TimeWindow {
  return { days, from: minutes(from), to: minutes(to), timeZone };
}

function minutes(clock: string): number {
  const [hours, rest] = clock.split(':').map(Number);
  return hours! * 60 + rest!;
}

const office = windowOf('09:00', '16:00', 'Europe/Berlin', [1, 2, 3, 4]);

test.each<[what: string, window: TimeWindow, at: string, opening: string]>([
  ['it is open', office, '2026-03-02T10:12:34.567Z', '2026-03-02T10:12:34.567Z'],
  ['it opens at this very moment', office, '2026-03-02T08:00:00.000Z', '2026-03-02T08:00:00.000Z'],
  ['a moment before it opens', office, '2026-03-02T07:59:59.999Z', '2026-03-02T08:00:00.000Z'],
  ['the last moment', office, '2026-03-02T14:59:59.999Z', '2026-03-02T14:59:59.999Z'],
  ['it has just closed', office, '2026-03-02T15:00:00.000Z', '2026-03-03T08:00:00.000Z'],
  ['after the last day of the week', office, '2026-03-05T15:00:00.000Z', '2026-03-09T08:00:00.000Z'],
  ['clocks go forward over the weekend', office, '2026-03-26T15:00:00.000Z', '2026-03-30T07:00:00.000Z'],
  ['clocks go back over the weekend', office, '2026-10-22T14:00:00.000Z', '2026-10-26T08:00:00.000Z'],
  // 2026-03-29 in Berlin: 02:00 becomes 03:00 at 01:00 UTC.
  [
    'its begin is left out in spring',
    windowOf('02:30', '04:00', 'Europe/Berlin', [0]),
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
  ],
  [
    'all of it is left out in spring',
    windowOf('02:15', '02:45', 'Europe/Berlin', [0]),
    '2026-03-28T12:00:00.000Z',
    '2026-04-05T00:15:00.000Z',
  ],
  // 2026-10-25 in Berlin: 03:00 becomes 02:00 at 01:00 UTC.
  [
    'it comes twice in autumn, the first time',
    windowOf('02:15', '02:45', 'Europe/Berlin', [0]),
    '2026-10-24T12:00:00.000Z',
    '2026-10-25T00:15:00.000Z',
  ],
  [
    'it comes twice in autumn, the second time',
    windowOf('02:15', '02:45', 'Europe/Berlin', [0]),
    '2026-10-25T00:45:00.000Z',
    '2026-10-25T01:15:00.000Z',
  ],
  [
    'New York has its own Sunday',
    windowOf('09:00', '10:00', 'America/New_York'),
    '2026-03-08T12:00:00.000Z',
    '2026-03-08T13:00:00.000Z',
  ],
  [
    'a zone of three quarters of an hour',
    windowOf('09:07', '10:00', 'Asia/Kathmandu'),
    '2026-03-02T00:00:00.000Z',
    '2026-03-02T03:22:00.000Z',
  ],
  [
    'clocks that go forward by half an hour',
    windowOf('02:10', '02:50', 'Australia/Lord_Howe', [0]),
    '2026-10-03T14:00:00.000Z',
    '2026-10-03T15:30:00.000Z',
  ],
  [
    'the other day by then',
    windowOf('00:00', '01:00', 'Pacific/Auckland', [2]),
    '2026-03-02T09:00:00.000Z',
    '2026-03-02T11:00:00.000Z',
  ],
  [
    'it lasts until midnight',
    windowOf('22:00', '24:00', 'UTC', [1]),
    '2026-03-02T23:59:59.999Z',
    '2026-03-02T23:59:59.999Z',
  ],
  [
    'one minute in a week',
    windowOf('10:01', '10:02', 'UTC', [1]),
    '2026-03-02T10:02:00.000Z',
    '2026-03-09T10:01:00.000Z',
  ],
])('the next opening where %s', (_, window, at, opening) => {
  expect(new Date(nextOpening([window], Date.parse(at))!).toISOString()).toBe(opening);
});

test('of several windows the first one that opens counts', () => {
  const windows = [windowOf('12:00', '13:00', 'UTC'), windowOf('11:00', '12:00', 'UTC', [1]), office];
  expect(nextOpening(windows, Date.UTC(2026, 2, 2, 6))).toBe(Date.UTC(2026, 2, 2, 8));
  expect(nextOpening(windows, Date.UTC(2026, 2, 6, 6))).toBe(Date.UTC(2026, 2, 6, 12));
});

test('none opens where there is none, or none has a day', () => {
  expect(nextOpening([], 0)).toBeUndefined();
  expect(nextOpening([windowOf('09:00', '10:00', 'UTC', [])], 0)).toBeUndefined();
});

test('minute by minute, no opening comes earlier', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];
  const formats = new Map(
    zones.map((timeZone) => [
      timeZone,
      new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }),
    ]),
  );
  const minuteMs = 60_000;
  const shows = ({ days, from, to, timeZone }: TimeWindow, at: number): boolean => {
    const text = formats.get(timeZone)!.format(at);
    const [date, clock] = text.split(' ');
    const shown = minutes(clock!.slice(0, 5));
    return days.includes(new Date(`${date}T00:00:00Z`).getUTCDay()) && shown >= from && shown < to;
  };
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2026, 0, 1) / minuteMs, max: Date.UTC(2027, 0, 1) / minuteMs }),
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 1439 }),
      fc.integer({ min: 1, max: 300 }),
      (start, timeZone, from, length) => {
        const window = { days: everyDay, from, to: Math.min(from + length, 1440), timeZone };
        const at = start * minuteMs;
        let expected = at;
        while (!shows(window, expected)) {
          expected += minuteMs;
        }
        expect(nextOpening([window], at)).toBe(expected);
      },
    ),
    { seed: 1, numRuns: 20 },
  );
});

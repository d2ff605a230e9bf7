/** A time of the week in which phases may begin. */
export interface TimeWindow {
  /** Days, 0 for Sunday. */
  readonly days: readonly number[];
  /** Minutes since midnight: from. */
  readonly from: number;
  /** Minutes since midnight: to, which is later than `from`; up to 1440. */
  readonly to: number;
  /** A time zone of the IANA database: `Europe/Berlin`. */
  readonly timeZone: string;
}

const minuteMs = 60_000;

/** Clocks are put forward and back at full quarters of an hour. */
const quarterMs = 15 * minuteMs;

/** A window of one day can fall into the hour that a night in spring leaves out: then the week after has it. */
const longestSearchMs = 15 * 24 * 60 * minuteMs;

/**
 * When one of the windows is open next, from this moment on: the moment itself where one is. A window is open while the clocks of
 * its time zone show a time in it: the hour that is left out in spring opens none, and the one that comes twice in autumn opens twice.
 *
 * @returns milliseconds since 1970; `undefined` where none of them ever opens
 */
export function nextOpening(windows: readonly TimeWindow[], at: number): number | undefined {
  const openings = windows.map((window) => openingOf(window, at)).filter((opening) => opening !== undefined);
  return openings.length === 0 ? undefined : Math.min(...openings);
}

function openingOf({ days, from, to, timeZone }: TimeWindow, at: number): number | undefined {
  for (let start = at; start < at + longestSearchMs; start = nextQuarter(start)) {
    const { day, minutes } = wallClock(start, timeZone);
    // Until the next quarter the clock runs evenly, and no day ends.
    const opens = Math.max(from, minutes);
    if (days.includes(day) && opens < to) {
      const opening = opens === minutes ? start : startOfMinute(start) + (opens - minutes) * minuteMs;
      if (opening < nextQuarter(start)) {
        return opening;
      }
    }
  }
  return undefined;
}

function nextQuarter(at: number): number {
  return (Math.floor(at / quarterMs) + 1) * quarterMs;
}

function startOfMinute(at: number): number {
  return Math.floor(at / minuteMs) * minuteMs;
}

const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** What the clocks of a time zone show: the day, 0 for Sunday, and minutes since midnight. */
function wallClock(at: number, timeZone: string): { readonly day: number; readonly minutes: number } {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: dayNames.indexOf(parts.get('weekday')!),
    minutes: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making one takes a hundred times as long as using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) {
    return known;
  }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(timeZone, format);
  return format;
}

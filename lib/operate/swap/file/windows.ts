import { across, list, object, optional } from '../../../core/validation/collections';
import { timeZone } from '../../../core/validation/formats';
import type { Schema } from '../../../core/validation/schema';
import { fits, oneOf, text } from '../../../core/validation/values';
import type { TimeWindow } from '../windows';

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** A time of the week in which phases may begin that change something: `create`, `prescale`, `shift`, `drain`, `delete`. */
export interface WindowSettings {
  /** Days of the week. @default - every day */
  readonly days?: readonly (typeof weekdays)[number][];
  /** When it opens: `09:00`. */
  readonly from: string;
  /** When it closes, later on the same day: `16:00`, at most `24:00`. */
  readonly to: string;
  /** Name of the IANA time zone database: `Europe/Berlin`. @default 'UTC' */
  readonly timeZone?: string;
}

const dayTime = text('a time of the day in quotes, from "00:00" to "23:59"', /^([01]\d|2[0-3]):[0-5]\d$/);

const closingTime = text('a time of the day in quotes, up to "24:00"', /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/);

/** What a swap file may say of one window. */
const windowSchema: Schema<WindowSettings> = across(
  object<WindowSettings>({
    days: optional(list(oneOf(...weekdays), 1, 'a list of at least one day: [Mon, Tue]')),
    from: dayTime,
    to: closingTime,
    timeZone: optional(fits(timeZone)),
  }),
  ({ from, to }, { mustBe }) => {
    const [opens, closes] = [minutesOf(from), minutesOf(to)];
    if (opens !== undefined && closes !== undefined && closes <= opens) {
      mustBe(['to'], `later than "from" on the same day; a window that goes past midnight is two`);
    }
  },
);

/** What a swap file may say of windows. */
export const windowsSchema: Schema<readonly WindowSettings[]> = list(
  windowSchema,
  1,
  'a list of at least one window: { days, from, to, timeZone }',
);

/** Minutes since midnight. */
function minutesOf(time: unknown): number | undefined {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(String(time)) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

/** A window as the machine knows it. */
export function timeWindow({
  days = weekdays,
  from,
  to,
  timeZone: zone = 'UTC',
}: WindowSettings): TimeWindow {
  return {
    days: days.map((day) => weekdays.indexOf(day)),
    from: minutesOf(from)!,
    to: minutesOf(to)!,
    timeZone: zone,
  };
}

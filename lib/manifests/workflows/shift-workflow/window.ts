import { across, list, object, optional } from '../../../core/validation/collections';
import { timeZone } from '../../../core/validation/formats';
import type { Schema } from '../../../core/validation/schema';
import { fits, oneOf, whole } from '../../../core/validation/values';

/** Days of the week, as cron names them. */
export type Weekday = 'Mon' | 'Tue' | 'Wed' | 'Thu' | 'Fri' | 'Sat' | 'Sun';

/** When waves may start. One that has started goes on to its end. */
export interface ShiftWindow {
  /** Days on which waves may start. @default - Monday to Friday */
  readonly days?: readonly Weekday[];
  /** Full hour of the day from which on waves may start: 0 to 23. */
  readonly from: number;
  /** Full hour of the day from which on no wave starts any more: 1 to 24. */
  readonly to: number;
  /** Name in the IANA time zone database: `Europe/Berlin`. Daylight saving time is taken into account. */
  readonly timeZone: string;
}

const week: readonly Weekday[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const workdays = week.slice(0, 5);

/** Minutes between two looks whether a shift is to be started. */
const lookEvery = 15;

/** When waves may start. */
export const workflowShiftWindow: Schema<ShiftWindow> = across(
  object<ShiftWindow>({
    days: optional(list(oneOf(...week), 1, 'a list of at least one day')),
    from: whole(0, 23),
    to: whole(1, 24),
    timeZone: fits(timeZone),
  }),
  ({ from, to }, { mustBe }) => {
    if (typeof from === 'number' && typeof to === 'number' && to >= 1 && to <= from) {
      mustBe(['to'], 'an hour after "from"');
    }
  },
);

/** The schedule that starts a shift while the window is open. */
export function cronOf({ days = workdays, from, to }: ShiftWindow): string {
  const hours = to - 1 === from ? `${from}` : `${from}-${to - 1}`;
  return `*/${lookEvery} ${hours} * * ${distinct(days)
    .map((day) => cronDay(day))
    .join(',')}`;
}

/** How late a start may be that was missed: no later than the next look. */
export const startingDeadlineSeconds = lookEvery * 60;

/**
 * An expression, as Argo Workflows evaluates it, for the seconds until the window is open: 0 while it is. It counts in
 * minutes of the week, so over a change of the clock it is an hour early or late.
 *
 * @see https://expr-lang.org/docs/language-definition
 */
export function secondsUntilOpen({ days = workdays, from, to, timeZone: zone }: ShiftWindow): string {
  const openings = distinct(days).map((day) => cronDay(day) * minutesADay + from * 60);
  const length = (to - from) * 60;
  const sinceOpening = `(minute - # + ${minutesAWeek}) % ${minutesAWeek}`;
  const untilOpening = `(# - minute + ${minutesAWeek}) % ${minutesAWeek}`;
  return [
    `let moment = now().In(timezone("${zone}"));`,
    `let minute = int(moment.Weekday()) * ${minutesADay} + moment.Hour() * 60 + moment.Minute();`,
    `any([${openings.join(', ')}], ${sinceOpening} < ${length})`,
    `? "0" : string(60 * min(map([${openings.join(', ')}], ${untilOpening})))`,
  ].join(' ');
}

const minutesADay = 24 * 60;

const minutesAWeek = 7 * minutesADay;

/** Cron counts from Sunday. */
function cronDay(day: Weekday): number {
  return (week.indexOf(day) + 1) % 7;
}

function distinct(days: readonly Weekday[]): readonly Weekday[] {
  return week.filter((day) => days.includes(day));
}

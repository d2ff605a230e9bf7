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

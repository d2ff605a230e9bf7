/** Whether something is due that was done last at a time of this clock. After a clock was set back, when that was is not known. */
export function isDue(now: number, last: number, everyMs: number): boolean {
  return now - last >= everyMs || now < last;
}

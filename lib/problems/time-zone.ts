/**
 * Whether a value is a name of the IANA time zone database, as Go knows it. Offsets such as "+02:00" are known to Node.js, but
 * not to Go.
 */
export function isTimeZone(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[A-Za-z]/.test(value)) {
    return false;
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

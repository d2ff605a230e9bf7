import type { Rule } from '../problems';

/** A name of the IANA time zone database, as Go knows it. */
export const timeZone: Rule = {
  allowed: 'a name of the IANA time zone database, such as "Europe/Berlin" or "UTC"',
  accepts: (value) => {
    // Offsets such as "+02:00" are known here, but not to Go.
    if (typeof value !== 'string' || !/^[A-Za-z]/.test(value)) {
      return false;
    }
    try {
      new Intl.DateTimeFormat('en', { timeZone: value });
      return true;
    } catch {
      return false;
    }
  },
};

import type { Rule } from './rules';

/**
 * A name of the IANA time zone database, as Go knows it. Offsets such as "+02:00" are known to Node.js, but not to Go.
 */
export const timeZone: Rule = {
  allowed: 'a name of the IANA time zone database, such as "UTC" or "Asia/Tokyo"',
  accepts: (value) => {
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

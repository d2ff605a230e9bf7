import type { Rule } from '../problems';
import { isTimeZone } from '../problems';

/** A name of the IANA time zone database, as Go knows it. */
export const timeZone: Rule = {
  allowed: 'a name of the IANA time zone database, such as "Europe/Berlin" or "UTC"',
  accepts: isTimeZone,
};

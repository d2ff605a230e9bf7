import { parseDuration } from '../../core/durations';
import { isPlainObject } from '../../core/validation/problems';
import type { Problems, Format } from '../../core/validation/problems';

/** Flagger's definition takes durations that begin with minutes or seconds; hours would be refused. */
export const minutesAndSeconds: Format = {
  allowed: 'a duration in minutes and seconds such as "1m", "90s" or "1m30s"',
  accepts: (value) => typeof value === 'string' && /^(?=.)([1-9]\d{0,3}m)?([1-9]\d{0,4}s)?$/.test(value),
};

/** The seconds of a duration that was accepted. */
export function secondsOf(duration: string): number {
  return (parseDuration(duration) ?? 0) / 1000;
}

/** Text that says something. */
export const someText: Format = {
  allowed: 'a text',
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
};

export const list: Format = { allowed: 'a list', accepts: (value) => Array.isArray(value) };

export const mapping: Format = { allowed: 'a mapping', accepts: isPlainObject };

/** A mapping of texts. */
export const texts: Format = {
  allowed: 'a mapping of texts',
  accepts: (value) =>
    mapping.accepts(value) && Object.values(value as object).every((each) => typeof each === 'string'),
};

/** The address of a service, without a user name or a password. */
export const serviceUrl: Format = {
  allowed: 'the URL of a service, "http://…" or "https://…", without a user name or a password',
  accepts: (value) => {
    if (typeof value !== 'string' || !/^https?:\/\/[^\s/]/.test(value) || !URL.canParse(value)) {
      return false;
    }
    const { username, password } = new URL(value);
    return username === '' && password === '';
  },
};

/** Checks an address. A wrong one is not shown: credentials may be what is wrong with it. */
export function checkUrl(problems: Problems, path: string, url: unknown): void {
  if (!serviceUrl.accepts(url)) {
    problems.addSecret(path, serviceUrl.allowed);
  }
}

/** Whether a value is a mapping; a problem is added where it is not. */
export function checkMapping<T extends object>(problems: Problems, path: string, value: T): boolean {
  return problems.check<unknown>(path, value, mapping);
}

/** The entries of a list that is given and is one. */
export function entriesOf<T>(
  problems: Problems,
  path: string,
  entries: readonly T[] | undefined,
): readonly T[] {
  return entries !== undefined && problems.check<unknown>(path, entries, list) ? entries : [];
}

import { parseDuration } from '../../core/durations';
import { record } from '../../core/validation/collections';
import { fits, secret, text } from '../../core/validation/values';

/** Flagger's definition takes durations that begin with minutes or seconds; hours would be refused. */
export const minutesAndSeconds = text(
  'a duration in minutes and seconds such as "1m", "90s" or "1m30s"',
  /^(?=.)([1-9]\d{0,3}m)?([1-9]\d{0,4}s)?$/,
);

/** The seconds of a duration that was accepted. */
export function secondsOf(duration: string): number {
  return (parseDuration(duration) ?? 0) / 1000;
}

/** Text that says something. */
export const someText = text('a text', /\S/);

/** A mapping of texts. */
export const texts = record(text('a text'), undefined, 'a mapping of texts');

/** Whether a text is the address of a service, without a user name or a password. */
function isServiceUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s/]/.test(value) || !URL.canParse(value)) {
    return false;
  }
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

/** The address of a service. A wrong one is not shown: credentials may be what is wrong with it. */
export const serviceUrl = secret(
  fits({
    allowed: 'the URL of a service, "http://…" or "https://…", without a user name or a password',
    accepts: isServiceUrl,
  }),
);

import type { NodeClock } from '../../clocks';
import { appTokenTimes } from './credentials';

/** What is known of a node's clock. */
export type MeasuredClock = Pick<NodeClock, 'node' | 'seconds' | 'uncertainty'>;

/** Whether GitHub takes a token that is made on a clock: `fast` is before its `iat`, `slow` after its `exp`. */
export type TokenClockVerdict = 'accepted' | 'fast' | 'slow' | 'unsure';

/**
 * What GitHub says of a token made on a clock that is off by this much: `iat` must not be in the future, `exp` must be. So a
 * clock may be up to 30 s fast and less than 90 s slow.
 *
 * @param skewSeconds how far the clock is ahead
 * @param uncertaintySeconds within this of a limit it is `unsure`
 * @see https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
export function clockVerdict(skewSeconds: number, uncertaintySeconds = 0): TokenClockVerdict {
  const fastest = -appTokenTimes.issued;
  const slowest = -appTokenTimes.expires;
  if (skewSeconds - uncertaintySeconds > fastest) {
    return 'fast';
  }
  if (skewSeconds + uncertaintySeconds <= slowest) {
    return 'slow';
  }
  const accepted = skewSeconds + uncertaintySeconds <= fastest && skewSeconds - uncertaintySeconds > slowest;
  return accepted ? 'accepted' : 'unsure';
}

/** `4 min 10 s fast`, `12 s slow`, `right to the second`. */
export function skewText(skewSeconds: number): string {
  const whole = Math.round(Math.abs(skewSeconds));
  if (whole === 0) {
    return 'right to the second';
  }
  const minutes = Math.floor(whole / 60);
  const parts = [...(minutes > 0 ? [`${minutes} min`] : []), ...(whole % 60 > 0 ? [`${whole % 60} s`] : [])];
  return `${parts.join(' ')} ${skewSeconds > 0 ? 'fast' : 'slow'}`;
}

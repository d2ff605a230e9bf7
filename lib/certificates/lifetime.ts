import type { Problems } from '../problems';
import { formatDuration, goDuration, parseDuration } from './go-duration';

/** How long a certificate lives, and how long before its end a new one is issued. */
export interface Lifetime {
  /** Whole life, as a Go duration: `2160h`. */
  readonly duration: string;
  /** How long before its end it is renewed, as a Go duration: `720h`. */
  readonly renewBefore: string;
}

/**
 * A stable CA: 10 years, renewed (under the same key) a year before the end.
 * A leaf that it signs on its last day before the renewal must still end before it does.
 */
export const authorityLifetime: Lifetime = { duration: '87600h', renewBefore: '8760h' };

/** A leaf: cert-manager's 90 days and its third of the life, said in full. */
export const leafLifetime: Lifetime = { duration: '2160h', renewBefore: '720h' };

const hour = parseDuration('1h')!;
const day = parseDuration('24h')!;

/**
 * Adds what cert-manager would refuse, and a renewal so late that a day without cert-manager ends in an expired
 * certificate.
 * @see https://github.com/cert-manager/cert-manager/blob/master/internal/apis/certmanager/validation/certificate.go
 */
export function checkLifetime(problems: Problems, { duration, renewBefore }: Lifetime): void {
  const durationFits = problems.check('duration', duration, goDuration);
  const renewBeforeFits = problems.check('renewBefore', renewBefore, goDuration);
  const life = parseDuration(duration) ?? 0;
  const before = parseDuration(renewBefore) ?? 0;
  if (durationFits && life < hour) {
    problems.add('duration', duration, 'at least 1h, the shortest that cert-manager issues');
  }
  if (renewBeforeFits && before < day) {
    problems.add('renewBefore', renewBefore, 'at least 24h, so that a renewal can fail for a day unnoticed');
  }
  if (durationFits && renewBeforeFits && before >= life) {
    problems.add('renewBefore', renewBefore, `shorter than the duration, ${duration}`);
  }
}

/**
 * Adds a leaf that could outlive the CA certificate it was verified with: a CA issuer signs with the certificate it
 * has, however soon that one ends. A day is left for the renewed CA to arrive everywhere.
 *
 * @param renewBefore of the CA
 */
export function checkAgainstAuthority(problems: Problems, leaf: Lifetime, renewBefore: string): void {
  const life = parseDuration(leaf.duration);
  const overlap = parseDuration(renewBefore);
  if (life !== undefined && overlap !== undefined && life + day > overlap) {
    const longest = overlap - day;
    problems.add(
      'duration',
      leaf.duration,
      longest > day
        ? `at most ${formatDuration(Math.floor(longest))}: 24h less than the renewBefore of its CA (${renewBefore})`
        : `24h shorter than the renewBefore of its CA, which is too short for that (${renewBefore})`,
    );
  }
}

import { formatDuration, parseDuration } from '../durations';
import type { Problems } from '../validation/problems';

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

/** What cert-manager takes where a Certificate says no duration: 90 days, in milliseconds. */
export const defaultDuration = parseDuration(leafLifetime.duration)!;

/**
 * How long before its end cert-manager renews a certificate, in milliseconds. What it can't use it does not look at.
 *
 * @param duration whole life, in milliseconds
 * @param renewBefore in milliseconds. @default - not said
 * @param percentage share of the life that is left at the renewal, which counts where `renewBefore` is not said.
 * @default - not said: a third of the life
 * @see https://github.com/cert-manager/cert-manager/blob/master/pkg/util/pki/renewaltime.go
 */
export function renewedBefore(duration: number, renewBefore?: number, percentage?: number): number {
  if (renewBefore !== undefined && renewBefore > 0 && renewBefore < duration) {
    return renewBefore;
  }
  return percentage !== undefined && percentage > 0 && percentage < 100
    ? (duration * percentage) / 100
    : duration / 3;
}

/** Whether a renewal may fail for less than a day before the certificate ends, in milliseconds before its end. */
export function renewsTooLate(renewBefore: number): boolean {
  return renewBefore < day;
}

/**
 * Whether a certificate could outlive the CA certificate that it was verified with: signed on that one's last day before
 * the renewal, with a day left for the renewed CA to arrive everywhere. In milliseconds.
 *
 * @param authorityRenewBefore how long before its end the CA is renewed
 */
export function outlivesAuthority(duration: number, authorityRenewBefore: number): boolean {
  return duration + day > authorityRenewBefore;
}

/**
 * Adds what cert-manager would refuse, and a renewal so late that a day without cert-manager ends in an expired
 * certificate.
 * @see https://github.com/cert-manager/cert-manager/blob/master/internal/apis/certmanager/validation/certificate.go
 */
export function checkLifetime(problems: Problems, { duration, renewBefore }: Lifetime): void {
  const life = parseDuration(duration)!;
  const before = parseDuration(renewBefore)!;
  if (life < hour) {
    problems.add('duration', duration, 'at least 1h, the shortest that cert-manager issues');
  }
  if (renewsTooLate(before)) {
    problems.add('renewBefore', renewBefore, 'at least 24h, so that a renewal can fail for a day unnoticed');
  }
  if (before >= life) {
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
  if (life !== undefined && overlap !== undefined && outlivesAuthority(life, overlap)) {
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

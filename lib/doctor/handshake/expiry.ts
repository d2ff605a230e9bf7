import type { X509Certificate } from 'node:crypto';
import { defaultDuration, renewedBefore } from '../../certificates';
import { day, lifeOf, span } from './certificate-judgement';

/** A day without the one who renews certificates is no news. In milliseconds. */
const grace = 86_400_000;

/**
 * How long before its end a certificate should have been replaced, in milliseconds: a third of its life, as cert-manager
 * renews by default, but not over a third of 90 days, since what lives for years may be renewed by hand; less a day.
 *
 * @param life from its begin to its end, in milliseconds
 */
export function overdueBefore(life: number): number {
  return Math.min(renewedBefore(life), renewedBefore(defaultDuration)) - Math.min(grace, life / 12);
}

/**
 * Whether a certificate that is valid should have been replaced already.
 *
 * @returns what to say of it, or undefined
 */
export function overdue(certificate: X509Certificate, now: number): string | undefined {
  const [from, to] = lifeOf(certificate);
  const left = to - now;
  return left > 0 && from <= now && left < overdueBefore(to - from)
    ? `ends on ${day(to)}, in ${span(left)}, of a life of ${span(to - from)}`
    : undefined;
}

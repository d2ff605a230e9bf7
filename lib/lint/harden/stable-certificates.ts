import { authorityLifetime } from '../../core/certificates/lifetime';
import { formatDuration, parseDuration } from '../../core/durations';
import { setValuePatch } from '../changes';
import type { ObjectIndex } from '../object-index';
import type { JsonPatchOperation, RawFinding, Rule } from '../rule';
import {
  authorityOf,
  certificateName,
  issuedCertificates,
  issuerTypeOf,
  lifetimeOf,
} from '../views/cert-manager';
import type { IssuedCertificate, LifetimeView } from '../views/cert-manager';
import { trustedCertificates } from '../views/serving-certificates';

const day = parseDuration('24h')!;

/**
 * A rule that makes what webhooks rest on stable: an authority keeps its key, whatever was said, lives long enough for
 * everything that it signs, and every certificate is renewed a day before its end or sooner. A lifetime is only ever
 * made longer, and a renewal earlier.
 */
export const stableCertificates: Rule = {
  id: 'HARDEN02',
  severity: 'warning',
  title: 'A certificate that a renewal can break',
  why: 'a new key of the authority, or a certificate that outlives it, is refused by those who have not heard of it',
  fix: 'keep the key of the authority, and let it live longer than what it signs',
  *check({ objects }) {
    const trusted = objects.view(trustedCertificates);
    for (const certificate of objects.view(issuedCertificates).all) {
      const lifetime = lifetimeOf(certificate);
      if (!trusted.has(certificate)) {
        continue;
      }
      if (certificate.isCa && issuerTypeOf(objects, certificate) === 'selfSigned') {
        yield* keepsKey(certificate);
        yield* outlives(objects, certificate, lifetime);
      } else if (lifetime) {
        yield* renewsInTime(certificate, lifetime);
      }
    }
  },
};

function* keepsKey({ object, spec }: IssuedCertificate): Iterable<RawFinding> {
  const policy = spec.get('privateKey', 'rotationPolicy');
  const patch = setValuePatch(object, policy.steps, 'Never');
  if (policy.text !== 'Never' && patch) {
    yield { object, pointer: policy.pointer, message: 'the authority is to keep its key', fixPatch: patch };
  }
}

function* outlives(
  objects: ObjectIndex,
  authority: IssuedCertificate,
  lifetime: LifetimeView | undefined,
): Iterable<RawFinding> {
  const signed = objects
    .view(issuedCertificates)
    .all.filter((each) => authorityOf(objects, each) === authority)
    .map((each) => lifetimeOf(each)?.duration ?? 0);
  const needed = Math.max(0, ...signed) + day;
  if (!lifetime || lifetime.renewBefore >= needed) {
    return;
  }
  const fits = lifetime.duration >= 2 * needed;
  const wanted = {
    duration: fits
      ? lifetime.duration
      : Math.max(lifetime.duration, parseDuration(authorityLifetime.duration)!),
    renewBefore: fits ? needed : Math.max(needed, parseDuration(authorityLifetime.renewBefore)!),
  };
  if (wanted.duration > wanted.renewBefore) {
    yield lasting(authority, lifetime, wanted, 'what it signs must end before it does');
  }
}

function* renewsInTime(certificate: IssuedCertificate, lifetime: LifetimeView): Iterable<RawFinding> {
  const { duration, renewBefore } = lifetime;
  if (renewBefore < day && duration > 2 * day) {
    const wanted = { duration, renewBefore: Math.max(day, Math.floor(duration / 3)) };
    yield lasting(certificate, lifetime, wanted, 'a renewal may fail for a day');
  }
}

function lasting(
  certificate: IssuedCertificate,
  before: LifetimeView,
  wanted: LifetimeView,
  reason: string,
): RawFinding {
  const { object, spec } = certificate;
  const keys = (['duration', 'renewBefore'] as const).filter(
    (key) => wanted[key] !== before[key] || (key === 'renewBefore' && !spec.get(key).exists),
  );
  const set = keys.flatMap(
    (key) => setValuePatch(object, spec.get(key).steps, formatDuration(wanted[key])) ?? [],
  );
  const percentage = spec.get('renewBeforePercentage');
  const away: readonly JsonPatchOperation[] = percentage.exists
    ? [{ op: 'remove', path: percentage.pointer }]
    : [];
  return {
    object,
    pointer: spec.get(keys[0]!).pointer,
    message: `${certificateName(certificate)} is to live ${formatDuration(wanted.duration)}, and to be renewed ${formatDuration(wanted.renewBefore)} before its end: ${reason}`,
    fixPatch: [...set, ...away],
  };
}

import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import { defaultDuration, renewedBefore } from '../../core/certificates/lifetime';
import {
  dnsNamesOf,
  mayIssue,
  namesServer,
  readCertificates,
  isSignedBy,
} from '../../core/certificates/x509';

/** Public authorities, as Node.js has them, in the place of those that another machine trusts by default. */
export function publicAuthorities(): readonly X509Certificate[] {
  return (known ??= readCertificates(rootCertificates.join('\n')));
}

let known: readonly X509Certificate[] | undefined;

/** One thing that makes a client refuse a server's certificate. */
export interface CertificateFault {
  /** Name of the cause, as findings have it. */
  readonly cause:
    | 'certificate-expired'
    | 'certificate-not-yet-valid'
    | 'wrong-names'
    | 'no-server-usage'
    | 'unknown-authority'
    | 'intermediate-not-valid'
    | 'authority-expired'
    | 'authority-not-yet-valid';
  /** As the rest of a sentence about the certificate: `expired 2 days ago`. */
  readonly detail: string;
}

const serverUsages = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];

/** Faults of a server's certificate alone, whoever signed it, in the order in which Go's TLS meets them. */
export function ownFaults(leaf: X509Certificate, serverName: string, now: number): CertificateFault[] {
  const faults: CertificateFault[] = [];
  const [from, to] = lifeOf(leaf);
  if (now > to) {
    faults.push({ cause: 'certificate-expired', detail: `expired on ${day(to)}, ${span(now - to)} ago` });
  }
  if (now < from) {
    faults.push({
      cause: 'certificate-not-yet-valid',
      detail: `is valid from ${moment(from)} on, in ${span(from - now)}`,
    });
  }
  if (!isNamed(leaf, serverName)) {
    const names = namesOf(leaf);
    faults.push({
      cause: 'wrong-names',
      detail:
        names.length === 0
          ? `has no names (a common name does not count), and not ${serverName}`
          : `is for ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}, and not for ${serverName}`,
    });
  }
  // Node.js calls the extended key usages so; none at all allows everything.
  const usages: readonly string[] | undefined = leaf.keyUsage;
  if (usages !== undefined && usages.length > 0 && !usages.some((each) => serverUsages.includes(each))) {
    faults.push({ cause: 'no-server-usage', detail: 'is not for servers (its key usages lack serverAuth)' });
  }
  return faults;
}

/**
 * Why a certificate is not trusted, or undefined where it is. Any certificate of the bundle is an anchor, as for Go:
 * also the leaf itself, and one that another authority signed.
 *
 * @param chain what the server shows, its own certificate first
 * @see https://pkg.go.dev/crypto/x509#Certificate.Verify
 */
export function trustFault(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  now: number,
): CertificateFault | undefined {
  const [leaf, ...intermediates] = chain;
  if (!leaf) {
    return undefined;
  }
  const isValid = (certificate: X509Certificate): boolean => valid(certificate, now);
  if (signersOf(leaf, intermediates.filter(isValid), anchors).some(isValid)) {
    return undefined;
  }
  const paths = signersOf(leaf, intermediates, anchors);
  if (paths.some(isValid)) {
    return { cause: 'intermediate-not-valid', detail: intermediateDetail(intermediates, now) };
  }
  const [anchor] = paths;
  if (anchor) {
    const [from, to] = lifeOf(anchor);
    return now > to
      ? {
          cause: 'authority-expired',
          detail: `is signed by ${subjectName(anchor.subject)}, whose certificate in the bundle expired on ${day(to)}`,
        }
      : {
          cause: 'authority-not-yet-valid',
          detail: `is signed by ${subjectName(anchor.subject)}, whose certificate in the bundle is valid from ${moment(from)} on`,
        };
  }
  return { cause: 'unknown-authority', detail: strangerDetail(leaf, intermediates, anchors) };
}

/** Anchors that a path of signatures leads to; the leaf itself where it is an anchor. */
function signersOf(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): X509Certificate[] {
  const found = new Set<X509Certificate>();
  const seen = new Set<string>();
  const climb = (certificate: X509Certificate): void => {
    if (seen.has(certificate.fingerprint256)) {
      return;
    }
    seen.add(certificate.fingerprint256);
    for (const anchor of anchors) {
      if (
        anchor.fingerprint256 === certificate.fingerprint256 ||
        (mayIssue(anchor) && isSignedBy(certificate, anchor))
      ) {
        found.add(anchor);
      }
    }
    intermediates.filter((each) => mayIssue(each) && isSignedBy(certificate, each)).forEach(climb);
  };
  climb(leaf);
  return [...found];
}

/** Of those that a server shows beside its own certificate, one at least is not valid now. */
function intermediateDetail(intermediates: readonly X509Certificate[], now: number): string {
  const one = intermediates.find((each) => !valid(each, now))!;
  const [from, to] = lifeOf(one);
  const when = now > to ? `expired on ${day(to)}` : `is valid from ${moment(from)} on`;
  return `comes with the certificate of ${subjectName(one.subject)} between it and the authority, which ${when}`;
}

function strangerDetail(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): string {
  const top = intermediates.at(-1) ?? leaf;
  const namesake = anchors.find(({ subject }) => subject === top.issuer || subject === leaf.issuer);
  if (namesake) {
    return mayIssue(namesake)
      ? `is signed by an authority ${subjectName(namesake.subject)} with another key than the one in the bundle: it was made anew`
      : `is signed by ${subjectName(namesake.subject)}, whose certificate in the bundle is that of no authority`;
  }
  const held = anchors.map(({ subject }) => subjectName(subject)).slice(0, 4);
  const signer = leaf.issuer === leaf.subject ? 'itself' : subjectName(leaf.issuer);
  return `is signed by ${signer}, and the bundle holds ${held.join(', ') || 'nothing'}`;
}

function valid(certificate: X509Certificate, now: number): boolean {
  const [from, to] = lifeOf(certificate);
  return from <= now && now <= to;
}

/** Begin and end of a certificate's life, in milliseconds since 1970. */
export function lifeOf({
  validFrom,
  validTo,
}: Pick<X509Certificate, 'validFrom' | 'validTo'>): readonly [from: number, to: number] {
  return [Date.parse(validFrom), Date.parse(validTo)];
}

function isNamed(leaf: X509Certificate, serverName: string): boolean {
  return isIP(serverName) === 0
    ? namesServer(dnsNamesOf(leaf), serverName)
    : leaf.checkIP(serverName) !== undefined;
}

function namesOf({ subjectAltName }: X509Certificate): string[] {
  return (subjectAltName ?? '')
    .split(', ')
    .filter((each) => each !== '')
    .map((each) => each.replace(/^(DNS|IP Address):/, ''));
}

/** A subject or issuer on one line: its common name, else all of it. */
export function subjectName(subject: string): string {
  const common = /^CN=(.*)$/m.exec(subject)?.[1];
  return `"${(common ?? subject).replace(/\s+/g, ' ').slice(0, 100)}"`;
}

/** `2026-05-01` */
export function day(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString().slice(0, 10) : 'an unknown day';
}

function moment(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString().slice(0, 19) + 'Z' : 'an unknown time';
}

/** A length of time in its largest unit that is not zero: `3 days`. */
export function span(milliseconds: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const;
  const [name, length] = units.find(([, each]) => milliseconds >= each) ?? units[3];
  const count = Math.floor(milliseconds / length);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

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

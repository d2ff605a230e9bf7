import type { X509Certificate } from 'node:crypto';
import type { DoctorFinding } from '../check';
import { lifeOf, subjectName, overdue, ownFaults, span } from '../tls';
import { mountedFor } from './mounted-certificates';
import { placeInWords } from './observe';
import type { ObservedServer } from './observe';
import { consequenceOf } from './server';

/** A certificate that a server serves, or will by what it mounts. */
export interface ServedCertificate {
  /** The server's certificate first; at least one. */
  readonly chain: readonly [X509Certificate, ...X509Certificate[]];
  /** Who serves it, in words: places, or Secrets. */
  readonly where: readonly string[];
  /** `handshake`: seen on the wire. `secret`: what the pods mount, since they can't be reached from here. */
  readonly by: 'handshake' | 'secret';
}

/**
 * The certificates that a server serves, each once: as handshakes showed, or where no handshake came to anything, as the
 * Secrets have it that its pods mount.
 */
export function servedCertificates({
  server,
  places,
  mounted = [],
}: ObservedServer): readonly ServedCertificate[] {
  const found = new Map<string, { chain: ServedCertificate['chain']; where: string[] }>();
  const add = (chain: readonly X509Certificate[], where: string): void => {
    const [leaf, ...more] = chain;
    if (leaf) {
      const known = found.get(leaf.fingerprint256);
      if (known) {
        known.where.push(where);
      } else {
        found.set(leaf.fingerprint256, { chain: [leaf, ...more], where: [where] });
      }
    }
  };
  for (const place of places) {
    if (place.handshake?.outcome === 'served') {
      add(place.handshake.chain, placeInWords(place));
    }
  }
  if (found.size > 0) {
    return [...found.values()].map((each) => ({ ...each, by: 'handshake' as const }));
  }
  for (const { chain, secret } of mountedFor(mounted, server.serverName)) {
    add(chain, `Secret ${secret}`);
  }
  return [...found.values()].map((each) => ({ ...each, by: 'secret' as const }));
}

const nextSteps: Readonly<Record<string, string>> = {
  'certificate-expired':
    'issue it anew; with cert-manager, check the Certificate, its requests and the log of the controller',
  'certificate-not-yet-valid':
    'compare the clocks of the machine that issued it, of this one and of the API servers: run the check "clock"',
  'wrong-names':
    'issue it for the name that API servers call, SERVICE.NAMESPACE.svc, as a DNS name and not as common name',
  'no-server-usage': 'issue it with the usage "server auth"',
};

/** What is wrong with the certificates of a server, whoever is to trust them. */
export function certificateFindings(seen: ObservedServer, now: number): DoctorFinding[] {
  const { server } = seen;
  const { severity, lines } = consequenceOf(server.callers);
  const subject =
    server.at.by === 'service' ? `Service ${server.at.namespace}/${server.at.name}` : server.name;
  const served = servedCertificates(seen);
  if (server.callers.every(({ field }) => field.get('insecureSkipTLSVerify').boolean === true)) {
    // It is not used.
    return [];
  }
  const faults = served.flatMap((each) =>
    ownFaults(each.chain[0], server.serverName, now).map(({ cause, detail }): DoctorFinding => ({
      cause,
      severity,
      likelihood: each.by === 'handshake' ? 'certain' : 'likely',
      subject,
      message: `the certificate ${detail}`,
      evidence: [...seenAt(each), ...lines],
      next: nextSteps[cause]!,
    })),
  );
  const late = served.flatMap((each): DoctorFinding[] => {
    const words = overdue(each.chain[0], now);
    return words === undefined
      ? []
      : [
          {
            cause: 'certificate-not-renewed',
            severity: 'warning',
            likelihood: 'certain',
            subject,
            message: `the certificate ${words}, and it was not renewed`,
            evidence: [...seenAt(each), ...lines],
            next: 'find out what renews it: with cert-manager, check the Certificate and the log of the controller; a certificate made by a chart is renewed by the next installation',
          },
        ];
  });
  return [...faults, ...late, ...rotationFindings(seen, served, subject, now)];
}

/** Where a certificate was seen, and whose it is. */
export function seenAt({ chain: [leaf], where, by }: ServedCertificate): string[] {
  const places = where.length > 5 ? `${where.slice(0, 5).join(', ')}, …` : where.join(', ');
  const [from, to] = lifeOf(leaf);
  const what = `${subjectName(leaf.subject)}, issued by ${subjectName(leaf.issuer)}, valid from ${iso(from)} to ${iso(to)}, serial ${leaf.serialNumber}`;
  return by === 'handshake'
    ? [`served by ${places}, requested from this machine: ${what}`]
    : [`in ${places}, which the pods mount; they can't be reached from this machine: ${what}`];
}

function iso(time: number): string {
  return Number.isFinite(time) ? `${new Date(time).toISOString().slice(0, 19)}Z` : 'an unknown time';
}

/** A kubelet brings a changed Secret to its pods within 60 to 90 s, as a rule. In milliseconds. */
const kubeletDelay = 120_000;

/** Pods that serve an old certificate although they mount a newer one; else, pods that differ. */
function rotationFindings(
  { server, mounted = [] }: ObservedServer,
  served: readonly ServedCertificate[],
  subject: string,
  now: number,
): DoctorFinding[] {
  const wire = served.filter(({ by }) => by === 'handshake');
  const [newest] = mountedFor(mounted, server.serverName)
    .flatMap(({ chain: [leaf], secret }) => (leaf ? [{ leaf, secret }] : []))
    .sort((one, other) => begin(other.leaf) - begin(one.leaf));
  const since = newest ? now - begin(newest.leaf) : 0;
  const old =
    newest && since > kubeletDelay
      ? wire.filter(({ chain: [leaf] }) => begin(leaf) < begin(newest.leaf))
      : [];
  if (newest && old.length > 0) {
    const places = old.flatMap(({ where }) => where);
    return [
      {
        cause: 'old-certificate',
        severity: 'warning',
        likelihood: 'certain',
        subject,
        message: `${places.length} ${places.length === 1 ? 'pod serves' : 'pods serve'} an older certificate than Secret ${newest.secret} has had for ${span(since)}`,
        evidence: old.flatMap(seenAt),
        next: 'restart these pods; then let the server read its files again when they change, and mount the Secret as a directory (a subPath mount never changes)',
      },
    ];
  }
  return wire.length > 1
    ? [
        {
          cause: 'pods-differ',
          severity: 'info',
          likelihood: 'certain',
          subject,
          message: `the pods behind the Service serve ${wire.length} different certificates`,
          evidence: wire.flatMap(seenAt),
          next: 'wait two minutes and look again: during a rotation that is so; if it lasts, restart the pods with the older one',
        },
      ]
    : [];
}

function begin(certificate: X509Certificate): number {
  return lifeOf(certificate)[0];
}

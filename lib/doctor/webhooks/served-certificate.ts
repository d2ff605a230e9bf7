import type { X509Certificate } from 'node:crypto';
import type { SeenServer } from './seen-server';
import { mountedFor } from './mounted-certificates';
import { placeInWords } from './server-places';

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
}: SeenServer): readonly ServedCertificate[] {
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

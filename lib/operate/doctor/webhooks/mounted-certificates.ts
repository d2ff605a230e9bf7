import type { X509Certificate } from 'node:crypto';
import { dnsNamesOf, namesServer, readCertificates } from '../../../core/certificates/x509';
import { Field } from '../../../lint';

/** The certificate of a Secret that a pod mounts; its key is never looked at. */
export interface MountedCertificate {
  /** Name of the Secret. */
  readonly secret: string;
  /** The server's certificate first; at least one. */
  readonly chain: readonly X509Certificate[];
}

/**
 * Names of the Secrets that pods mount, by volumes, projected ones included.
 *
 * @param pods the objects; nothing in them has to be of the right type
 */
export function mountedSecrets(pods: readonly unknown[]): readonly string[] {
  const names = pods.flatMap((pod) =>
    Field.ofValue(pod)
      .get('spec', 'volumes')
      .items.flatMap((volume) => [
        volume.get('secret', 'secretName'),
        ...volume.get('projected', 'sources').items.map((source) => source.get('secret', 'name')),
      ])
      .flatMap(({ text }) => text ?? []),
  );
  return [...new Set(names)];
}

/**
 * The certificate in a Secret: what is in `tls.crt`, else the first value whose certificate names the server.
 *
 * @returns undefined where there is none
 */
export function certificateIn(
  secret: string,
  object: unknown,
  serverName: string,
): MountedCertificate | undefined {
  const data = Field.ofValue(object).get('data');
  const chains = data.entries
    // A private key is not even decoded.
    .filter(([key]) => !/key/i.test(key))
    .map(([key, { text }]) => ({
      key,
      chain: readCertificates(Buffer.from(text ?? '', 'base64').toString('latin1')),
    }))
    .filter(({ chain }) => chain.length > 0);
  const chosen =
    chains.find(({ key }) => key === 'tls.crt') ?? chains.find(({ chain }) => isFor(chain, serverName));
  return chosen && { secret, chain: chosen.chain };
}

/** The ones that are for a server: those that name it, else the only one that there is. */
export function mountedFor(
  mounted: readonly MountedCertificate[],
  serverName: string,
): readonly MountedCertificate[] {
  const named = mounted.filter(({ chain }) => isFor(chain, serverName));
  return named.length > 0 || mounted.length !== 1 ? named : mounted;
}

function isFor([leaf]: readonly X509Certificate[], serverName: string): boolean {
  return leaf !== undefined && namesServer(dnsNamesOf(leaf), serverName);
}

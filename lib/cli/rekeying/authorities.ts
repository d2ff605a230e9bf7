import type { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { readCertificates } from '../../certificates';
import type { KubernetesReader } from '../../kubernetes';
import { Problems, readText } from '../../problems';
import type { RekeyFlags } from './rekey-flags';

/** The certificates of both generations. */
export interface Authorities {
  readonly old: X509Certificate;
  readonly renewed: X509Certificate;
}

/**
 * Reads the certificates of both generations from files, or from the authorities' Secrets.
 *
 * @throws InvalidInput where they are no authorities' certificates, or two of one key
 */
export async function readAuthorities(
  api: KubernetesReader,
  flags: Pick<RekeyFlags, 'namespace' | 'name' | 'generation' | 'authorities'>,
  signal: AbortSignal,
): Promise<Authorities> {
  const { namespace, name, generation, authorities } = flags;
  const sources = [
    { file: 'old.crt', secret: `${name}-g${generation - 1}` },
    { file: 'renewed.crt', secret: `${name}-g${generation}` },
  ];
  const read = await Promise.all(
    sources.map(async ({ file, secret }) => {
      if (authorities !== undefined) {
        const path = join(authorities, file);
        return { place: path, text: readText(path, "an authority's certificate, as PEM") };
      }
      const object = await api.get(
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret, namespace } },
        signal,
      );
      const { data } = object as { data?: Record<string, string> };
      return {
        place: `Secret ${namespace}/${secret}, tls.crt`,
        text: Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString(),
      };
    }),
  );
  const problems = new Problems('authorities');
  const [old, renewed] = read.map(({ place, text }) => {
    const [certificate] = readCertificates(text);
    if (certificate?.ca !== true) {
      // What is there instead could be a key.
      problems.addSecret(place, "an authority's certificate, as PEM");
    }
    return certificate;
  });
  if (old && renewed && old.publicKey.equals(renewed.publicKey)) {
    problems.add(read[1]!.place, renewed.subject, 'of another key than the old authority');
  }
  problems.throwIfAny();
  return { old: old!, renewed: renewed! };
}

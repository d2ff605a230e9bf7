import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const crypto = webcrypto as unknown as Crypto;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const hour = 3_600_000;

/** A certificate and its key, as PEM text. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** What a certificate is for. */
export interface LeafOptions {
  /** Common name: to Kubernetes, the user. */
  readonly name: string;
  /** Organisations: to Kubernetes, the user's groups. */
  readonly groups?: readonly string[];
  /** Host names of a server. */
  readonly hosts?: readonly string[];
  /** Addresses of a server. */
  readonly addresses?: readonly string[];
}

/** A certificate authority of the test's own. */
export class CertificateAuthority {
  /** A new authority with a key of its own. */
  public static async create(name: string): Promise<CertificateAuthority> {
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const own = await x509.X509CertificateGenerator.createSelfSigned(
      {
        ...validity(),
        name: [{ CN: [name] }],
        keys,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.BasicConstraintsExtension(true, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
          await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
        ],
      },
      crypto,
    );
    return new CertificateAuthority(own, keys);
  }

  /** Its certificate, as PEM text. */
  public readonly certificate: string;

  private constructor(
    private readonly own: x509.X509Certificate,
    private readonly keys: CryptoKeyPair,
  ) {
    this.certificate = own.toString('pem');
  }

  /** A certificate, signed by this authority, that serves as a server's and as a client's. */
  public async issue({ name, groups = [], hosts = [], addresses = [] }: LeafOptions): Promise<KeyPair> {
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const alternatives = [
      ...hosts.map((value) => ({ type: 'dns' as const, value })),
      ...addresses.map((value) => ({ type: 'ip' as const, value })),
    ];
    const leaf = await x509.X509CertificateGenerator.create(
      {
        ...validity(),
        subject: [...groups.map((group) => ({ O: [group] })), { CN: [name] }],
        issuer: this.own.subject,
        publicKey: keys.publicKey,
        signingKey: this.keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([
            x509.ExtendedKeyUsage.serverAuth,
            x509.ExtendedKeyUsage.clientAuth,
          ]),
          await x509.AuthorityKeyIdentifierExtension.create(this.keys.publicKey, false, crypto),
          ...(alternatives.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternatives)] : []),
        ],
      },
      crypto,
    );
    return { certificate: leaf.toString('pem'), key: await privateKeyPem(keys.privateKey) };
  }
}

/** A key pair without a certificate: service account tokens are signed with it. */
export async function signingKeys(): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const exported = await crypto.subtle.exportKey('spki', keys.publicKey);
  return {
    privateKey: await privateKeyPem(keys.privateKey),
    publicKey: x509.PemConverter.encode(exported, 'PUBLIC KEY'),
  };
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - hour), notAfter: new Date(now + 24 * hour) };
}

async function privateKeyPem(key: CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

import { createPrivateKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as never);

/** A private key with its certificate, in PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

/** What a certificate of a test says. */
export interface IssueOptions {
  readonly subject: string;
  /** @default - signs itself */
  readonly signer?: Issued;
  /** @default - a new key */
  readonly key?: string;
  readonly dnsNames?: readonly string[];
  readonly isCa?: boolean;
  /** @default - server authentication, unless it is a CA */
  readonly usages?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Identifier of the subject's key. @default - none */
  readonly keyId?: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A new private key, in PEM. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** Issues a certificate. */
export async function issue(options: IssueOptions): Promise<Issued> {
  const { subject, signer, key = newKey(), dnsNames = [], isCa = false } = options;
  const keys = await keyPair(key);
  const signing = signer ? await keyPair(signer.key) : keys;
  const usages = options.usages ?? (isCa ? [] : [x509.ExtendedKeyUsage.serverAuth]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '01',
    subject: `CN=${subject}`,
    issuer: signer ? new x509.X509Certificate(signer.certificate).subject : `CN=${subject}`,
    notBefore: options.notBefore ?? new Date('2026-05-01T00:00:00Z'),
    notAfter: options.notAfter ?? new Date('2027-05-01T00:00:00Z'),
    publicKey: keys.publicKey,
    signingKey: signing.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      ...(isCa ? [new x509.BasicConstraintsExtension(true, undefined, true)] : []),
      ...(usages.length > 0 ? [new x509.ExtendedKeyUsageExtension([...usages])] : []),
      ...(options.keyId === undefined ? [] : [new x509.SubjectKeyIdentifierExtension(options.keyId)]),
      ...(dnsNames.length > 0
        ? [
            new x509.SubjectAlternativeNameExtension(
              dnsNames.map((value) => ({ type: 'dns' as const, value })),
            ),
          ]
        : []),
    ],
  });
  return { certificate: certificate.toString('pem'), key };
}

async function keyPair(pem: string): Promise<{ publicKey: never; privateKey: never }> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  const { kty, crv, x, y } = await webcrypto.subtle.exportKey('jwk', privateKey);
  const jwk = { kty, crv, x, y } as any;
  const publicKey = await webcrypto.subtle.importKey('jwk', jwk, algorithm, true, ['verify']);
  return { publicKey: publicKey as never, privateKey: privateKey as never };
}

/** Text in base64, as manifests hold it. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

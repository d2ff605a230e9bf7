import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A GitHub App's private key that Argo CD can read. */
export interface AppKey {
  /** Signs, and does not show itself when it is printed. */
  readonly key: KeyObject;
  /**
   * Digest of its public half, as GitHub lists the keys of an App: `SHA256:…`. It is no secret.
   *
   * @see https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/managing-private-keys-for-github-apps#verifying-private-keys
   */
  readonly fingerprint: string;
}

/** Why Argo CD can't read a key. */
export type KeyFault =
  | 'empty'
  | 'not-pem'
  | 'base64-twice'
  | 'escaped-line-breaks'
  | 'one-line'
  | 'indented'
  | 'truncated'
  | 'damaged'
  | 'passphrase'
  | 'openssh'
  | 'public-key'
  | 'certificate'
  | 'not-rsa';

/**
 * Reads a private key as Argo CD does: the first block of PEM (RFC 7468), as PKCS#1, else as PKCS#8, without a passphrase,
 * for RSA. Windows' line ends, text around the block and a missing line break at its end do no harm there.
 *
 * @see https://github.com/golang-jwt/jwt/blob/v4.5.2/rsa_utils.go
 */
export function readAppKey(text: string): AppKey | { readonly fault: KeyFault } {
  if (text.trim() === '') {
    return { fault: 'empty' };
  }
  const block = pemBlock(text);
  if (!block) {
    return { fault: whyNoBlock(text) };
  }
  const { label, headers, body } = block;
  if (label === 'ENCRYPTED PRIVATE KEY' || /^Proc-Type:.*ENCRYPTED/m.test(headers)) {
    return { fault: 'passphrase' };
  }
  const other = otherContents(label);
  if (other) {
    return { fault: other };
  }
  const bytes = derBytes(body);
  return 'fault' in bytes ? bytes : rsaKey(bytes.der);
}

interface PemBlock {
  readonly label: string;
  readonly headers: string;
  readonly body: string;
}

function pemBlock(text: string): PemBlock | undefined {
  const found =
    /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)\n-----END \1-----[ \t]*\r?(?:\n|$)/.exec(text);
  if (!found) {
    return undefined;
  }
  const [, label = '', inner = ''] = found;
  const lines = inner.split('\n');
  const first = lines.findIndex((line) => !line.includes(':') && line.trim() !== '');
  const headers = first < 0 ? lines : lines.slice(0, first);
  return { label, headers: headers.join('\n'), body: lines.slice(headers.length).join('') };
}

/** What the text is instead of a block that can be read. */
function whyNoBlock(text: string): KeyFault {
  const begin = /-----BEGIN /.test(text);
  if (!begin) {
    return begins(Buffer.from(text, 'base64').toString('latin1')) ? 'base64-twice' : 'not-pem';
  }
  if (/\\r?\\n|\\n/.test(text) && !/-----\r?\n/.test(text)) {
    return 'escaped-line-breaks';
  }
  if (/(?:^|\n)[ \t]+-----(?:BEGIN|END) /.test(text)) {
    return 'indented';
  }
  if (!/-----END /.test(text)) {
    return 'truncated';
  }
  return /\n-----END /.test(text) ? 'damaged' : 'one-line';
}

function begins(text: string): boolean {
  return /^\s*-----BEGIN /.test(text);
}

function otherContents(label: string): KeyFault | undefined {
  switch (label) {
    case 'OPENSSH PRIVATE KEY':
      return 'openssh';
    case 'PUBLIC KEY':
    case 'RSA PUBLIC KEY':
      return 'public-key';
    case 'CERTIFICATE':
      return 'certificate';
    case 'EC PRIVATE KEY':
    case 'DSA PRIVATE KEY':
      return 'not-rsa';
    default:
      return undefined;
  }
}

function derBytes(body: string): { readonly der: Buffer } | { readonly fault: KeyFault } {
  const base64 = body.replace(/[ \t\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    return { fault: 'damaged' };
  }
  const der = Buffer.from(base64, 'base64');
  if (base64.length % 4 !== 0 || der.length < derLength(der)) {
    return { fault: 'truncated' };
  }
  return { der };
}

/** How long the outermost element of DER says that it is, its own header included. */
function derLength(der: Buffer): number {
  const [tag, first = 0] = der;
  if (tag !== 0x30 || first < 0x80) {
    return 2 + first;
  }
  const digits = first & 0x7f;
  return digits > 4 || der.length < 2 + digits ? Infinity : 2 + digits + der.readUIntBE(2, digits);
}

function rsaKey(der: Buffer): AppKey | { readonly fault: KeyFault } {
  for (const type of ['pkcs1', 'pkcs8'] as const) {
    const key = parsed(der, type);
    if (key) {
      return key.asymmetricKeyType === 'rsa'
        ? { key, fingerprint: fingerprintOf(key) }
        : { fault: 'not-rsa' };
    }
  }
  return { fault: 'damaged' };
}

function parsed(der: Buffer, type: 'pkcs1' | 'pkcs8'): KeyObject | undefined {
  try {
    return createPrivateKey({ key: der, format: 'der', type });
  } catch {
    // OpenSSL's message says nothing that a reader could use, and must not be passed on: it may quote its input.
    return undefined;
  }
}

function fingerprintOf(key: KeyObject): string {
  const publicHalf = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return `SHA256:${createHash('sha256').update(publicHalf).digest('base64')}`;
}

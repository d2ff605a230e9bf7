import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync } from 'node:crypto';

/** A key pair of an App, as GitHub gives it out and in other shapes. */
export interface TestKey {
  /** The file that GitHub gives out: PKCS#1, PEM. */
  readonly pem: string;
  readonly pkcs8: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function testKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    pem: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    pkcs8: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey,
    publicKey,
  };
}

/**
 * Shapes of a key by name, and what Argo CD's library says of each: nothing where it reads it, else our name of the fault.
 * Checked against jwt.ParseRSAPrivateKeyFromPEM of golang-jwt 4.5.2.
 */
export function keyShapes({
  pem,
  pkcs8,
  privateKey,
  publicKey,
}: TestKey): readonly [string, string, string | undefined][] {
  const lines = pem.trimEnd().split('\n');
  const body = lines.slice(1, -1);
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const ed = generateKeyPairSync('ed25519').privateKey;
  const encrypted = (type: 'pkcs1' | 'pkcs8'): string =>
    privateKey.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hunter2' }).toString();
  const der = privateKey.export({ type: 'pkcs1', format: 'der' });
  const wrapped = (bytes: Buffer, label = 'RSA PRIVATE KEY'): string =>
    `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
  const middle = body.slice();
  middle[3] = `${middle[3]!.slice(0, 20)}!${middle[3]!.slice(21)}`;
  const flipped = Buffer.from(der);
  flipped[3] = 0x04;
  flipped[4] = 0xff;
  return [
    ['PKCS#1', pem, undefined],
    ['PKCS#8', pkcs8, undefined],
    ["Windows' line ends", pem.replaceAll('\n', '\r\n'), undefined],
    ['no line break at the end', pem.trimEnd(), undefined],
    ['text before and after', `App 12\n${pem}\nkeep it safe\n`, undefined],
    ['spaces after lines', lines.map((line) => `${line}  `).join('\n'), undefined],
    ['PKCS#8 under the name of PKCS#1', pkcs8.replaceAll('PRIVATE KEY', 'RSA PRIVATE KEY'), undefined],
    ['an empty text', '', 'empty'],
    ['white space', ' \n ', 'empty'],
    ['a password', 'hunter2-hunter2', 'not-pem'],
    ['a body without its first line', lines.slice(1).join('\n'), 'not-pem'],
    ['base64 of the file', Buffer.from(pem).toString('base64'), 'base64-twice'],
    ['base64 in lines', Buffer.from(pem).toString('base64').replace(/.{76}/g, '$&\n'), 'base64-twice'],
    ['escaped line breaks', pem.replaceAll('\n', '\\n'), 'escaped-line-breaks'],
    ['escaped line breaks of Windows', pem.replaceAll('\n', '\\r\\n'), 'escaped-line-breaks'],
    ['spaces for line breaks', pem.replaceAll('\n', ' '), 'one-line'],
    ['no line breaks', pem.replaceAll('\n', ''), 'one-line'],
    ['indented', lines.map((line) => `    ${line}`).join('\n'), 'indented'],
    ['cut in the middle', pem.slice(0, 800), 'truncated'],
    ['cut after the body', lines.slice(0, -1).join('\n'), 'truncated'],
    ['lines missing', [lines[0], ...body.slice(0, 10), lines.at(-1)].join('\n'), 'truncated'],
    [
      'half a line missing',
      [lines[0], ...body.slice(0, -1), body.at(-1)!.slice(0, 7), lines.at(-1)].join('\n'),
      'truncated',
    ],
    ['a character that is none', [lines[0], ...middle, lines.at(-1)].join('\n'), 'damaged'],
    ['bytes that are no key', wrapped(flipped), 'damaged'],
    ['an end of another kind', pem.replace('END RSA', 'END DSA'), 'damaged'],
    ['no body', `${lines[0]}\n\n${lines.at(-1)}\n`, 'damaged'],
    ['PKCS#1 with a passphrase', encrypted('pkcs1'), 'passphrase'],
    ['PKCS#8 with a passphrase', encrypted('pkcs8'), 'passphrase'],
    ['OpenSSH', wrapped(Buffer.from('openssh-key-v1'), 'OPENSSH PRIVATE KEY'), 'openssh'],
    ['the public half', publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'public-key'],
    [
      'the public half in PKCS#1',
      publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      'public-key',
    ],
    ['a certificate', wrapped(Buffer.alloc(300, 1), 'CERTIFICATE'), 'certificate'],
    ['EC in PKCS#8', ec.export({ type: 'pkcs8', format: 'pem' }).toString(), 'not-rsa'],
    ['EC in its own format', ec.export({ type: 'sec1', format: 'pem' }).toString(), 'not-rsa'],
    ['Ed25519', ed.export({ type: 'pkcs8', format: 'pem' }).toString(), 'not-rsa'],
  ];
}

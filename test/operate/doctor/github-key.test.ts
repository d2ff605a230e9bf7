import { createPublicKey, verify } from 'node:crypto';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { appToken } from '../../../lib/operate/doctor/github/credentials';
import { keyProblem } from '../../../lib/operate/doctor/github/fields';
import type { AppKey } from '../../../lib/operate/doctor/github/private-key';
import { readAppKey } from '../../../lib/operate/doctor/github/private-key';
import { keyShapes, testKey } from './github-keys';

const key = testKey();

describe('a private key is read as Argo CD reads it', () => {
  test.each(keyShapes(key))('%s', (_shape, text, fault) => {
    const read = readAppKey(text);
    expect('fault' in read ? read.fault : undefined).toBe(fault);
    if (!('fault' in read)) {
      expect(createPublicKey(read.key).equals(key.publicKey)).toBe(true);
    }
  });

  test('no two faults are told in the same words, and none in words of the key', () => {
    const problems = keyShapes(key).flatMap(([, text, fault]) =>
      fault === undefined ? [] : [{ text, fault, problem: keyProblem(fault as never) }],
    );
    const told = new Map(problems.map(({ fault, problem }) => [fault, JSON.stringify(problem)]));
    expect(new Set(told.values()).size).toBe(told.size);
    expect(told.size).toBe(13);
  });

  test('its fingerprint is that of GitHub: SHA-256 of the public half', () => {
    // openssl rsa -in FILE -pubout -outform DER | openssl sha256 -binary | openssl base64
    const fixed = readAppKey(key.pem) as AppKey;
    expect(fixed.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}=$/);
    expect((readAppKey(key.pkcs8) as AppKey).fingerprint).toBe(fixed.fingerprint);
    expect((readAppKey(testKey().pem) as AppKey).fingerprint).not.toBe(fixed.fingerprint);
  });

  test('a key that was read does not show itself', () => {
    const read = readAppKey(key.pem);
    const shown = [JSON.stringify(read), inspect(read, { depth: 9, showHidden: true })].join();
    for (const line of key.pem.split('\n').slice(1, -2)) {
      expect(shown).not.toContain(line);
    }
  });

  test('whatever the text is, it is read or has a fault', () => {
    const parts = fc.constantFrom(
      '-----BEGIN RSA PRIVATE KEY-----',
      '-----END RSA PRIVATE KEY-----',
      '\n',
      'MIIE',
      'a:b',
      ' ',
      '\\n',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(parts, fc.string()), { maxLength: 8 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(readAppKey(text)).toEqual({ fault: expect.any(String) });
      }),
    );
    fc.assert(
      fc.property(fc.nat(key.pem.length - 40), (length) => {
        expect(readAppKey(key.pem.slice(0, length))).toEqual({ fault: expect.any(String) });
      }),
      { numRuns: 50 },
    );
  });
});

describe("the App's token", () => {
  test('is signed by RS256, begins half a minute ago and lasts two minutes', () => {
    const now = new Date('2026-03-01T12:00:00.900Z');
    const token = appToken('12', readAppKey(key.pem) as AppKey, now);
    const [header, claims, signature] = token.split('.') as [string, string, string];
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
    const second = Date.parse('2026-03-01T12:00:00Z') / 1000;
    expect(read(claims)).toEqual({ iss: '12', iat: second - 30, exp: second + 90 });
    const content = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', content, key.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });
});

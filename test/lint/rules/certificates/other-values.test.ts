import { lintText } from '../../lint-text';
import { documents } from './manifests';

const secret = (values: string, field = 'data'): string => `
apiVersion: v1
kind: Secret
metadata: { name: database, namespace: shop }
${field}: ${values}
`;
const pods = (checksum: string, image = 'a'): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, namespace: shop }
spec: { template: { metadata: { annotations: { checksum/secret: ${checksum} } }, spec: { containers: [{ image: ${image} }] } } }
`;

test.each<[string, string, string, string[]]>([
  ['the same', secret('{ password: QUJDREVG }'), secret('{ password: QUJDREVG }'), []],
  [
    'a password',
    secret('{ password: QUJDREVG }'),
    secret('{ password: R0hJSktM }'),
    ['warning /data/password'],
  ],
  [
    'a password in plain text, beside what stays',
    secret('{ user: shop, password: first-one }', 'stringData'),
    secret('{ user: shop, password: other-one }', 'stringData'),
    ['warning /stringData/password'],
  ],
  [
    'with the hash over it',
    documents(secret('{ password: QUJDREVG }'), pods('a')),
    documents(secret('{ password: R0hJSktM }'), pods('b')),
    ['warning /data/password'],
  ],
  [
    'beside another change',
    documents(secret('{ password: QUJDREVG }'), pods('a')),
    documents(secret('{ password: R0hJSktM }'), pods('b', 'other')),
    ['info /data/password'],
  ],
  ['of another length', secret('{ password: QUJDREVG }'), secret('{ password: R0hJSktMTU4= }'), []],
  ['a short one', secret('{ port: "5432" }', 'stringData'), secret('{ port: "3306" }', 'stringData'), []],
  ['with another key', secret('{ password: QUJDREVG }'), secret('{ password: R0hJSktM, user: YQ== }'), []],
  [
    'of another Secret',
    secret('{ password: QUJDREVG }').replace('database', 'other'),
    secret('{ password: R0hJSktM }'),
    [],
  ],
  ['values that are none', secret('[1]'), secret('{ password: { a: b } }'), []],
])('%s', (_, before, after, expected) => {
  const findings = lintText(after, { rules: ['TLS08'], before });
  expect(findings.map(({ severity, pointer }) => `${severity} ${pointer}`)).toEqual(expected);
});

const rolled = (annotation: string, env = 'plain', image = 'a:1'): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, namespace: shop }
spec:
  template:
    metadata: { annotations: { rollme: ${annotation} } }
    spec: { containers: [{ image: "${image}", env: [{ name: TOKEN, value: ${env} }] }] }
`;
const rollme = '/spec/template/metadata/annotations/rollme';
const env = '/spec/template/spec/containers/0/env/0/value';

describe('outside of Secrets', () => {
  test.each<[string, string, string, string[]]>([
    ['a token that rolls pods', rolled('x9Kq2'), rolled('Lm03b'), [`warning ${rollme}`]],
    [
      'a UUID, beside a password',
      documents(rolled('a', '0b5c9a1e-3f77-4c62-9f0e-2a4b6c8d0e1f'), secret('{ password: QUJDREVG }')),
      documents(rolled('a', '7d21f0c4-86ab-4e19-8d33-f19e7a5b4c20'), secret('{ password: R0hJSktM }')),
      ['warning /data/password', `warning ${env}`],
    ],
    [
      'a time',
      rolled('"2026-11-22 15:01:36.1 +0000 UTC m=+0.01"'),
      rolled('"2026-11-22 15:01:39.12 +0000 UTC m=+0.02"'),
      [`warning ${rollme}`],
    ],
    ['the same', rolled('x9Kq2'), rolled('x9Kq2'), []],
    ['beside another image', rolled('x9Kq2'), rolled('Lm03b', 'plain', 'a:2'), []],
    ['words', rolled('debug'), rolled('error'), []],
    ['numbers', rolled('"15000"'), rolled('"16384"'), []],
    ['what is counted on', rolled('release-12'), rolled('release-13'), []],
    ['another length', rolled('x9Kq2'), rolled('Lm03bZ'), []],
    ['another image alone', rolled('x', 'y', 'a:1'), rolled('x', 'y', 'a:2'), []],
    [
      'a commit that several places name',
      rolled('1a2b3c4d5e', '1a2b3c4d5e'),
      rolled('9f8e7d6c0b', '9f8e7d6c0b'),
      [],
    ],
    ['a key more', rolled('x9Kq2'), rolled('Lm03b, more: a'), []],
    [
      'an object more',
      rolled('x9Kq2'),
      documents(rolled('Lm03b'), pods('a').replace('name: shop,', 'name: b,')),
      [],
    ],
  ])('%s', (_, before, after, expected) => {
    const findings = lintText(after, { rules: ['TLS08'], before });
    expect(findings.map(({ severity, pointer }) => `${severity} ${pointer}`).sort()).toEqual(expected);
    expect(JSON.stringify(findings)).not.toMatch(/Lm03b|7d21f0c4/);
  });
});

test('names keys and no values', () => {
  const [found] = lintText(secret('{ a: R0hJSktM, b: R0hJSktM }'), {
    rules: ['TLS08'],
    before: secret('{ a: QUJDREVG, b: QUJDREVG }'),
  });
  expect(found!.message).toContain('under "a" and 1 more, and nothing but Secrets differs');
  expect(JSON.stringify(found)).not.toMatch(/R0hJSktM|QUJDREVG|GHIJKL|ABCDEF/);
});

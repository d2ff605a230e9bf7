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

test('names keys and no values', () => {
  const [found] = lintText(secret('{ a: R0hJSktM, b: R0hJSktM }'), {
    rules: ['TLS08'],
    before: secret('{ a: QUJDREVG, b: QUJDREVG }'),
  });
  expect(found!.message).toContain('under "a" and 1 more, and nothing but Secrets differs');
  expect(JSON.stringify(found)).not.toMatch(/R0hJSktM|QUJDREVG|GHIJKL|ABCDEF/);
});

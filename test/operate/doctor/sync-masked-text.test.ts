import * as fc from 'fast-check';
import { masked, shortMessage } from '../../../lib/core/redaction';
import { scaled } from '../../runs';

const token = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z';

test.each([
  [
    'a login in a URL',
    'fetching https://robot:pw@git.example.com/x',
    'fetching https://[secret]@git.example.com/x',
  ],
  ['a token as the user', `https://${token}@github.com/x`, 'https://[secret]@github.com/x'],
  [
    'a query',
    'GET https://s3.example.com/a?X-Amz-Signature=abc&part=1',
    'GET https://s3.example.com/a?X-Amz-Signature=[secret]&part=1',
  ],
  ['a bearer token', `Authorization: Bearer ${token}`, 'Authorization: Bearer [secret]'],
  ['a variable', 'DB_PASSWORD=pw REPLICAS=3', 'DB_PASSWORD=[secret] REPLICAS=3'],
  ['a quoted variable', 'API_KEY="a b c" x', 'API_KEY=[secret] x'],
  ['a flag', 'helm --set db.password=pw', 'helm --set db.password=[secret]'],
  ['JSON', '{"clientSecret": "p\\"w", "name": "x"}', '{"clientSecret":"[secret]", "name": "x"}'],
  ['a token of GitHub', 'used ghp_0123456789abcdefghij here', 'used [secret] here'],
  ['a JSON web token', 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln', '[secret]'],
  ['a token of EKS', 'k8s-aws-v1.aHR0cHM6Ly9zdHM', '[secret]'],
  ['a key', 'x -----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY----- y', 'x [secret] y'],
  ['half a key', 'x -----BEGIN PRIVATE KEY-----\nMIIBabc', 'x [secret]'],
  ['an access key', 'AKIAIOSFODNN7EXAMPLE', '[secret]'],
  ['base64', `value ${token}${token}== end`, 'value [secret] end'],
  [
    'data of a Secret',
    'Secret "a" is invalid: x: {"data":{"p":"cHc="},"kind":"Secret"}',
    'Secret "a" is invalid: x: {"data":{[secret]},"kind":"Secret"}',
  ],
])('%s is masked', (_name, text, expected) => {
  expect(masked(text)).toBe(expected);
});

test('what is quoted of a Secret is masked where the caller knows that it is one', () => {
  const text = 'data[password]: Invalid value: "cHc=": must be base64';
  expect(masked(text)).toBe(text);
  expect(masked(text, { secret: true })).toBe('data[password]: Invalid value: [secret]: must be base64');
});

test.each([
  'revision 37ee0097cf851bc2dd7665fc081bbce61a7e836e is gone',
  'image podinfo@sha256:a58d5934960af5c473c3671ce4a8c80e2fdb291f2b21ab5ce6b3c055509a19bf',
  'https://aws-load-balancer-webhook-service.kube-system.svc:443/mutate-elbv2-k8s-aws-v1beta1-targetgroupbinding?timeout=10s',
  'Get "https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com/version?timeout=32s": i/o timeout',
  'environments/production/podinfo/templates/deployment.yaml: app path does not exist',
  'spec.secretName: Required value: must be specified',
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/edge/50dc6c495c0c9188',
])('%s stays as it is', (text) => {
  expect(masked(text)).toBe(text);
});

test('a secret of any kind is gone, whatever stands around it', () => {
  const alphabet = [...'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789'];
  const secret = fc
    .array(fc.constantFrom(...alphabet), { minLength: 30, maxLength: 60 })
    .map((letters) => `aB3${letters.join('')}`);
  const around = fc.constantFrom('', ' ', 'error: ', '"', '\n', 'x=1 ', 'https://example.com/?a=1 ');
  const shape = fc.constantFrom(
    (value: string) => `https://user:${value}@example.com/x`,
    (value: string) => `?token=${value}`,
    (value: string) => `Bearer ${value}`,
    (value: string) => `PASSWORD=${value}`,
    (value: string) => `"apiKey":"${value}"`,
    (value: string) => `ghp_${value}`,
    (value: string) => value,
  );
  fc.assert(
    fc.property(secret, around, shape, around, (value, before, shaped, after) => {
      expect(shortMessage(`${before}${shaped(value)}${after}`, 4_000)).not.toContain(value);
    }),
    { numRuns: scaled(500) },
  );
});

test('a short message is one line of no more than the limit, with both ends', () => {
  expect(shortMessage(' a\n\tb\u0000\u202e c ')).toBe('a b c');
  const text = shortMessage(`begin ${'word '.repeat(1_000)}end`);
  expect(text.length).toBeLessThanOrEqual(400);
  expect(text).toMatch(/^begin .* … .* end$/);
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.integer({ min: 20, max: 500 }),
      (any, limit) => {
        const short = shortMessage(any, limit);
        expect(short.length).toBeLessThanOrEqual(limit);
        expect(short).not.toMatch(/[\p{Cc}]/u);
      },
    ),
    { numRuns: scaled(200) },
  );
});

test.each([
  'a',
  'a=',
  '"a":"',
  '-',
  '-----BEGIN A-----',
  'A1b',
  '://',
  'https://a:',
  '?a=',
  'token ',
  'Secret "a" Invalid value: "',
  '"data":{',
  'eyJ',
  '\\',
  '/',
  ' ',
])('200 kB of %j take no longer than they should', (torment) => {
  const text = `Secret "a" ${torment.repeat(Math.ceil(200_000 / torment.length))}`;
  const began = process.cpuUsage();
  expect(shortMessage(text).length).toBeLessThanOrEqual(400);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});

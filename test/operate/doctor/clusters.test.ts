import { createHash, createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import type { AskHandshake } from '../../../lib/core/tls';
import { askHandshake } from '../../../lib/core/tls';
import type { CheckReport, ClustersCheckOptions, DoctorFinding } from '../../../lib/operate/doctor';
import { clustersCheck } from '../../../lib/operate/doctor/clusters/clusters-check';
import { eksToken, regionOfEndpoint } from '../../../lib/operate/doctor/clusters/eks';
import type { CertificateAuthority } from '../../e2e/bench/pki';
import { base64, issue } from '../../manifests/certificates/issue';
import { ApiServer } from '../../core/kubernetes/api-server';
import type { ClusterOptions } from './cluster-objects';
import { clusterOf, contextOf } from './cluster-objects';
import { closedPort, serveOther, serveTls, stopServers } from './tls-server';

let target: ApiServer;
/** What the target lets its caller do: `list *`. */
let allowed: (right: string) => boolean;
/** Status of every answer, if it is no success. */
let refusal: number | undefined;
let version: object;

beforeAll(async () => {
  target = await ApiServer.start();
});
afterAll(() => target.stop());
afterEach(stopServers);

beforeEach(() => {
  allowed = () => true;
  refusal = undefined;
  version = { gitVersion: 'v1.35.4' };
  target.script(({ path, body }) => {
    if (refusal !== undefined) {
      return { status: refusal, json: { message: 'Unauthorized' } };
    }
    switch (path) {
      case '/version':
        return { json: version };
      case '/apis/authentication.k8s.io/v1':
        return {
          json: { resources: [{ kind: 'SelfSubjectReview', name: 'selfsubjectreviews', namespaced: false }] },
        };
      case '/apis/authorization.k8s.io/v1':
        return {
          json: {
            resources: [
              { kind: 'SelfSubjectAccessReview', name: 'selfsubjectaccessreviews', namespaced: false },
            ],
          },
        };
      case '/apis/authentication.k8s.io/v1/selfsubjectreviews':
        return { json: { status: { userInfo: { username: 'argocd' } } } };
      default: {
        const { verb, resource } = body.spec.resourceAttributes;
        return { json: { status: { allowed: allowed(`${verb} ${resource}`) } } };
      }
    }
  });
});

const encoded = (data: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)]));

function clusterSecret(name: string, data: Readonly<Record<string, string>>, labels: object = {}): any {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: 'argocd',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels },
    },
    data: encoded(data),
  };
}

const caData = (authority: CertificateAuthority): string => base64(authority.certificate);

/** A Secret for the target, with whatever differs from a good one. */
function secretFor(config: object = {}, data: object = {}): any {
  return clusterSecret('blue', {
    name: 'blue',
    server: target.url,
    config: JSON.stringify({
      bearerToken: 'secret-token',
      tlsClientConfig: { caData: caData(target.authority) },
      ...config,
    }),
    ...data,
  });
}

const quick = askHandshake(2_000);
/** Nothing leaves this machine. */
const ask: AskHandshake = (at, signal) =>
  at.host === '127.0.0.1' || at.host === 'localhost'
    ? quick(at, signal)
    : Promise.resolve({ outcome: 'silent', detail: 'no connection', addresses: ['10.0.0.9'] });

async function examine(
  objects: readonly any[],
  options: ClustersCheckOptions & ClusterOptions = {},
): Promise<CheckReport> {
  const { denied = [], ...rest } = options;
  const clientsOf = (): any => {
    throw new Error('AWS must not be asked');
  };
  return clustersCheck({ ask, env: {}, clientsOf, ...rest }).examine(
    contextOf(clusterOf(objects, { denied })),
  );
}

const causes = ({ findings }: CheckReport): string[] => findings.map(({ cause }) => cause);

test('a cluster that lets Argo CD in: nothing is found', async () => {
  const report = await examine([secretFor()]);
  expect(report).toEqual({
    findings: [],
    looked: '1 cluster Secrets; from this machine: 1 TLS handshakes, 1 logins accepted; 0 described by AWS',
    notChecked: [],
  });
  expect(target.received.every(({ headers }) => headers.authorization === 'Bearer secret-token')).toBe(true);
});

test('a cluster that does not say its version lets Argo CD in all the same', async () => {
  version = {};
  expect(causes(await examine([secretFor()]))).toEqual([]);
});

test('the way to log in is what the Secret says: passwords, certificates', async () => {
  await examine([secretFor({ bearerToken: '', username: 'admin', password: 'x' })]);
  expect(target.received[0]!.headers.authorization).toBe(`Basic ${base64('admin:x')}`);
  const leaf = await target.authority.issue({ name: 'argo' });
  const tlsClientConfig = {
    caData: caData(target.authority),
    certData: base64(leaf.certificate),
    keyData: base64(leaf.key),
  };
  target.received = [];
  expect(causes(await examine([secretFor({ bearerToken: undefined, tlsClientConfig })]))).toEqual([]);
  expect(target.received.at(-1)!.client).toBe('argo');
});

test('a token that is not accepted', async () => {
  refusal = 401;
  const report = await examine([secretFor()]);
  expect(report.findings).toMatchObject([
    {
      cause: 'login-refused',
      severity: 'error',
      likelihood: 'certain',
      subject: 'Secret argocd/blue',
      message: 'the cluster does not accept the credentials in the Secret',
    },
  ]);
  expect(JSON.stringify(report)).not.toContain('secret-token');
});

test.each([
  ['list *', 'missing-rights', 'warning'],
  ['list', 'missing-rights', 'error'],
  ['patch', 'read-only', 'info'],
])('without the right to %s: %s', async (missing, cause, severity) => {
  allowed = (right) => !right.startsWith(missing);
  expect((await examine([secretFor()])).findings).toMatchObject([{ cause, severity }]);
});

test('rights are asked for in the namespace that the Secret is limited to', async () => {
  await examine([secretFor({}, { namespaces: 'web, shop' })]);
  const asked = target.received.flatMap(({ body }) => body?.spec?.resourceAttributes?.namespace ?? []);
  expect([...new Set(asked)]).toEqual(['web']);
});

test('another authority: credentials are not sent', async () => {
  const other = await issue({ subject: 'other', isCa: true });
  const report = await examine([secretFor({ tlsClientConfig: { caData: base64(other.certificate) } })]);
  expect(causes(report)).toEqual(['ca-mismatch']);
  expect(causes(await examine([secretFor({ tlsClientConfig: {} })]))).toEqual(['ca-missing']);
  expect(target.received).toEqual([]);
});

test('a certificate for another name, and the serverName that fixes it', async () => {
  const authority = await issue({ subject: 'ca', isCa: true });
  const leaf = await issue({ subject: 'api', signer: authority, dnsNames: ['api.internal'] });
  const data = { server: `https://localhost:${await serveTls(leaf)}` };
  const tls = { caData: base64(authority.certificate) };
  expect(causes(await examine([secretFor({ tlsClientConfig: tls }, data)]))).toEqual(['wrong-names']);
  const named = secretFor(
    { tlsClientConfig: { ...tls, serverName: 'api.internal' }, bearerToken: '', username: '' },
    data,
  );
  expect(causes(await examine([named]))).toEqual(['no-login']);
});

test('ports that are closed, silent or not TLS', async () => {
  const at = async (port: Promise<number>): Promise<string[]> =>
    causes(await examine([secretFor({}, { server: `https://127.0.0.1:${await port}` })]));
  expect(await at(closedPort())).toEqual(['port-closed']);
  expect(await at(serveOther('http'))).toEqual(['no-tls']);
  expect(await at(serveOther('cut'))).toEqual(['no-tls']);
  const far = await examine([secretFor({}, { server: 'https://api.example.com' })]);
  // The name stands for a private address: that this machine is not there says little.
  expect(far.findings).toMatchObject([{ cause: 'unreachable', severity: 'info', likelihood: 'possible' }]);
});

test('what Argo CD says itself makes it sure', async () => {
  const application = (message: string, destination: object): object => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'podinfo', namespace: 'argocd' },
    spec: { destination },
    status: { conditions: [{ type: 'ComparisonError', message }] },
  });
  const message =
    'Failed to load live state: failed to get cluster info for "https://api.example.com": error synchronizing cache state : Get "https://api.example.com/version?timeout=32s": dial tcp 10.0.0.9:443: i/o timeout';
  const server = 'https://api.example.com';
  const far = await examine([
    secretFor({}, { server }),
    application(message, { server: `${server}/` }),
    application(message, { name: 'green' }),
  ]);
  expect(far.findings).toMatchObject([{ cause: 'unreachable', severity: 'error', likelihood: 'certain' }]);
  expect(far.findings[0]!.evidence.at(-1)).toMatch(
    /^Argo CD itself reports \(Application podinfo\): Failed to load/,
  );
  const near = await examine([secretFor(), application(message, { name: 'blue' })]);
  expect(causes(near)).toEqual(['hub-cannot-work']);
  const other = await examine([secretFor(), application('Manifest generation error', { name: 'blue' })]);
  expect(causes(other)).toEqual([]);
});

const tls = (): object => ({ caData: caData(target.authority) });
const jwt = (exp: number): string =>
  `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.signature`;
const seconds = (): number => Math.floor(Date.now() / 1000);

const faulty: readonly [string, () => any, readonly string[]][] = [
  ['no JSON', () => secretFor({}, { config: '{' }), ['config-unreadable']],
  ['no object', () => secretFor({}, { config: '[]' }), ['config-unreadable']],
  ['another type', () => secretFor({ tlsClientConfig: { insecure: 'true' } }), ['config-unreadable']],
  ['no base64', () => secretFor({ tlsClientConfig: { caData: 'LS0t-' } }), ['config-unreadable']],
  ['no PEM', () => secretFor({ tlsClientConfig: { caData: base64('x') } }), ['ca-unreadable']],
  ['both', () => secretFor({ tlsClientConfig: { ...tls(), insecure: true } }), ['insecure-with-ca']],
  ['insecure', () => secretFor({ tlsClientConfig: { insecure: true } }), ['insecure']],
  ['two logins', () => secretFor({ username: 'x' }), ['login-faulty']],
  [
    'half a certificate',
    () => secretFor({ bearerToken: '', tlsClientConfig: { ...tls(), certData: base64('x') } }),
    ['login-faulty'],
  ],
  ['no login', () => secretFor({ bearerToken: '' }), ['no-login']],
  ['expired', () => secretFor({ bearerToken: jwt(seconds() - 90_000) }), ['token-expired']],
  ['ends soon', () => secretFor({ bearerToken: jwt(seconds() + 90_000) }), ['token-ends-soon']],
  ['lasts', () => secretFor({ bearerToken: jwt(seconds() + 9_000_000) }), []],
  ['unknown field', () => secretFor({ bearertokens: 'x' }), ['unknown-field']],
  [
    'another case, as Go takes it',
    () => secretFor({ TLSClientConfig: tls(), tlsClientConfig: undefined }),
    [],
  ],
  ['proxy', () => secretFor({ proxyUrl: 'ftp://x' }), ['proxy-faulty']],
  ['no server', () => secretFor({}, { server: '' }), ['server-faulty']],
  ['plain http', () => secretFor({}, { server: 'http://10.0.0.1' }), ['server-faulty']],
];

test.each(faulty)('a Secret with a fault: %s', async (_name, make, expected) => {
  const report = await examine([make()]);
  expect(causes(report)).toEqual(expected);
  expect(JSON.stringify(report)).not.toMatch(/secret-token|e30\./);
});

test('two Secrets of one server, two of one name', async () => {
  const named = (name: string, data: object): any => {
    const made = secretFor({}, data);
    return { ...made, metadata: { ...made.metadata, name } };
  };
  const twins = await examine([
    named('one', { name: 'a' }),
    named('two', { name: 'b', server: `${target.url}/` }),
  ]);
  expect(twins.findings).toMatchObject([
    { cause: 'same-server', subject: 'Secret argocd/one and Secret argocd/two' },
  ]);
  const closed = `https://127.0.0.1:${await closedPort()}`;
  const namesakes = await examine([named('one', {}), named('two', { server: closed })]);
  expect(causes(namesakes)).toEqual(['same-name', 'port-closed']);
});

test("Argo CD's own cluster is not asked", async () => {
  const own = secretFor({ bearerToken: '' }, { server: 'https://kubernetes.default.svc' });
  expect(await examine([own])).toMatchObject({ findings: [], notChecked: [] });
});

test('Secrets that may not be read are told', async () => {
  const report = await examine([secretFor()], { denied: ['list Secret'] });
  expect(report).toMatchObject({ findings: [], notChecked: ['may not list Secret'] });
});

test('programs are not run, and insecure servers get no credentials: told, not tried', async () => {
  const program = { execProviderConfig: { command: '/usr/bin/env', args: ['touch', '/tmp/x'] } };
  const report = await examine([
    secretFor({ ...program }),
    secretFor({ awsAuthConfig: { clusterName: 'blue' }, ...program }, { server: `${target.url}/x` }),
  ]);
  expect(report.notChecked).toEqual([
    'Secret argocd/blue: the login was not tried: the program "env" is not run here: it is one of Argo CD\'s image',
    expect.stringContaining('credentials of its own pods'),
    'AWS about 1 cluster: the region of the cluster is not known: its address is none of EKS',
  ]);
  expect(target.received).toEqual([]);
});

test('through a proxy, the address itself is not greeted', async () => {
  let greeted = 0;
  await examine([secretFor()], {
    env: { HTTPS_PROXY: 'http://127.0.0.1:1' },
    ask: () => {
      greeted += 1;
      return quick({ host: '127.0.0.1', port: target.port, serverName: '127.0.0.1' });
    },
  });
  // Never for this machine itself.
  expect(greeted).toBe(1);
  const far = await examine([secretFor({}, { server: 'https://api.example.com' })], {
    env: { HTTPS_PROXY: 'http://127.0.0.1:1' },
    open: () => Promise.reject(new Error('not a Kubernetes error')),
    ask: () => {
      throw new Error('greeted');
    },
  }).catch((error: Error) => error.message);
  expect(far).toBe('not a Kubernetes error');
});

test('whatever stands in the Secrets, the check goes through', async () => {
  const texts = fc.oneof(fc.string(), fc.json({ maxDepth: 3 }));
  const secret = fc.record({ name: texts, server: fc.oneof(texts, fc.webUrl()), config: texts });
  const wild = fc.record({ data: fc.jsonValue(), labels: fc.jsonValue() });
  await fc.assert(
    fc.asyncProperty(fc.array(secret), wild, fc.jsonValue(), async (secrets, other, application) => {
      const objects = [
        ...secrets.map((data, position) => clusterSecret(`s-${position}`, data)),
        { ...clusterSecret('wild', {}), data: other.data },
        {
          kind: 'Application',
          metadata: { name: 'a', namespace: 'argocd' },
          spec: application,
          status: application,
        },
      ];
      const report = await examine(objects, {
        ask: () => Promise.resolve({ outcome: 'silent', detail: 'no', addresses: [] }),
      });
      expect(report.findings.every(({ message }: DoctorFinding) => message !== '')).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('the token is a signed request that EKS can send', async () => {
  const now = new Date('2026-07-01T12:00:00Z');
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'key', sessionToken: 'session/+=' };
  const token = await eksToken('blue', 'eu-west-1', credentials, now);
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  const url = new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());
  expect(url.host).toBe('sts.eu-west-1.amazonaws.com');
  const signature = url.searchParams.get('X-Amz-Signature');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ Action: 'GetCallerIdentity', Version: '2011-06-15', 'X-Amz-Expires': '60' },
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    'X-Amz-Security-Token': 'session/+=',
  });
  // The signature, as its receiver computes it.
  url.searchParams.delete('X-Amz-Signature');
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const canonical = [
    'GET',
    '/',
    query,
    `host:${url.host}`,
    'x-k8s-aws-id:blue',
    '',
    'host;x-k8s-aws-id',
    hash(''),
  ].join('\n');
  const scope = '20260701/eu-west-1/sts/aws4_request';
  const toSign = ['AWS4-HMAC-SHA256', '20260701T120000Z', scope, hash(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<Buffer | string>((known, part) => createHmac('sha256', known).update(part).digest(), 'AWS4key');
  expect(signature).toBe(createHmac('sha256', key).update(toSign).digest('hex'));
});

test.each([
  ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
  ['eusc-de-east-1', 'sts.eusc-de-east-1.amazonaws.eu'],
])('the token of a cluster in %s is for %s', async (region, host) => {
  const token = await eksToken('blue', region, { accessKeyId: 'a', secretAccessKey: 'b' }, new Date(0));
  expect(new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString()).host).toBe(host);
});

test.each([
  ['https://0123.gr7.eu-west-1.eks.amazonaws.com', 'eu-west-1'],
  ['https://0123.us-gov-west-1.api.aws', 'us-gov-west-1'],
  ['https://0123.cn-north-1.amazonwebservices.com.cn', 'cn-north-1'],
  ['https://0123.gr7.eusc-de-east-1.eks.amazonaws.eu', 'eusc-de-east-1'],
  ['https://0123.us-iso-east-1.api.aws.ic.gov', 'us-iso-east-1'],
  ['https://lb.eu-west-1.elb.amazonaws.com', undefined],
  ['https://eu-west-1.example.com', undefined],
  ['no url', undefined],
])('the region of %s is %s', (server, region) => {
  expect(regionOfEndpoint(server)).toBe(region);
});

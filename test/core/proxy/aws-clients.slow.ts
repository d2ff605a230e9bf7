import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import { join } from 'node:path';
import { node, scratch } from '../../cli/run-cli';
import { CertificateAuthority } from '../../e2e/bench/pki';
import { silentProxy } from '../../silent-proxy';
import type { LocalProxy, ProxyManners } from './local-proxy';
import { listening, localProxy } from './local-proxy';

const region = 'eu-west-1';
const names = ['ssm', 'sts', 'oidc', 'portal.sso'].map((service) => `${service}.${region}.amazonaws.com`);
const login = 'me:hunter2';
const later = new Date(Date.now() + 3_600_000).toISOString();

/** AWS on loopback: it answers a parameter with the key that the request was signed with. */
let aws: { readonly port: number; close(): Promise<void> };
let plain: { readonly port: number; close(): Promise<void> };
const opened: { close(): unknown }[] = [];

function answer({ headers, url }: IncomingMessage, response: ServerResponse): void {
  const [, key = 'nobody'] = /Credential=([^/]+)/.exec(headers.authorization ?? '') ?? [];
  const host = headers.host!.split('.')[0];
  const expiration = later;
  if (host === 'sts') {
    response.setHeader('content-type', 'text/xml');
    response.end(
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ROLEOF${key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  } else if (host === 'portal') {
    const roleCredentials = {
      accessKeyId: 'FROMSSO',
      secretAccessKey: 's',
      sessionToken: 't',
      expiration: Date.parse(later),
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ roleCredentials }));
  } else if (url!.startsWith('/latest/api/token')) {
    response.setHeader('x-aws-ec2-metadata-token-ttl-seconds', '600').end('token');
  } else if (url === '/latest/meta-data/iam/security-credentials/') {
    response.end('role');
  } else if (url!.startsWith('/latest/meta-data') || url === '/container') {
    const AccessKeyId = url === '/container' ? 'FROMCONTAINER' : 'FROMMACHINE';
    response.end(
      JSON.stringify({ Code: 'Success', AccessKeyId, SecretAccessKey: 's', Token: 't', Expiration: later }),
    );
  } else {
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ Parameter: { Name: 'x', Value: key } }));
  }
}

let files: string;

beforeAll(async () => {
  files = join(scratch, 'aws-proxies');
  mkdirSync(join(files, '.aws', 'sso', 'cache'), { recursive: true });
  const authority = await CertificateAuthority.create('test-ca');
  const leaf = await authority.issue({ name: 'aws', hosts: names });
  aws = await listening(https.createServer({ cert: leaf.certificate, key: leaf.key }, answer));
  plain = await listening(http.createServer(answer));
  writeFileSync(join(files, 'ca.pem'), authority.certificate);
  const start = 'https://example.awsapps.com/start';
  writeFileSync(
    join(files, '.aws', 'config'),
    [
      '[profile sso]',
      `sso_start_url = ${start}`,
      `sso_region = ${region}`,
      'sso_account_id = 123456789012',
      'sso_role_name = canary',
      '[profile chained]',
      'role_arn = arn:aws:iam::123456789012:role/canary',
      'source_profile = base',
      '[profile base]',
      'aws_access_key_id = BASE',
      'aws_secret_access_key = s',
    ].join('\n'),
  );
  const cached = createHash('sha1').update(start).digest('hex');
  writeFileSync(
    join(files, '.aws', 'sso', 'cache', `${cached}.json`),
    JSON.stringify({ startUrl: start, region, accessToken: 'sso', expiresAt: later }),
  );
});
afterAll(() => Promise.all([aws.close(), plain.close()]));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function proxyOf(manners: ProxyManners = { login }): Promise<LocalProxy> {
  const proxy = await localProxy(manners, Object.fromEntries(names.map((name) => [name, aws.port])));
  opened.push(proxy);
  return proxy;
}
const urlOf = ({ port }: { readonly port: number }) => `http://${login}@127.0.0.1:${port}`;
const shownOf = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`;

const script = `
  const { inspect } = require('node:util');
  const { callAws } = require(${JSON.stringify(join(scratch, 'dist/core/aws/errors'))});
  const { awsClients } = require(${JSON.stringify(join(scratch, 'dist/core/aws/clients'))});
  const clients = awsClients(JSON.parse(process.env.OPTIONS));
  const call = { action: 'ssm:GetParameter', subject: 'parameter x', region: '${region}' };
  callAws(call, async () => (await clients.ssm()).getParameter({ Name: 'x' }))
    .then(
      ({ Parameter }) => ({ key: Parameter.Value }),
      (error) => ({ message: error.message, kind: error.failure?.kind, all: inspect(error, { depth: 9 }) }),
    )
    .then((result) => console.log(JSON.stringify(result)))
    .finally(() => clients.close());
`;

/** Reads a parameter in a process of its own, and says with which key, or what went wrong. */
async function read(env: NodeJS.ProcessEnv, options: object = {}) {
  const began = performance.now();
  const result = await node(['-e', script], {
    env: {
      HOME: files,
      NODE_EXTRA_CA_CERTS: join(files, 'ca.pem'),
      AWS_EC2_METADATA_DISABLED: 'true',
      OPTIONS: JSON.stringify({ region, maxAttempts: 1, ...options }),
      ...env,
    },
  });
  const read = JSON.parse(result.stdout || JSON.stringify({ message: result.stderr }));
  expect(result.stdout + result.stderr).not.toMatch(/hunter2|bWU6aHVudGVyMg/);
  return { ...read, took: performance.now() - began } as {
    key?: string;
    message?: string;
    kind?: string;
    took: number;
  };
}

const own = { AWS_ACCESS_KEY_ID: 'OWN', AWS_SECRET_ACCESS_KEY: 's' };
const tunnels = (...services: readonly string[]) =>
  services.map((service) => `CONNECT ${service}.${region}.amazonaws.com:443`);

test('AWS is asked by the proxy', async () => {
  const proxy = await proxyOf();
  expect((await read({ ...own, HTTPS_PROXY: urlOf(proxy) })).key).toBe('OWN');
  expect(proxy.asked).toEqual(tunnels('ssm'));
});

test('an endpoint without TLS is asked in absolute form', async () => {
  const proxy = await proxyOf();
  const endpoint = `http://aws.example.test:${plain.port}`;
  expect((await read({ ...own, http_proxy: urlOf(proxy) }, { endpoint })).key).toBe('OWN');
  expect(proxy.asked).toEqual([`POST ${endpoint}/`]);
});

test.each([
  ['a role', own, { roleArn: 'arn:aws:iam::123456789012:role/canary' }, 'ROLEOFOWN', ['sts', 'ssm']],
  ['a profile with a role', { AWS_PROFILE: 'chained' }, {}, 'ROLEOFBASE', ['sts', 'ssm']],
  ['a profile of IAM Identity Center', { AWS_PROFILE: 'sso' }, {}, 'FROMSSO', ['portal.sso', 'ssm']],
  [
    'a role, by a profile of IAM Identity Center',
    { AWS_PROFILE: 'sso' },
    { roleArn: 'arn:aws:iam::123456789012:role/canary' },
    'ROLEOFFROMSSO',
    ['portal.sso', 'sts', 'ssm'],
  ],
] as const)(
  'credentials of %s are asked for by the proxy, too',
  async (_name, env, options, key, services) => {
    const proxy = await proxyOf();
    expect((await read({ ...env, HTTPS_PROXY: urlOf(proxy) }, options)).key).toBe(key);
    expect(proxy.asked).toEqual(tunnels(...services));
  },
);

test('credentials of the machine and of the container are asked for directly', async () => {
  const proxy = await proxyOf();
  const local = `http://127.0.0.1:${plain.port}`;
  const variables = { HTTPS_PROXY: urlOf(proxy), HTTP_PROXY: urlOf(proxy), NO_PROXY: 'nothing' };
  const container = { ...variables, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${local}/container` };
  expect((await read(container)).key).toBe('FROMCONTAINER');
  const machine = {
    ...variables,
    AWS_EC2_METADATA_DISABLED: 'false',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: local,
  };
  expect((await read(machine)).key).toBe('FROMMACHINE');
  expect(proxy.asked).toEqual(tunnels('ssm', 'ssm'));
});

test('a proxy that refuses is named, and not the region or the DNS', async () => {
  const proxy = await proxyOf({ refuses: 403 });
  expect(await read({ ...own, HTTPS_PROXY: urlOf(proxy) })).toMatchObject({
    kind: 'unreachable',
    message: `parameter x: no answer to ssm:GetParameter (the proxy ${shownOf(proxy)} answers ${tunnels('ssm')[0]} with 403 (Forbidden))`,
  });
});

test('a proxy that is overloaded is asked again, one that refuses is not', async () => {
  const [overloaded, refusing] = [await proxyOf({ refuses: 503 }), await proxyOf({ refuses: 407 })];
  await read({ ...own, HTTPS_PROXY: urlOf(overloaded) }, { maxAttempts: 2 });
  expect(overloaded.asked).toHaveLength(2);
  await read({ ...own, HTTPS_PROXY: urlOf(refusing) }, { maxAttempts: 2 });
  expect(refusing.asked).toHaveLength(1);
});

test('a proxy that says nothing is left when the time to connect is over', async () => {
  const proxy = await silentProxy();
  opened.push(proxy);
  const { message, kind, took } = await read(
    { ...own, HTTPS_PROXY: urlOf(proxy) },
    { connectionTimeout: 100 },
  );
  expect([kind, message]).toEqual([
    'unreachable',
    `parameter x: no answer to ssm:GetParameter (the proxy ${shownOf(proxy)} does not answer within 0.1 s)`,
  ]);
  // Nothing holds the process up.
  expect(took).toBeLessThan(9_000);
});

test('a variable that is no URL of a proxy is said, without its value', async () => {
  const { message, kind } = await read({ ...own, HTTPS_PROXY: 'ftp://me:hunter2@proxy' });
  expect(kind).toBe('unreachable');
  expect(message).toMatch(/the URL of the proxy must be http:\/\/HOST:PORT.*HTTPS_PROXY/);
});

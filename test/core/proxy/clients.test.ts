import type { IncomingMessage, ServerResponse } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import { inspect } from 'node:util';
import { httpClient } from '../../../lib/core/http';
import { httpsTransport } from '../../../lib/core/kubernetes/transport';
import { nodeHttp } from '../../../lib/operate/doctor/github/http';
import { waitUntilReachable } from '../../../lib/pulumi/fleet/kubernetes-provider';
import { CertificateAuthority } from '../../e2e/bench/pki';
import { silentProxy } from '../../silent-proxy';
import { sleepClock } from '../../sleep-clock';
import type { LocalProxy, ProxyManners } from './local-proxy';
import { listening, localProxy } from './local-proxy';

let authority: CertificateAuthority;
let secure: { readonly port: number; close(): Promise<void> };
let plain: { readonly port: number; close(): Promise<void> };
const opened: { close(): unknown }[] = [];

beforeAll(async () => {
  authority = await CertificateAuthority.create('test-ca');
  const leaf = await authority.issue({ name: 'server', hosts: ['api.example.test'] });
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    response.end(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? 'nobody'}`);
  secure = await listening(https.createServer({ cert: leaf.certificate, key: leaf.key }, answer));
  plain = await listening(http.createServer(answer));
});
afterAll(() => Promise.all([secure.close(), plain.close()]));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  delete process.env.HTTPS_PROXY;
});

async function proxyOf(manners?: ProxyManners): Promise<LocalProxy> {
  const proxy = await localProxy(manners);
  opened.push(proxy);
  return proxy;
}

const login = 'me:hunter2';
const urlOf = ({ port }: { readonly port: number }) => `http://${login}@127.0.0.1:${port}`;
const shownOf = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`;
const variables = (proxy: { readonly port: number }) => ({
  HTTPS_PROXY: urlOf(proxy),
  HTTP_PROXY: urlOf(proxy),
});

type Env = Readonly<Record<string, string | undefined>>;
/** Asks a URL with these variables, and answers with the body. */
type Client = (url: string, env: Env, timeoutMs?: number) => Promise<string>;

const kubernetes: Client = async (url, env, timeout = 5_000) => {
  const { origin, pathname, search } = new URL(url);
  const material = { text: authority.certificate };
  const transport = httpsTransport({ server: origin, certificateAuthority: material, user: {} }, env);
  try {
    const call = { method: 'GET', path: `${pathname}${search}`, headers: {}, timeout, longest: 1_000 };
    const { status, body } = await transport.send(call);
    return status === 200 ? body : `status ${status}`;
  } finally {
    transport.close();
  }
};

const metrics: Client = async (url, env, timeoutMs) => {
  const client = httpClient({ env, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  const request = {
    method: 'GET',
    url: new URL(url),
    headers: {},
    certificateAuthority: authority.certificate,
  } as const;
  const { status, text } = await client.send(request);
  return status === 200 ? text : `status ${status}`;
};

const github: Client = async (url, env, timeoutMs) => {
  const route = { proxy: env.HTTPS_PROXY, certificateAuthority: authority.certificate, insecure: false };
  const request = { method: 'GET', url, authorization: 'Bearer x', route } as const;
  const { status, body } = await nodeHttp(timeoutMs).send(request, new AbortController().signal);
  return status === 200 ? body : `status ${status}`;
};

describe.each([
  ['an API server', kubernetes],
  ['a metric service', metrics],
  ['GitHub', github],
] as const)('%s', (_name, client) => {
  const failureOf = async (asked: Promise<unknown>): Promise<string> => {
    const error = (await asked.catch((each: Error) => each)) as Error;
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunter2|bWU6aHVudGVyMg/);
    return error.message;
  };
  const securely = () => `https://api.example.test:${secure.port}/a?b=c`;
  const plainly = () => `http://api.example.test:${plain.port}/a?b=c`;

  test('is asked by the proxy, with and without TLS', async () => {
    const proxy = await proxyOf({ login });
    expect(await client(securely(), variables(proxy))).toBe('GET /a?b=c nobody');
    expect(await client(plainly(), variables(proxy))).toBe('GET /a?b=c nobody');
    expect(proxy.asked).toEqual([`CONNECT api.example.test:${secure.port}`, `GET ${plainly()}`]);
  });

  test('the proxy is named where it refuses, is not there, or says nothing', async () => {
    const refusing = await proxyOf({ refuses: 403 });
    expect(await failureOf(client(securely(), variables(refusing)))).toMatch(
      `the proxy ${shownOf(refusing)} answers CONNECT api.example.test:${secure.port} with 403`,
    );
    const closed = await localProxy();
    await closed.close();
    expect(await failureOf(client(securely(), variables(closed)))).toMatch(
      `the proxy ${shownOf(closed)} can't be reached`,
    );
    const silent = await silentProxy();
    opened.push(silent);
    const late = await failureOf(client(securely(), variables(silent), 60));
    expect(late).toMatch(/no answer within (0\.06 s|60 ms)/);
    expect(late).toMatch(`by the proxy ${shownOf(silent)}`);
    await silent.left;
    const garbage = await proxyOf({ says: 'no HTTP at all\r\n\r\n' });
    expect(await failureOf(client(plainly(), variables(garbage)))).toMatch(
      `by the proxy ${shownOf(garbage)}`,
    );
  });
});

test.each([
  ['an API server', kubernetes],
  ['a metric service', metrics],
] as const)(
  '%s on this machine is asked directly, and so is one that NO_PROXY has',
  async (_name, client) => {
    const proxy = await proxyOf({ refuses: 500 });
    const here = `http://127.0.0.1:${plain.port}/a`;
    expect(await client(here, variables(proxy))).toBe('GET /a nobody');
    const excepted = client(`http://api.example.test:${plain.port}/`, {
      ...variables(proxy),
      NO_PROXY: 'example.test',
    });
    await expect(excepted).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
    expect(proxy.asked).toEqual([]);
  },
);

test('whether an endpoint can be reached is found out by the proxy of the environment', async () => {
  const proxy = await proxyOf({ login });
  process.env.HTTPS_PROXY = urlOf(proxy);
  const target = {
    endpoint: `https://api.example.test:${secure.port}`,
    certificateAuthority: Buffer.from(authority.certificate).toString('base64'),
  };
  await waitUntilReachable(target, { deadline: 5_000 });
  expect(proxy.asked).toEqual([`CONNECT api.example.test:${secure.port}`]);
  process.env.HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
  await expect(waitUntilReachable(target, { deadline: 4_000, clock: sleepClock() })).rejects.toThrow(
    new RegExp(`within 4 s: the proxy ${process.env.HTTPS_PROXY} answers CONNECT .* with 407`),
  );
});

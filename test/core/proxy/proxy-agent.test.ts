import type { IncomingMessage } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import { inspect } from 'node:util';
import { forwarded, proxyAgent } from '../../../lib/core/proxy/agent';
import { byProxy, ProxyFailure } from '../../../lib/core/proxy/proxy';
import { CertificateAuthority } from '../../e2e/bench/pki';
import { silentProxy } from '../../silent-proxy';
import type { LocalProxy, ProxyManners } from './local-proxy';
import { listening, localProxy, socksProxy } from './local-proxy';

let authority: CertificateAuthority;
let secure: { readonly port: number; close(): Promise<void> };
let plain: { readonly port: number; close(): Promise<void> };
const started: { close(): unknown }[] = [];

const said = (request: IncomingMessage) =>
  `${request.method} ${request.url} ${request.headers.host} ${request.headers['proxy-authorization'] ?? 'nobody'}`;

beforeAll(async () => {
  authority = await CertificateAuthority.create('test-ca');
  const leaf = await authority.issue({
    name: 'server',
    hosts: ['api.example.test', 'localhost'],
    addresses: ['127.0.0.1'],
  });
  const answer = (request: IncomingMessage, response: http.ServerResponse) => response.end(said(request));
  secure = await listening(https.createServer({ cert: leaf.certificate, key: leaf.key }, answer));
  plain = await listening(http.createServer(answer));
});
afterAll(() => Promise.all([secure.close(), plain.close()]));
afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => each.close()));
});

async function opened<Each extends { close(): unknown }>(starting: Promise<Each>): Promise<Each> {
  const each = await starting;
  started.push(each);
  return each;
}
const proxyOf = (manners?: ProxyManners): Promise<LocalProxy> => opened(localProxy(manners));

/** Asks once, and answers what the server said. */
async function ask(proxy: string, url: URL, options: { connectTimeoutMs?: number; agent?: http.Agent } = {}) {
  const agent = options.agent ?? proxyAgent(proxy, url.protocol, options);
  try {
    return await new Promise<string>((resolve, reject) => {
      const { headers, ...whole } = forwarded(proxy, url);
      const given = { agent, ...whole, headers, ca: authority.certificate };
      const request = (url.protocol === 'https:' ? https : http).request(url, given, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
      });
      request.on('error', reject).end();
    });
  } finally {
    if (options.agent === undefined) {
      agent.destroy();
    }
  }
}

const securely = () => new URL(`https://api.example.test:${secure.port}/a?b=c`);
const plainly = () => new URL(`http://api.example.test:${plain.port}/a?b=c`);
const failureOf = async (asked: Promise<unknown>): Promise<ProxyFailure> => {
  const error = await asked.then(
    () => new Error('it went well'),
    (each: Error) => each,
  );
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunter2|aHVudGVyMg/);
  return error as ProxyFailure;
};

describe('https', () => {
  test('goes through a tunnel, in which the proxy sees nothing', async () => {
    const proxy = await proxyOf();
    expect(await ask(`http://127.0.0.1:${proxy.port}`, securely())).toBe(
      `200 GET /a?b=c api.example.test:${secure.port} nobody`,
    );
    expect(proxy.asked).toEqual([`CONNECT api.example.test:${secure.port}`]);
    expect(proxy.headers[0]).toMatchObject({ host: `api.example.test:${secure.port}` });
  });

  test('with a login, which the server does not get', async () => {
    const proxy = await proxyOf({ login: 'me:hunter2%' });
    for (const password of ['hunter2%25', 'hunter2%']) {
      const answer = await ask(`http://me:${password}@127.0.0.1:${proxy.port}`, securely());
      expect(answer).toMatch(/^200 .* nobody$/);
    }
  });

  test('by a proxy of TLS, whose certificate counts', async () => {
    const leaf = await authority.issue({ name: 'proxy', addresses: ['127.0.0.1'] });
    const proxy = await proxyOf({ tls: { certificate: leaf.certificate, key: leaf.key } });
    const url = `https://me:hunter2@127.0.0.1:${proxy.port}`;
    const error = await failureOf(ask(url, securely()));
    expect(error.message).toMatch(
      new RegExp(`^the proxy https://127\\.0\\.0\\.1:${proxy.port} can't be reached: .*certificate`),
    );
    expect([error instanceof ProxyFailure, error.isPassing, proxy.asked]).toEqual([true, false, []]);
  });

  test('connections are kept and used again, and end with the agent', async () => {
    const proxy = await proxyOf();
    const url = `http://127.0.0.1:${proxy.port}`;
    const agent = proxyAgent(url, 'https:', { keepAlive: true });
    await ask(url, securely(), { agent });
    await new Promise((resolve) => setImmediate(resolve));
    await ask(url, securely(), { agent });
    expect(proxy.asked).toHaveLength(1);
    agent.destroy();
    await until(() => proxy.open() === 0);
    // An agent that was closed can be used all the same, as those of Node.js.
    expect(await ask(url, securely(), { agent })).toMatch(/^200/);
    agent.destroy();
  });

  test('the certificate of the server is held against its own name, not that of the proxy', async () => {
    const proxy = await proxyOf();
    const other = new URL(securely());
    other.hostname = 'other.example.test';
    const error = await failureOf(ask(`http://127.0.0.1:${proxy.port}`, other));
    expect(error.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });
});

test('http goes in absolute form, with the login for the proxy alone', async () => {
  const proxy = await proxyOf({ login: 'me:hunter2' });
  const answer = await ask(`http://me:hunter2@127.0.0.1:${proxy.port}`, plainly());
  expect(answer).toBe(`200 GET /a?b=c api.example.test:${plain.port} nobody`);
  expect(proxy.asked).toEqual([`GET http://api.example.test:${plain.port}/a?b=c`]);
  expect(await ask(`http://127.0.0.1:${proxy.port}`, plainly())).toBe('407 ');
});

describe('by SOCKS 5', () => {
  test.each([
    ['socks5', securely],
    ['socks5h', plainly],
    ['socks', plainly],
  ])('%s: the proxy looks up the name', async (scheme, url) => {
    const proxy = await opened(socksProxy());
    expect(await ask(`${scheme}://127.0.0.1:${proxy.port}`, url())).toMatch(/^200 GET \/a\?b=c/);
    expect(proxy.asked).toEqual([`api.example.test:${url().port}`]);
  });

  test('with a login', async () => {
    const proxy = await opened(socksProxy('me:hunter2'));
    expect(await ask(`socks5://me:hunter2@127.0.0.1:${proxy.port}`, securely())).toMatch(/^200/);
    const error = await failureOf(ask(`socks5://me:hunter2x@127.0.0.1:${proxy.port}`, securely()));
    expect(error.message).toMatch(
      `the proxy socks5://127.0.0.1:${proxy.port} does not connect to api.example.test:${secure.port}: `,
    );
  });
});

describe.each([
  ['https', securely],
  ['http', plainly],
] as const)('a proxy that is no help for %s', (_scheme, url) => {
  test('nothing listens there', async () => {
    const proxy = await localProxy();
    await proxy.close();
    const error = await failureOf(ask(`http://me:hunter2@127.0.0.1:${proxy.port}`, url()));
    expect(error.message).toMatch(
      new RegExp(`^the proxy http://127\\.0\\.0\\.1:${proxy.port} can't be reached: .*ECONNREFUSED`),
    );
    expect([error.code, error.isPassing]).toEqual(['ECONNREFUSED', true]);
  });

  test('its name is not known', async () => {
    const error = await failureOf(ask('http://me:hunter2@proxy.invalid:3128', url()));
    expect(error.message).toMatch(/^the proxy http:\/\/proxy\.invalid:3128 can't be reached: getaddrinfo E/);
  });

  test('its URL is none', async () => {
    for (const text of ['ftp://me:hunter2@x', 'http://me:hunter2@pro xy:1', 'http://', 'hunter2']) {
      const error = await failureOf(Promise.resolve(text).then((each) => proxyAgent(each, url().protocol)));
      expect([error instanceof ProxyFailure, error.isPassing]).toEqual([true, false]);
      expect(error.message).toMatch(/must be http:\/\/HOST:PORT.*HTTPS_PROXY/);
    }
  });
});

test.each([
  [403, 'answers CONNECT HOST with 403 (Forbidden)', false],
  [
    407,
    'answers CONNECT HOST with 407 (Proxy Authentication Required): it does not take the login in its URL',
    false,
  ],
  [502, 'answers CONNECT HOST with 502 (Bad Gateway)', true],
  [599, 'answers CONNECT HOST with 599', true],
])('a proxy that refuses with %i', async (refuses, words, isPassing) => {
  const proxy = await proxyOf({ refuses });
  const error = await failureOf(ask(`http://me:hunter2@127.0.0.1:${proxy.port}`, securely()));
  const host = `api.example.test:${secure.port}`;
  expect(error.message).toBe(`the proxy http://127.0.0.1:${proxy.port} ${words.replace('HOST', host)}`);
  expect([error.status, error.isPassing]).toEqual([refuses, isPassing]);
});

test('a proxy that wants a login where none is given', async () => {
  const proxy = await proxyOf({ login: 'me:hunter2' });
  const error = await failureOf(ask(`http://127.0.0.1:${proxy.port}`, securely()));
  expect(error.message).toMatch(/with 407 \(Proxy Authentication Required\): it wants a login, in its URL$/);
});

test.each([
  ['words', 'no HTTP at all\r\n\r\n', /does not answer CONNECT .*: Parse Error/],
  ['binary', '\x16\x03\x01\x00\xff\r\n', /does not answer CONNECT .*: Parse Error/],
  ['headers without an end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`, /does not answer CONNECT/],
])('a proxy that answers garbage: %s', async (_name, says, message) => {
  const proxy = await proxyOf({ says });
  const error = await failureOf(ask(`http://me:hunter2@127.0.0.1:${proxy.port}`, securely()));
  expect(error).toBeInstanceOf(ProxyFailure);
  expect(error.message).toMatch(message);
  await until(() => proxy.open() === 0);
});

test('a proxy that cuts the connection', async () => {
  const proxy = await proxyOf({ cuts: true });
  const error = await failureOf(ask(`http://127.0.0.1:${proxy.port}`, securely()));
  expect(error.message).toMatch(/does not answer CONNECT .*: socket hang up/);
  expect([error.code, error.isPassing]).toEqual(['ECONNRESET', true]);
});

test.each(['http', 'https', 'socks5'])('a proxy by %s that says nothing is left in time', async (scheme) => {
  const proxy = await opened(silentProxy());
  const url = `${scheme}://me:hunter2@127.0.0.1:${proxy.port}`;
  const error = await failureOf(ask(url, securely(), { connectTimeoutMs: 50 }));
  expect(error.message).toBe(`the proxy ${scheme}://127.0.0.1:${proxy.port} does not answer within 0.05 s`);
  expect([error.code, error.isPassing]).toEqual(['ETIMEDOUT', true]);
  await proxy.left;
});

test.each(['http', 'https', 'socks5'])('closing the agent leaves a proxy by %s at once', async (scheme) => {
  const proxy = await opened(silentProxy());
  const url = `${scheme}://127.0.0.1:${proxy.port}`;
  const agent = proxyAgent(url, 'https:');
  const asked = failureOf(ask(url, securely(), { agent }));
  await new Promise((resolve) => setTimeout(resolve, 30));
  agent.destroy();
  expect((await asked).message).toBe(`the way by the proxy ${url} was closed`);
  await proxy.left;
});

test('what is no certificate fails the request, and leaves no connection', async () => {
  const proxy = await proxyOf();
  const url = `http://127.0.0.1:${proxy.port}`;
  const agent = proxyAgent(url, 'https:');
  const request = https.request(securely(), { agent, cert: 'none', key: 'none' });
  const error = await new Promise<Error>((resolve) => request.on('error', resolve).end());
  expect(error.message).toMatch(/PEM/);
  await until(() => proxy.open() === 0);
});

test('an error of the server is said to have come by the proxy, once it is known', () => {
  const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  expect(byProxy(error, 'http://me:hunter2@p:1')).toBe(error);
  expect(error.message).toBe('socket hang up (by the proxy http://p:1)');
  const late = new DOMException('too late', 'TimeoutError');
  expect(byProxy(late, 'http://p:1').message).toBe('too late (by the proxy http://p:1)');
  const own = new ProxyFailure('the proxy http://p:1 is down');
  expect(byProxy(own, 'http://p:1').message).toBe('the proxy http://p:1 is down');
});

async function until(is: () => boolean): Promise<void> {
  for (let tries = 0; !is() && tries < 300; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(is()).toBe(true);
}

import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import type { Probe } from '../../../lib/shift/probes/probe';
import { probeSender, sendProbe } from '../../../lib/shift/probes/send';
import { listening, localProxy, socksProxy } from '../../core/proxy/local-proxy';
import { CertificateAuthority } from '../../e2e/bench/pki';

const opened: { close(): unknown }[] = [];
let authority: CertificateAuthority;

beforeAll(async () => {
  authority = await CertificateAuthority.create('test-ca');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function portOf(server: net.Server): Promise<number> {
  const listener = await listening(server);
  opened.push(listener);
  return listener.port;
}

async function served(answer: http.RequestListener): Promise<number> {
  return portOf(http.createServer(answer));
}

async function servedByTls(answer: http.RequestListener, hosts: readonly string[]): Promise<number> {
  const leaf = await authority.issue({ name: 'server', hosts, addresses: [] });
  return portOf(https.createServer({ cert: leaf.certificate, key: leaf.key }, answer));
}

/** A server that says this to whatever connects, and leaves the connection open. */
async function says(text: string | Buffer): Promise<number> {
  return portOf(
    net.createServer((socket) => {
      socket.on('error', () => undefined).write(text);
    }),
  );
}

/** Until no connection is open any more. */
async function closed(...servers: readonly { readonly open: () => number }[]): Promise<void> {
  for (let looks = 0; servers.some(({ open }) => open() > 0); looks += 1) {
    expect(looks).toBeLessThan(200);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const secret = 's3cret-of-the-preview';
const probe = (port: number, more: Partial<Probe> = {}): Probe => ({
  url: new URL(`http://127.0.0.1:${port}/path?key=${secret}`),
  method: 'GET',
  headers: { 'x-slot': secret },
  timeoutMs: 2_000,
  longestAnswer: 1_000,
  ...more,
});

test.each([200, 302, 404, 503])('an answer with %s is an answer', async (status) => {
  const port = await served((request, response) => {
    request.setEncoding('utf8').on('data', (body: string) => {
      response.writeHead(status, { location: 'http://elsewhere.example', 'set-cookie': ['a=1', 'b=2'] });
      response.end(`${request.method} ${request.url} ${String(request.headers['x-slot'])} ${body}`);
    });
  });
  const result = await sendProbe(probe(port, { method: 'POST', body: 'text' }));
  expect(result).toEqual({
    status,
    headers: expect.objectContaining({ location: 'http://elsewhere.example', 'set-cookie': ['a=1', 'b=2'] }),
    text: `POST /path?key=${secret} ${secret} text`,
    milliseconds: expect.any(Number),
  });
  expect(result.milliseconds).toBeGreaterThan(0);
});

test('an empty answer to HEAD is whole', async () => {
  const port = await served((_, response) => response.writeHead(200, { 'content-length': '900000' }).end());
  expect(await sendProbe(probe(port, { method: 'HEAD' }))).toMatchObject({ status: 200, text: '' });
});

test('each probe has a connection of its own, also by TLS', async () => {
  const [ports, resumed]: [number[], boolean[]] = [[], []];
  const answer: http.RequestListener = ({ socket }, response) => {
    ports.push(socket.remotePort!);
    resumed.push('isSessionReused' in socket && (socket as any).isSessionReused());
    response.setHeader('connection', 'keep-alive');
    response.end();
  };
  const plain = await served(answer);
  const secure = await servedByTls(answer, ['localhost']);
  const url = new URL(`https://localhost:${secure}/`);
  for (const each of [probe(plain), probe(secure, { url, certificateAuthority: authority.certificate })]) {
    expect(await sendProbe(each)).toMatchObject({ status: 200 });
    expect(await sendProbe(each)).toMatchObject({ status: 200 });
  }
  expect(new Set(ports).size).toBe(4);
  expect(resumed).toEqual([false, false, false, false]);
});

test.each<[string, http.RequestListener, string]>([
  ['no answer', () => undefined, 'no answer within 0.1 s'],
  [
    'a body without an end',
    (_, response) => {
      const timer = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(timer));
    },
    'no answer within 0.1 s',
  ],
  [
    'a body that is too long',
    (_, response) => {
      const more = (): void => void response.write('a'.repeat(65_536), (error) => error ?? more());
      more();
    },
    'the answer is longer than 1000 bytes',
  ],
  ['a reset', ({ socket }) => void (socket as net.Socket).resetAndDestroy(), 'the connection was reset'],
  [
    'a reset in the middle',
    ({ socket }, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => (socket as net.Socket).resetAndDestroy());
    },
    'the server ended the connection',
  ],
  [
    'an answer that is cut',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket!.end());
    },
    'the server ended the connection',
  ],
  [
    'headers without an end',
    (_, response) => response.writeHead(200, { 'x-long': 'a'.repeat(40_000) }).end(),
    "the answer's headers are too long",
  ],
])('%s is a failure', async (_, answers, failure) => {
  const port = await served(answers);
  const result = await sendProbe(probe(port, { timeoutMs: failure.includes('0.1') ? 100 : 2_000 }));
  expect(result).toEqual({ failure, milliseconds: expect.any(Number) });
});

test('a port that nothing listens on, and what is no HTTP', async () => {
  const gone = net.createServer();
  const port = await portOf(gone);
  await Promise.all(opened.splice(0).map((each) => each.close()));
  expect(await sendProbe(probe(port))).toMatchObject({ failure: 'connection refused' });
  const other = await says('SSH-2.0-OpenSSH_9.6 \u001b[31m\r\n');
  expect(await sendProbe(probe(other))).toMatchObject({
    failure: expect.stringMatching(/^the answer is no HTTP \(HPE_\w+\)$/),
  });
});

test('a header that can not be sent is a failure that does not show it', async () => {
  const result = await sendProbe(probe(1, { headers: { 'x-slot': `${secret}\r\nx: y` } }));
  expect(result).toEqual({
    failure: 'a header can not be sent: its value has a character that HTTP does not allow',
    ours: true,
    milliseconds: expect.any(Number),
  });
});

test.each<[string, string, boolean, string]>([
  ['an authority that is not trusted', 'localhost', false, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [
    'another host',
    'other.example.test',
    true,
    'the certificate is not for this host (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
])('TLS with %s is a failure that names it', async (_, host, trusted, failure) => {
  const port = await servedByTls((_request, response) => response.end(), [host]);
  const url = new URL(`https://localhost:${port}/`);
  const given = trusted ? { url, certificateAuthority: authority.certificate } : { url };
  expect(await sendProbe(probe(port, given))).toMatchObject({ failure: expect.stringContaining(failure) });
});

test('no TLS where it is expected, and the other way round', async () => {
  const plain = await says('HTTP/1.1 400 Bad Request\r\n\r\n');
  expect(await sendProbe(probe(plain, { url: new URL(`https://127.0.0.1:${plain}/`) }))).toMatchObject({
    failure: expect.stringMatching(/TLS \(\w+\)$/),
  });
  const secure = await servedByTls((_request, response) => response.end(), ['localhost']);
  expect(await sendProbe(probe(secure))).toMatchObject({ failure: expect.any(String) });
});

test('the host that a rule takes may be a header', async () => {
  const port = await servedByTls(({ headers }, response) => response.end(headers.host), ['www.example.test']);
  const url = new URL(`https://127.0.0.1:${port}/`);
  const given = { url, headers: { host: 'www.example.test' }, certificateAuthority: authority.certificate };
  expect(await sendProbe(probe(port, given))).toMatchObject({ status: 200, text: 'www.example.test' });
});

test('goes by the proxy of the environment, and ends with it', async () => {
  const answer: http.RequestListener = ({ url, headers }, response) =>
    response.end(`${url} ${String(headers['x-slot'])}`);
  const plain = await served(answer);
  const secure = await servedByTls(answer, ['slot.example.test']);
  const proxy = await localProxy({ login: 'me:hunter2' });
  opened.push(proxy);
  const address = `http://me:hunter2@127.0.0.1:${proxy.port}`;
  const send = probeSender({ HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: 'direct.test' });
  const of = (url: string) =>
    send(probe(0, { url: new URL(url), certificateAuthority: authority.certificate }));
  expect(await of(`http://slot.example.test:${plain}/a?b`)).toMatchObject({ text: `/a?b ${secret}` });
  expect(await of(`https://slot.example.test:${secure}/a?b`)).toMatchObject({ text: `/a?b ${secret}` });
  expect(proxy.asked).toEqual([
    `GET http://slot.example.test:${plain}/a?b`,
    `CONNECT slot.example.test:${secure}`,
  ]);
  const socks = await socksProxy();
  opened.push(socks);
  const bySocks = probeSender({ HTTPS_PROXY: `socks5://127.0.0.1:${socks.port}` });
  const url = new URL(`https://slot.example.test:${secure}/`);
  expect(await bySocks(probe(0, { url, certificateAuthority: authority.certificate }))).toMatchObject({
    status: 200,
  });
  await closed(proxy);
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['refuses', { HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:PORT' }, 'answers CONNECT slot.test:443 with 502'],
  ['has no URL', { HTTPS_PROXY: 'ftp://me:hunter2@127.0.0.1' }, 'the URL of the proxy must be'],
])('a proxy that %s is named, without its login', async (_, env, failure) => {
  const proxy = await localProxy({ refuses: 502 });
  opened.push(proxy);
  const filled = { HTTPS_PROXY: env.HTTPS_PROXY!.replace('PORT', String(proxy.port)) };
  const result = await probeSender(filled)(probe(0, { url: new URL('https://slot.test/') }));
  expect(result).toMatchObject({ failure: expect.stringContaining(failure) });
  expect(JSON.stringify(result)).not.toMatch(/hunter2/);
});

test('a signal alone rejects, with its reason, before and meanwhile; nothing stays open', async () => {
  const reason = new Error('enough');
  let requests = 0;
  const server = await listening(http.createServer(() => void (requests += 1)));
  opened.push(server);
  await expect(sendProbe(probe(server.port), AbortSignal.abort(reason))).rejects.toBe(reason);
  const stop = new AbortController();
  setTimeout(() => stop.abort(reason), 30);
  await expect(sendProbe(probe(server.port), stop.signal)).rejects.toBe(reason);
  await closed(server);
  expect(requests).toBe(1);
});

test('no failure shows what was sent', async () => {
  const port = await served(({ socket }) => void socket.destroy());
  const results = [
    await sendProbe(probe(port)),
    await sendProbe(probe(port, { url: new URL(`https://me:${secret}@127.0.0.1:${port}/?${secret}`) })),
    await sendProbe(probe(port, { headers: { [`${secret} x`]: 'y' } })),
    await sendProbe(probe(port, { method: `${secret} x` })),
  ];
  expect(results.every((result) => 'failure' in result)).toBe(true);
  expect(JSON.stringify(results)).not.toContain(secret);
});

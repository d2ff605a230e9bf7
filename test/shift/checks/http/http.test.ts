import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:net';
import { formatProblem, InvalidInput } from '../../../../lib/core/validation';
import { settingsProblems } from '../../../../lib/shift/checks';
import { http } from '../../../../lib/shift/checks/http/http';
import type { ShiftSubject, SlotPreview } from '../../../../lib/shift/engine';
import { OwnRequests, probeSender } from '../../../../lib/shift/probes';
import { CertificateAuthority } from '../../../e2e/bench/pki';
import { contextOf, windowOf } from '../health-samples';

let received: {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}[];
let reply: (
  path: string,
  number: number,
) => { status?: number; text?: string; location?: string } | 'cut' | 'hang';
const servers: Server[] = [];

const listener: RequestListener = (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { url = '', method = '', headers } = request;
    received.push({ url, method, headers, body: Buffer.concat(parts).toString() });
    const said = reply(url, received.length);
    if (said === 'cut') {
      request.socket.destroy();
    } else if (said !== 'hang') {
      response.writeHead(said.status ?? 200, said.location === undefined ? {} : { location: said.location });
      response.end(said.text ?? 'ok');
    }
  });
};

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

let plain: string;
let tls: string;
let authority: CertificateAuthority;

beforeAll(async () => {
  authority = await CertificateAuthority.create('test-ca');
  const leaf = await authority.issue({ name: 'server', addresses: ['127.0.0.1'] });
  plain = `http://127.0.0.1:${await listen(createServer(listener))}`;
  tls = `https://127.0.0.1:${await listen(createTlsServer({ cert: leaf.certificate, key: leaf.key }, listener))}`;
});

afterAll(async () => {
  for (const server of servers) {
    (server as { closeAllConnections?: () => void }).closeAllConnections?.();
    await new Promise((resolve) => server.close(resolve));
  }
});

beforeEach(() => {
  received = [];
  reply = () => ({});
});

const subjectOf = (green?: SlotPreview): ShiftSubject => ({
  layer: 'http',
  slots: { blue: { preview: { url: 'http://127.0.0.1:1' } }, green: green ? { preview: green } : {} },
});

interface World {
  readonly preview?: SlotPreview;
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly proxies?: Record<string, string>;
}

let ownRequests: OwnRequests;
beforeEach(() => {
  ownRequests = new OwnRequests();
});

const make = (
  settings: object,
  { preview = { url: plain }, env = {}, files = {}, proxies = {} }: World = {},
) =>
  http.kind.create(
    'http',
    { paths: ['/healthz'], count: 1, ...settings },
    contextOf({
      subject: subjectOf(preview),
      env,
      readFile: (path) => (path in files ? Promise.resolve(files[path]!) : Promise.reject(new Error('no'))),
      sendProbe: probeSender(proxies),
      ownRequests,
      clock: { now: () => 0, sleep: () => Promise.resolve() },
    }),
  );
const ask = (settings: object = {}, world?: World) =>
  make(settings, world).evaluate(windowOf({ blue: 99, green: 1 }));

test('asks the slot that gains by its preview, and passes', async () => {
  const result = await ask(
    { paths: ['/healthz?deep=1', '/'], count: 2 },
    {
      preview: { url: `${plain}/shop`, headers: { 'x-slot': { env: 'SLOT' }, Cookie: 'slot=green' } },
      env: { SLOT: 'green-7' },
    },
  );
  expect(result).toMatchObject({
    status: 'pass',
    reason: expect.stringMatching(/^green: 4 requests as expected/),
  });
  expect(received.map(({ url }) => url).sort()).toEqual([
    '/shop/',
    '/shop/',
    '/shop/healthz?deep=1',
    '/shop/healthz?deep=1',
  ]);
  expect(received[0]).toMatchObject({
    method: 'GET',
    headers: { 'x-slot': 'green-7', cookie: 'slot=green', 'user-agent': 'cluster-canary', accept: '*/*' },
  });
});

test('sends what it is told to; a cookie goes with that of the preview, whose headers win', async () => {
  await ask(
    {
      method: 'POST',
      body: '{"a":1}',
      headers: {
        Authorization: { file: '/token' },
        cookie: 'user=1',
        'X-Slot': 'blue',
        Accept: 'text/plain',
      },
    },
    {
      preview: { url: plain, headers: { 'x-slot': 'green', Cookie: 'slot=green' } },
      files: { '/token': 'Bearer hunter2\n' },
    },
  );
  expect(received).toEqual([
    expect.objectContaining({
      method: 'POST',
      body: '{"a":1}',
      headers: expect.objectContaining({
        authorization: 'Bearer hunter2',
        cookie: 'slot=green; user=1',
        'x-slot': 'green',
        accept: 'text/plain',
      }),
    }),
  ]);
});

test('what goes through the load balancer is told from visitors, and a failure from an answer', async () => {
  await ask({ paths: ['/a', '/b'], count: 3 });
  expect(ownRequests.all).toEqual([{ slot: 'green', at: 0, requests: 6, errors: 0, slow: 0 }]);
  reply = () => ({ status: 503 });
  await ask({});
  expect(ownRequests.all).toMatchObject([{ slot: 'green', requests: 7, errors: 1 }]);
  // Figures from before it are as good as they were.
  expect(ownRequests.since).toBeUndefined();
});

test('what goes straight to the slot is in no figures of the load balancer', async () => {
  await ask({ urls: { blue: plain, green: plain } });
  expect(received).toHaveLength(1);
  expect(ownRequests.all).toEqual([]);
});

test('an address of its own has none of the headers of the preview', async () => {
  await ask(
    { urls: { green: plain } },
    { preview: { url: 'http://127.0.0.1:1', headers: { 'x-slot': 'green' } } },
  );
  expect(received[0]!.headers['x-slot']).toBeUndefined();
});

test('names what was asked, what was expected and what came, and nothing of bodies and queries', async () => {
  reply = (path, number) => ({
    status: path.startsWith('/healthz') && number % 2 ? 503 : 200,
    text: 'body-7',
  });
  const result = await ask({ paths: ['/healthz?id=query-7'], count: 4, status: [200] });
  expect([result.status, result.reason]).toEqual(['fail', 'green: GET /healthz: 503, expected 200 (2 of 4)']);
});

test.each<[string, ReturnType<typeof reply>, object, RegExp]>([
  ['a connection that is cut', 'cut', {}, /GET \/healthz: .*(ended|reset).* \(1 of 1\)$/],
  ['no answer', 'hang', { timeout: '30ms' }, /no answer within 0\.03 s \(1 of 1\)$/],
  ['too long an answer', { text: 'x'.repeat(1_100_000) }, {}, /longer than 1048576 bytes/],
  ['another text', { text: 'fine' }, { text: 'ok' }, /200 without the text "ok"/],
  ['another value', { text: '{"a":1}' }, { json: { pointer: '/a', equals: 2 } }, /its value at \/a is not 2/],
])('%s counts against the slot', async (_name, said, settings, expected) => {
  reply = () => said;
  const result = await ask(settings);
  expect([result.status, result.reason]).toEqual(['fail', expect.stringMatching(expected)]);
});

test('so does a port that nothing listens at', async () => {
  const preview = { url: 'http://127.0.0.1:1' };
  expect(await ask({}, { preview })).toMatchObject({
    status: 'fail',
    reason: 'green: GET /healthz: connection refused (1 of 1)',
  });
});

test('a proxy that refuses, and a name that there is not, are no answer of the slot', async () => {
  const proxies = { HTTPS_PROXY: plain, HTTP_PROXY: 'http://user:hunter2@127.0.0.1:1' };
  reply = () => ({ status: 403 });
  for (const url of ['https://slot.example.com', 'http://slot.example.com']) {
    const failed = ask({}, { preview: { url }, proxies });
    await expect(failed).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringMatching(/^green: GET \/healthz: .*proxy/),
    });
    await expect(failed).rejects.not.toThrow('hunter2');
  }
  const unknown = ask({}, { preview: { url: 'http://slot.invalid' } });
  await expect(unknown).rejects.toMatchObject({
    name: 'SourceError',
    message: expect.stringMatching(/^green: GET \/healthz: the name of the host/),
  });
});

test('certificates are verified, by an authority of their own where that is given', async () => {
  const preview = { url: tls };
  expect(await ask({}, { preview })).toMatchObject({
    status: 'fail',
    reason: expect.stringMatching(/certificate/),
  });
  const files = { '/ca': authority.certificate };
  expect(await ask({ caFile: '/ca' }, { preview, files })).toMatchObject({ status: 'pass' });
  await expect(ask({ caFile: '/none' }, { preview, files })).rejects.toMatchObject({
    name: 'SourceError',
    message: expect.stringMatching(/^the file \/none can't be read/),
  });
});

describe('redirects', () => {
  test('are answers, unless they are to be followed', async () => {
    reply = (path) => (path === '/healthz' ? { status: 302, location: '/login' } : {});
    expect(await ask()).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(/302, expected 200-299/),
    });
    expect(received).toHaveLength(1);
    expect(await ask({ status: [302] })).toMatchObject({ status: 'pass' });
    expect(await ask({ redirects: 1, headers: { 'x-a': 'b' } })).toMatchObject({ status: 'pass' });
    expect(received.at(-1)).toMatchObject({ url: '/login', headers: { 'x-a': 'b' } });
  });

  test('do not choose a login', async () => {
    reply = (path) =>
      path === '/healthz' ? { status: 302, location: plain.replace('//', '//user:hunter2@') + '/b' } : {};
    expect(await ask({ redirects: 1 })).toMatchObject({ status: 'pass' });
    expect(received.at(-1)!.url).toBe('/b');
    expect(received.at(-1)!.headers.authorization).toBeUndefined();
  });

  test('lead to no other origin, and to no end', async () => {
    reply = () => ({ status: 307, location: `${tls}/elsewhere` });
    const headers = { 'X-Login': { env: 'LOGIN' } };
    expect(
      await ask({ redirects: 3, headers }, { preview: { url: plain }, env: { LOGIN: 'hunter2' } }),
    ).toMatchObject({
      status: 'fail',
      reason: 'green: GET /healthz: 307, a redirect to another origin, which is not followed (1 of 1)',
    });
    expect(received).toHaveLength(1);
    reply = () => ({ status: 308, location: '/again' });
    expect(await ask({ redirects: 3 })).toMatchObject({
      reason: expect.stringMatching(/more than 3 redirects/),
    });
    expect(received).toHaveLength(5);
  });

  test.each([
    [303, 'GET', ''],
    [302, 'GET', ''],
    [307, 'POST', 'a'],
  ])('a form after %d is sent as %s', async (status, method, body) => {
    reply = (_path, number) => (number === 1 ? { status, location: '/done' } : {});
    await ask({ method: 'POST', body: 'a', redirects: 1 });
    expect(received[1]).toMatchObject({ url: '/done', method, body });
  });
});

test('a secret that is not there is named by its place', async () => {
  const settings = { headers: { Authorization: { env: 'LOGIN' } } };
  await expect(ask(settings)).rejects.toMatchObject({
    name: 'SourceError',
    message: expect.stringMatching(/the header Authorization is not there: the variable LOGIN/),
  });
  await expect(ask(settings, { env: { LOGIN: 'a\nhunter2' } })).rejects.toThrow(
    /a character that no header may have/,
  );
  await expect(ask(settings, { env: { LOGIN: 'a\nhunter2' } })).rejects.not.toThrow('hunter2');
  expect(received).toEqual([]);
});

describe('a secret of one slot that is not there', () => {
  const slots = {
    blue: { preview: { url: 'http://127.0.0.1:1' } },
    green: { preview: { url: 'http://127.0.0.1:1' } },
    teal: { preview: { url: 'https://slot.example.com', headers: { 'x-slot': { env: 'TEAL' } } } },
    red: { preview: { url: 'http://slot.invalid' } },
  };
  const askAll = (urls: object, gaining: Readonly<Record<string, number>>) =>
    http.kind
      .create(
        'http',
        { paths: ['/healthz'], count: 1, urls } as never,
        contextOf({
          ...{ subject: { layer: 'http', slots }, env: {}, sendProbe: probeSender({}), ownRequests },
          clock: { now: () => 0, sleep: () => Promise.resolve() },
        }),
      )
      .evaluate(
        windowOf({ blue: 97, ...gaining }, undefined, {
          origin: { blue: 100, ...Object.fromEntries(Object.keys(gaining).map((slot) => [slot, 0])) },
        }),
      );

  test('hides no failure of another one: both are said', async () => {
    expect(await askAll({}, { green: 1, teal: 1 })).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(
        /^green: GET \/healthz: connection refused \(1 of 1\); teal: the header x-slot of the preview: the variable TEAL is not set/,
      ),
    });
  });

  test('lets nothing pass, and each slot of which nothing is known is named', async () => {
    await expect(askAll({ green: plain }, { green: 1, teal: 1, red: 1 })).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringMatching(
        /^teal: the header x-slot .*; red: GET \/healthz: the name of the host is not known/,
      ),
    });
    expect(received).toHaveLength(1);
  });
});

test('an interrupt ends it', async () => {
  reply = () => 'hang';
  const interrupt = new AbortController();
  const answer = make({ count: 3 }).evaluate(windowOf({ blue: 99, green: 1 }), interrupt.signal);
  setTimeout(() => interrupt.abort(new Error('interrupted')), 20);
  await expect(answer).rejects.toThrow('interrupted');
});

test('a slot that nothing leads to is refused', () => {
  const create = () => http.kind.create('http', { paths: ['/'] }, contextOf({ subject: subjectOf() }));
  expect(create).toThrow(InvalidInput);
  expect(create).toThrow(/slots\.green\.preview: .*"urls" of the check/);
});

const problems = (args: object, preview: SlotPreview = { url: 'https://a.example.com' }) =>
  settingsProblems(
    http.kind,
    { paths: ['/'], ...args },
    {
      layer: 'http',
      slots: { blue: { preview }, green: { preview } },
    },
  ).map((each) => formatProblem(each));

test.each<[object, RegExp]>([
  [{ paths: [] }, /^paths: .*at least one/],
  [{ paths: ['healthz'] }, /^paths\[0\]: .*begins with "\/"/],
  [{ paths: ['/?token=hunter2'] }, /^paths\[0\]: .*without a secret in its query/],
  [{ body: 'x' }, /^body: conflicts with method: GET/],
  [{ method: 'HEAD', text: 'x' }, /^text: conflicts with method: HEAD/],
  [{ status: ['2xx'] }, /^status\[0\]: .*range/],
  [{ json: { pointer: 'a', equals: 1 } }, /^json\.pointer: .*JSON Pointer/],
  [{ json: { pointer: '/a', equals: [] } }, /^json\.equals: .*a text, a number/],
  [{ maxSlow: 0.1 }, /^maxSlow: .*without "slowAbove"/],
  [{ count: 100 }, /^count: .*at most 50s/],
  [{ headers: { Authorization: 'Bearer hunter2' } }, /^headers\.Authorization: .*\{ env: "NAME" \}/],
  [{ headers: { Host: 'a' } }, /^headers\.Host: .*Host/],
  [{ urls: { red: 'https://a' } }, /^urls\.red: .*the slots are blue, green/],
  [{ urls: { blue: 'https://me:hunter2@a' } }, /^urls\.blue: .*without a login/],
])('%j is refused', (args, expected) => {
  const found = problems(args);
  expect(found).toEqual([expect.stringMatching(expected)]);
  expect(found.join()).not.toContain('hunter2');
});

test('a secret goes over TLS, or stays on this machine', () => {
  const headers = { Authorization: { env: 'LOGIN' } };
  expect(problems({ headers }, { url: 'http://127.0.0.1:8080' })).toEqual([]);
  expect(problems({ headers })).toEqual([]);
  expect(problems({ headers }, { url: 'http://a.example.com' })).toEqual([
    expect.stringMatching(/^headers\.Authorization: .*https:\/\//),
  ]);
  expect(problems({ headers, urls: { blue: 'http://a.example.com' } })).toHaveLength(1);
});

test('a secret goes to no open address of a slot whose name every object has a key of', () => {
  const slots = { constructor: { preview: { url: 'http://a.example.com' } } };
  const args = { paths: ['/'], headers: { Authorization: { env: 'LOGIN' } }, urls: {} };
  expect(settingsProblems(http.kind, args, { layer: 'http', slots })).toMatchObject([
    { path: 'headers.Authorization' },
  ]);
});

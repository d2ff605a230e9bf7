import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesApi } from '../../../lib/core/kubernetes/api';
import { ApiClient } from '../../../lib/core/kubernetes/client';
import { execCredential } from '../../../lib/core/kubernetes/credentials';
import { isKubernetesError } from '../../../lib/core/kubernetes/errors';
import { answerProblem, ListReader } from '../../../lib/core/kubernetes/lists';
import { openKubernetes } from '../../../lib/core/kubernetes/open';
import { RequestSender } from '../../../lib/core/kubernetes/requests';
import { httpsTransport } from '../../../lib/core/kubernetes/transport';
import { kubeconfigOf, plainServer } from './plain-server';
import type { PlainServer } from './plain-server';

const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-limits-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pods = { apiVersion: 'v1', kind: 'Pod' };
const discovery = JSON.stringify({ resources: [{ name: 'pods', kind: 'Pod', namespaced: true }] });

let server: PlainServer;
let api: KubernetesApi;
afterEach(async () => {
  api.close();
  await server.stop();
});

/** Answers what discovery does not. */
async function serve(listener: RequestListener): Promise<void> {
  server = await plainServer((request, response) =>
    request.url === '/api/v1' ? void response.end(discovery) : listener(request, response),
  );
  api = await openKubernetes(
    { kubeconfigText: kubeconfigOf(server.port) },
    { timeout: 20_000, attempts: 2, pause: 1 },
  );
}

async function failed(call: Promise<unknown>): Promise<Error> {
  const error: unknown = await call.catch((each: unknown) => each);
  expect(isKubernetesError(error, 'faulty')).toBe(true);
  return error as Error;
}

test('an answer without an end is given up at its limit, and not asked for again', async () => {
  let [asked, written] = [0, 0];
  const part = Buffer.alloc(1_048_576, 0x20);
  await serve((_request, response) => {
    asked += 1;
    const write = (): void => {
      while (!response.destroyed && response.write(part)) {
        written += part.length;
      }
      written += part.length;
    };
    response.on('drain', write);
    write();
  });
  const { message } = await failed(api.list(pods));
  expect(message).toMatch(/list pods: the answer is longer than 268435456 bytes$/);
  expect(asked).toBe(1);
  expect(written).toBeLessThan(600_000_000);
});

test('a log has the limit that was asked for', async () => {
  await serve((_request, response) => void response.end('x'.repeat(1_000_000)));
  const logs = api as unknown as { podLog(options: object): Promise<string> };
  await failed(logs.podLog({ namespace: 'a', pod: 'b', limitBytes: 1_000 }));
  expect(await logs.podLog({ namespace: 'a', pod: 'b' })).toHaveLength(1_000_000);
});

test('the same next page again, and pages without an end', async () => {
  let asked = 0;
  await serve((_request, response) => {
    asked += 1;
    response.end(JSON.stringify({ items: [], metadata: { continue: 'again' } }));
  });
  expect((await failed(api.list(pods))).message).toMatch(/the list names the same next page again$/);
  expect(asked).toBe(2);
  api.close();
  await server.stop();
  asked = 0;
  await serve((_request, response) => {
    asked += 1;
    response.end(JSON.stringify({ items: null, metadata: { continue: `page ${asked}` } }));
  });
  expect((await failed(api.list(pods))).message).toMatch(/the list did not end within 5000 pages$/);
  expect(asked).toBe(5_000);
});

test.each([
  ['depth', `{"items":${'['.repeat(100_000)}`, /nests deeper than 500 levels/],
  ['depth in objects', `{"items":[],"a":${'{"a":'.repeat(600)}1${'}'.repeat(600)}}`, /nests deeper/],
  ['a list of numbers', '{"items":[1]}', /an item of the list is no object/],
  ['items without metadata', '{"items":[{}]}', /an item of the list is no object/],
  ['a next page that is no text', '{"items":[],"metadata":{"continue":{}}}', /something that is no text/],
])('a list of %s', async (_name, text, message) => {
  await serve((_request, response) => void response.end(text));
  expect((await failed(api.list(pods))).message).toMatch(message);
});

test('an answer that is no object, and a change of the protocol', async () => {
  await serve((_request, response) => void response.end('17'));
  await failed(api.get({ ...pods, metadata: { name: 'a' } }));
  api.close();
  await server.stop();
  await serve((_request, response) => {
    response.writeHead(101, { connection: 'upgrade', upgrade: 'x' });
    response.end();
  });
  await expect(api.list(pods)).rejects.toMatchObject({ reason: 'unreachable' });
});

const discovering = async (said: unknown, status = 200) => {
  server = await plainServer(
    (_request, response) => void response.writeHead(status).end(JSON.stringify(said)),
  );
  api = await openKubernetes({ kubeconfigText: kubeconfigOf(server.port) }, { attempts: 1 });
};

describe('discovery that answers what no API server does', () => {
  const none = /get \/api\/v1: there is no core API; is this an API server\?$/;
  test.each<[unknown, number, RegExp]>([
    [null, 200, /get \/api\/v1: the answer is no list of resources; is this an API server\?$/],
    [[], 200, /no list of resources/],
    [{ resources: 'all' }, 200, /no list of resources/],
    [{ resources: [{ kind: 'Pod', name: 'pods' }, 1] }, 200, /lists what is no resource/],
    [{ resources: [{ kind: 2, name: 'pods' }] }, 200, /lists what is no resource/],
    [{ resources: null }, 200, none],
    [{ resources: [] }, 200, none],
    [{ message: 'no such page' }, 404, none],
  ])('%j with status %d', async (said, status, message) => {
    await discovering(said, status);
    expect((await failed(api.list(pods))).message).toMatch(message);
  });

  test.each([
    [
      'another kind of the core API',
      { ...pods, kind: 'Nothing' },
      { resources: [{ kind: 'Pod', name: 'pods' }] },
    ],
    ['a group without resources', { apiVersion: 'example.com/v1', kind: 'Thing' }, { resources: null }],
  ])('%s is only not there', async (_, kind, said) => {
    await discovering(said);
    await expect(api.list(kind)).rejects.toMatchObject({ reason: 'unsupported' });
  });
});

describe('without a server', () => {
  beforeEach(() => serve((_request, response) => void response.end('{}')));

  test('a header that can not be sent is an error of the credentials’ owner, and nothing crashes', async () => {
    const access = { server: `http://127.0.0.1:${server.port}`, user: {} };
    const transport = httpsTransport(access);
    const credentials = {
      current: () => Promise.resolve({ headers: { authorization: 'Bearer a\nb' } }),
      renew: () => false,
    };
    const caller = new RequestSender(access.server, transport, credentials, {
      timeout: 1_000,
      attempts: 3,
      pause: 1,
    });
    const client = new ApiClient(caller);
    await expect(client.list(pods)).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringMatching(/the request can not be made: Invalid character in header/),
    });
    client.close();
  });

  test('limits of lists: objects, text, time', () => {
    const list = (now?: () => number): ListReader => new ListReader(pods, 'x', now);
    const items = Array.from({ length: 250_001 }, () => ({ metadata: {} }));
    expect(() => list().add({ items: items.slice(1) }, 1)).not.toThrow();
    expect(() => list().add({ items }, 1)).toThrow('more than 250000 objects');
    const next = { items: [], metadata: { continue: 'a' } };
    expect(() => list().add(next, 2 ** 30)).toThrow('did not end within 1073741824 characters');
    const times = [0, 600_000];
    expect(() => list(() => times.shift()!).add(next, 1)).toThrow('did not end within 600 seconds');
  });

  test.each([
    ['{"a":"[[[\\"{{{","b":[1,2]}', undefined],
    [`"${'['.repeat(1_000)}"`, undefined],
    [`"${'\\\\'.repeat(1_000)}"`, undefined],
    [`["\\\\",${'['.repeat(500)}`, 'nests deeper than 500 levels'],
    [`["\\\\\\"",${'['.repeat(500)}`, 'nests deeper than 500 levels'],
    [`[${'0,'.repeat(20_000_001)}`, 'has more than 20000000 values'],
  ])('an answer is read once, texts passed over', (text, problem) => {
    expect(answerProblem(text)).toBe(problem);
  });

  test('a plugin that writes without an end is ended', async () => {
    const begun = performance.now();
    const plugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/bin/sh',
      args: ['-c', 'while :; do printf %10000s x; done'],
      env: {},
      provideClusterInfo: false,
    };
    await expect(execCredential(plugin, { server: 'https://x', user: {} })).rejects.toThrow(
      'wrote more than 1000000 bytes',
    );
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  test.each([
    ['ends with what it has started', 'sleep 20 & echo $! > PID; wait'],
    [
      'is left, where a descendant has a session of its own',
      "setsid sh -c 'echo $$ > PID; exec sleep 6' & wait",
    ],
  ])('a plugin without an end %s', async (_name, script) => {
    const folder = mkdtempSync(join(tmpdir(), 'plugin-'));
    const file = join(folder, 'pid');
    const plugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/bin/sh',
      args: ['-c', script.replace('PID', file)],
      env: {},
      provideClusterInfo: false,
    };
    const begun = performance.now();
    await expect(execCredential(plugin, { server: 'https://x', user: {} }, 500)).rejects.toThrow(
      'within 0.5 s',
    );
    expect(performance.now() - begun).toBeLessThan(5_500);
    const pid = Number(readFileSync(file, 'utf8'));
    const state = () =>
      existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '(gone) Z ';
    for (let tries = 0; !/\) Z /.test(state()) && tries < 1_000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(state()).toMatch(/\) Z /);
    rmSync(folder, { recursive: true });
  });

  test('a token in a device, in a pipe that nobody writes to, and in a file that is too long', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const [pipe, long] = [join(folder, 'pipe'), join(folder, 'long')];
    execFileSync('mkfifo', [pipe]);
    writeFileSync(long, 'x'.repeat(4_000_001));
    for (const [file, reason] of [
      ['/dev/zero', 'a device'],
      [pipe, 'a named pipe'],
      [long, 'more than 4000000 bytes'],
    ] as const) {
      const kubeconfigText = kubeconfigOf(port).replace(
        '"token":"not-shown"',
        `"tokenFile":${JSON.stringify(file)}`,
      );
      const client = await openKubernetes({ kubeconfigText });
      await expect(client.list(pods)).rejects.toMatchObject({
        reason: 'unauthenticated',
        message: expect.stringContaining(`${file}, which can't be read: ${reason}`),
      });
      client.close();
    }
    await new Promise((resolve) => other.close(resolve));
  });
});

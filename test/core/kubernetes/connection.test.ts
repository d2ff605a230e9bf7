import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execCredential } from '../../../lib/core/kubernetes/credentials';
import { openKubernetes } from '../../../lib/core/kubernetes/open';
import { ApiServer, failure } from './api-server';
import { CertificateAuthority } from '../../e2e/bench/pki';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
const encoded = (pem: string): string => Buffer.from(pem).toString('base64');

let server: ApiServer;
let folder: string;
beforeAll(async () => {
  server = await ApiServer.start();
  folder = mkdtempSync(join(tmpdir(), 'connection-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

/** Asks once, and answers the request as the server saw it. */
async function ask(user: object, cluster: object = {}, env: NodeJS.ProcessEnv = {}) {
  const api = await server.open({ attempts: 2 }, server.kubeconfig(user, cluster), env);
  try {
    await api.get(pod);
    return server.received[server.received.length - 1]!;
  } finally {
    api.close();
  }
}

/** A program that hands out what the test says, and counts its runs. */
function plugin(script: string): { command: string; runs: () => number } {
  const name = join(folder, `plugin-${Math.random().toString(36).slice(2)}`);
  writeFileSync(name, `#!/bin/sh\necho run >> ${name}.runs\n${script}\n`);
  writeFileSync(`${name}.runs`, '');
  chmodSync(name, 0o755);
  return {
    command: name,
    runs: () => readFileSync(`${name}.runs`, 'utf8').trim().split('\n').filter(Boolean).length,
  };
}
const exec = (command: string, more: object = {}): object => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    interactiveMode: 'Never',
    env: null,
    ...more,
  },
});
const handsOut = (status: object): string => `echo '${JSON.stringify({ kind: 'ExecCredential', status })}'`;

describe('credentials', () => {
  beforeEach(() => server.script({ json: {} }));

  test('a token, a file with one, a password, a client certificate', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'from-file\n');
    const { certificate, key } = await server.authority.issue({ name: 'canary' });
    expect((await ask({ token: 'abc' })).headers.authorization).toBe('Bearer abc');
    expect((await ask({ tokenFile: file, token: 'abc' })).headers.authorization).toBe('Bearer from-file');
    expect((await ask({ username: 'a', password: 'b' })).headers.authorization).toBe(
      `Basic ${encoded('a:b')}`,
    );
    const client = await ask({
      'client-certificate-data': encoded(certificate),
      'client-key-data': encoded(key),
    });
    expect(client).toMatchObject({ client: 'canary' });
    expect(client.headers.authorization).toBeUndefined();
  });

  test('impersonation goes along', async () => {
    expect((await ask({ token: 'abc', as: 'jane', 'as-groups': ['dev'] })).headers).toMatchObject({
      'impersonate-user': 'jane',
      'impersonate-group': 'dev',
    });
  });

  test('a plugin is told what is asked for, runs once for many requests, and again when its token runs out', async () => {
    const lasting = plugin(
      handsOut({ token: 'T1', expirationTimestamp: new Date(Date.now() + 3_600_000).toISOString() }),
    );
    const short = plugin(
      handsOut({ token: 'T2', expirationTimestamp: new Date(Date.now() + 30_000).toISOString() }),
    );
    for (const [each, runs, token] of [
      [lasting, 1, 'T1'],
      [short, 4, 'T2'],
    ] as const) {
      const api = await server.open({}, server.kubeconfig(exec(each.command)));
      server.script({ json: {} });
      await api.get(pod);
      await Promise.all([api.get(pod), api.get(pod)]);
      await api.get(pod);
      expect(server.received.map(({ headers }) => headers.authorization)).toEqual(
        Array(4).fill(`Bearer ${token}`),
      );
      // The two at once share a run. Discovery asks, too.
      expect(each.runs()).toBe(runs);
      api.close();
    }
    const info = join(folder, 'info');
    const curious = plugin(`printf %s "$KUBERNETES_EXEC_INFO" > ${info}; ${handsOut({ token: 'T' })}`);
    await ask(exec(curious.command, { provideClusterInfo: true }));
    expect(JSON.parse(readFileSync(info, 'utf8'))).toMatchObject({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: server.url } },
    });
  });

  test('a plugin may hand out a client certificate', async () => {
    const { certificate, key } = await server.authority.issue({ name: 'from-plugin' });
    const each = plugin(
      handsOut({ clientCertificateData: certificate, clientKeyData: key }).replaceAll('\\n', '\\\\n'),
    );
    expect((await ask(exec(each.command))).client).toBe('from-plugin');
  });

  test('a token that the server does not accept is renewed once', async () => {
    const counting = plugin(`n=$(wc -l < $0.runs); ${handsOut({ token: 'T' }).replace('"T"', `"T'$n'"`)}`);
    server.script(({ headers }) =>
      headers.authorization?.includes('T1') ? failure(401, 'Unauthorized', 'Unauthorized') : { json: {} },
    );
    expect((await ask(exec(counting.command))).headers.authorization).toMatch(/^Bearer T\s*2$/);
    server.script(failure(401, 'Unauthorized', 'Unauthorized'));
    await expect(ask(exec(counting.command))).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect(server.received).toHaveLength(2);
    server.script(failure(401, 'Unauthorized', 'Unauthorized'));
    await expect(ask({ token: 'abc' })).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect(server.received).toHaveLength(1);
  });

  test.each([
    [
      'fails',
      'echo "Unable to locate credentials" >&2; exit 255',
      /status 255: Unable to locate credentials/,
    ],
    ['says a secret on stderr', `echo "token $(printf %0100d 7)" >&2; exit 1`, /status 1: token …/],
    ['writes no JSON', 'echo top-secret', /not JSON/],
    ['hands out nothing', handsOut({}), /neither a token nor a client certificate/],
  ])('a plugin that %s', async (_name, script, message) => {
    const error: Error = await ask(exec(plugin(script).command)).catch((each) => each);
    expect(error).toMatchObject({ reason: 'unauthenticated' });
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/top-secret|0{20}/);
  });

  test('a plugin that is not installed, and one that hangs', async () => {
    await expect(ask(exec('no-such-plugin', { installHint: 'Get it there.' }))).rejects.toThrow(
      'The credential plugin "no-such-plugin" is not installed. Get it there.',
    );
    const hangs = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sleep',
      args: ['5'],
      env: {},
      provideClusterInfo: false,
    };
    await expect(execCredential(hangs, { server: server.url, user: {} }, 30)).rejects.toThrow(/0\.03 s/);
  });
});

describe('the way there', () => {
  beforeEach(() => server.script({ json: {} }));

  test('a server with another certificate is not talked to, and not asked again', async () => {
    const { certificate } = await CertificateAuthority.create('somebody-else');
    const user = { token: 'abc' };
    const other = { 'certificate-authority-data': encoded(certificate) };
    const before = Date.now();
    await expect(ask(user, other)).rejects.toThrow(/certificate|signature/);
    await expect(ask(user, { 'tls-server-name': 'other.example.com' })).rejects.toThrow(/altnames/);
    expect(Date.now() - before).toBeLessThan(1_000);
    expect(server.received).toHaveLength(0);
    await ask(user, { ...other, 'insecure-skip-tls-verify': true });
    await ask(user, { 'tls-server-name': 'localhost' });
    expect(server.received).toHaveLength(2);
  });

  test('nobody there', async () => {
    await expect(ask({}, { server: 'https://127.0.0.1:1' })).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringMatching(/127\.0\.0\.1:1.*ECONNREFUSED.*\(2 tries\)/),
    });
  });

  test('through a proxy, with all of TLS at the server itself', async () => {
    const asked: string[] = [];
    const proxy = createServer().listen(0, '127.0.0.1');
    let refuse = false;
    const sockets: Socket[] = [];
    proxy.on('connection', (socket) => sockets.push(socket));
    proxy.on('connect', (request, client) => {
      asked.push(request.url!);
      if (refuse) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      const upstream = connect(server.port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connected\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
    });
    await new Promise((resolve) => proxy.once('listening', resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { certificate, key } = await server.authority.issue({ name: 'canary' });
    const user = { 'client-certificate-data': encoded(certificate), 'client-key-data': encoded(key) };
    const named = { server: `https://api.example.com:${server.port}`, 'tls-server-name': 'localhost' };
    expect((await ask(user, { 'proxy-url': proxyUrl })).client).toBe('canary');
    expect((await ask(user, named, { HTTPS_PROXY: proxyUrl })).client).toBe('canary');
    expect(asked).toEqual([`127.0.0.1:${server.port}`, `api.example.com:${server.port}`]);
    refuse = true;
    await expect(ask(user, { 'proxy-url': proxyUrl.replace('//', '//me:hunter2@') })).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.not.stringContaining('hunter2'),
    });
    // It has handed them over, and does not close them itself.
    sockets.forEach((socket) => socket.destroy());
    proxy.close();
  });
});

describe('in a pod', () => {
  test('the service account of the pod, whose token is renewed under way', async () => {
    writeFileSync(join(folder, 'token'), 'first');
    writeFileSync(join(folder, 'namespace'), 'canary');
    writeFileSync(join(folder, 'ca.crt'), server.authority.certificate);
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(server.port) };
    const api = await openKubernetes({}, {}, { env, home: '/nowhere', serviceAccount: folder });
    server.script({ json: {} });
    await api.get(pod);
    writeFileSync(join(folder, 'token'), 'second');
    await api.get(pod);
    expect(server.received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/api/v1/namespaces/canary/pods/web', 'Bearer first'],
      ['/api/v1/namespaces/canary/pods/web', 'Bearer second'],
    ]);
    api.close();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { plainServer } from '../core/kubernetes/plain-server';
import { runGuard } from '../../lib/cli/actions/guard-clocks';
import { Kubelets } from '../operate/clocks/kubelets';

const folder = mkdtempSync(join(tmpdir(), 'guard-'));
const kubeconfig = join(folder, 'kubeconfig.json');
const world = new Kubelets([{ name: 'slow', skew: -91 }]);
let server: PlainServer;
let isDown = false;

beforeAll(async () => {
  server = await plainServer((request, response) => {
    const answer = async (): Promise<void> => {
      const path = request.url!.split('?')[0]!;
      const body = path.endsWith('/leases')
        ? { items: await world.list({ kind: 'Lease' }), metadata: {} }
        : { resources: [{ kind: 'Lease', name: 'leases', namespaced: true }] };
      response
        .writeHead(isDown ? 403 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    };
    void answer();
  }, kubeconfig);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = 0;
});

/** Runs the command until the metrics say this, and answers what it wrote and how it ended. */
async function until(text: RegExp): Promise<{ lines: string; metrics: string; status: unknown }> {
  let lines = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines += String(line);
    return true;
  });
  const flags = { port: 0, host: '127.0.0.1', limit: 5, samples: 2, interval: 10, kubeconfig };
  const ended = runGuard(flags);
  let metrics = '';
  while (!text.test(metrics)) {
    await new Promise((done) => setTimeout(done, 5));
    const port = /metrics on port (\d+)/.exec(lines)?.[1];
    metrics = port === undefined ? '' : await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  }
  process.emit('SIGTERM');
  await ended;
  return { lines, metrics, status: process.exitCode };
}

test('it offers what it has measured, and an interrupt ends it', async () => {
  const { metrics, status } = await until(/skew_seconds\{node="slow"\} -9\d/);
  expect(metrics).toMatch(/^cluster_canary_clock_last_look_timestamp_seconds \d{10}$/m);
  expect(status).toBe(130);
});

test('what it may not read is told with the right, and it goes on', async () => {
  isDown = true;
  const { lines, metrics } = await until(/failed_looks_total 1/);
  expect(lines).toMatch(/not allowed \(403\)/);
  expect(metrics).not.toMatch(/last_look_timestamp_seconds \d/);
});

test('a port that is taken ends it at once', async () => {
  const { port } = server;
  const flags = { port, host: '127.0.0.1', limit: 5, samples: 2, interval: 10, kubeconfig };
  await expect(runGuard(flags)).rejects.toMatchObject({ syscall: 'listen' });
});

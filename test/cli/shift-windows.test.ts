import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { chosenRoutes } from '../../lib/cli/actions/shift/flags';
import type { ShiftFlags } from '../../lib/cli/actions/shift/flags';
import { ProgressView } from '../../lib/cli/actions/shift/progress';
import { runRoutes } from '../../lib/cli/actions/shift/run-routes';
import { parsePlan } from '../../lib/shift/plan-file';
import { ApiServer } from '../core/kubernetes/api-server';

let hub: ApiServer;
let folder: string;
/** What the windows of the project say, after each change. */
let history: string[][];
let windows: { description: string }[];

beforeAll(async () => {
  hub = await ApiServer.start();
  folder = mkdtempSync(join(tmpdir(), 'cluster-canary-'));
  writeFileSync(join(folder, 'hub.json'), hub.kubeconfig());
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await hub.stop();
});
beforeEach(() => {
  windows = [];
  history = [];
  hub.script(({ method, body }) => {
    if (method === 'PATCH' && body.spec) {
      windows = body.spec.syncWindows ?? [];
      history.push(windows.map(({ description }) => description.replace(/^.*is running: /, '')));
    }
    return { json: { metadata: { name: 'apps', resourceVersion: '1' }, spec: { syncWindows: windows } } };
  });
});

async function shift(more: string, flags: ShiftFlags = {}): Promise<{ verdict: string; said: string }> {
  const output = new PassThrough();
  const said: string[] = [];
  output.on('data', (data: Buffer) => said.push(data.toString()));
  const route = '{ router: { simulated: }, slots: { blue: , green: } }';
  const plan = parsePlan(
    `routes: { eu: ${route}, us: ${route} }
waves: [[eu, us]]
weights: { green: 100 }
shift: { step: 50, every: 5ms, checkEvery: 5ms, bake: 0s, ${more} }
syncWindow: { name: apps, hubs: [{ kubeconfig: ${join(folder, 'hub.json')}, projects: [apps] }] }
`,
    'plan.yaml',
  );
  const never = new AbortController().signal;
  const interrupts = { signal: never, kill: never, release: () => undefined };
  const view = new ProgressView(output as never);
  const { verdict } = await runRoutes(chosenRoutes(plan, flags.route), flags, interrupts, view);
  view.stop();
  return { verdict, said: said.join('') };
}

test('routes of a plan share one window, which goes when all have ended', async () => {
  expect((await shift('')).verdict).toBe('completed');
  expect(history).toEqual([['apps'], []]);
});

test('a route that runs alone has its own', async () => {
  await shift('pause: [50]', { route: 'eu', toPause: true });
  await shift('', { route: 'us' });
  expect(history).toEqual([['apps/eu'], ['apps/eu', 'apps/us'], ['apps/eu']]);
});

test('a shift that is held keeps it, and says so; one that is taken back later ends it', async () => {
  const { verdict, said } = await shift('pause: [50]');
  expect(verdict).toBe('held');
  expect(said).toMatch(/sync window: automated rollouts wait on/);
  expect(history).toEqual([['apps']]);
  await shift('', { rollBack: 'it was asked for' });
  expect(history).toEqual([['apps'], []]);
});

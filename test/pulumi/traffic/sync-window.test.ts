import { problemsOf } from '../../../lib/core/validation/schema';
import type { KeptWindow } from '../../../lib/operate/argocd';
import { syncWindowArgsSchema, withoutSyncWindow } from '../../../lib/pulumi/traffic/argocd';
import { ApiServer } from '../../core/kubernetes/api-server';
import { shiftWith } from './shift/hub-shift';

const foreign = { kind: 'deny', schedule: '0 1 * * *', duration: '1h', applications: ['*'] };

let hub: ApiServer;
let windows: any[] | undefined;
/** Kinds of the windows after each write. */
let history: string[];

beforeAll(async () => {
  hub = await ApiServer.start();
});
afterAll(() => hub.stop());
beforeEach(() => {
  windows = [foreign];
  history = [];
  hub.script(({ method, path, body }) => {
    if (method === 'PATCH' && body.spec) {
      windows = body.spec.syncWindows;
      history.push((windows ?? []).map(({ description = 'foreign' }) => description).join(', '));
    }
    return path.endsWith('/appprojects/apps')
      ? { json: { metadata: { name: 'apps', resourceVersion: '1' }, spec: { syncWindows: windows } } }
      : { json: {} };
  });
});

const window = (kubeconfigText = hub.kubeconfig()): KeptWindow => ({
  name: 'shop/prod: apps',
  hubs: [{ kubeconfigText, projects: ['apps'] }],
});
const own = 'cluster-canary: a cluster shift is running: shop/prod: apps';
const keeping = (kept = window()) => ({ window: () => Promise.resolve(kept) });

test('a shift keeps the window of a project from its first step to its end', async () => {
  const { lines, weights } = await shiftWith(keeping());
  expect(Object.values(weights as object)).toEqual([0, 100]);
  expect(history).toEqual([`foreign, ${own}`, 'foreign']);
  expect(lines).toEqual([]);
});

test('one that is held keeps it, and the next one takes it away', async () => {
  const held = await shiftWith(keeping(), { settings: { pause: [10] } });
  expect(held.error).toBeDefined();
  expect(history).toEqual([`foreign, ${own}`]);
  expect(held.lines).toEqual([expect.stringMatching(/^sync window: automated rollouts wait on/)]);
  await shiftWith(keeping());
  expect(windows).toEqual([foreign]);
});

test('where none is due, what a killed one has left is taken away, and nothing else', async () => {
  windows = [
    { ...foreign, description: own },
    { ...foreign, description: `${own}-2` },
  ];
  await withoutSyncWindow(window(), () => undefined);
  expect(windows).toEqual([{ ...foreign, description: `${own}-2` }]);
  await withoutSyncWindow(window(), () => undefined);
  expect(history).toHaveLength(1);
});

test('a hub that refuses is told of, and stops no shift', async () => {
  hub.script({
    status: 403,
    json: { kind: 'Status', reason: 'Forbidden', message: 'not allowed', code: 403 },
  });
  const { lines, weights } = await shiftWith(keeping());
  expect(Object.values(weights as object)).toEqual([0, 100]);
  expect(lines[0]).toMatch(/^sync window: hub .*AppProject apps: .*not allowed.*do not wait for the shift$/);
});

test('wrong values are told, and a kubeconfig is never shown', () => {
  const kubeconfig = 'secret';
  expect(
    problemsOf(syncWindowArgsSchema, { hubs: [{ kubeconfig, projects: ['apps'] }], lasts: '2h' }),
  ).toEqual([]);
  const wrong = problemsOf(syncWindowArgsSchema, {
    hubs: [{ kubeconfig, namespace: 'No', projects: [] }, { projects: ['A'] } as never],
    clusters: [''],
    lasts: '1m',
  });
  expect(wrong.map(({ path }) => path)).toEqual([
    'hubs[0].namespace',
    'hubs[0].projects',
    'hubs[1].kubeconfig',
    'hubs[1].projects[0]',
    'clusters[0]',
    'lasts',
  ]);
  expect(JSON.stringify(wrong)).not.toContain(kubeconfig);
  expect(problemsOf(syncWindowArgsSchema, { hubs: kubeconfig as never })).toEqual([
    { path: 'hubs', steps: ['hubs'], allowed: 'at least one hub, with its kubeconfig and projects' },
  ]);
});

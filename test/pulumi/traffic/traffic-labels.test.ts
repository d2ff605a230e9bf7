import { object } from '../../../lib/core/validation/collections';
import { problemsOf } from '../../../lib/core/validation/schema';
import type { KnownTrafficLabels } from '../../../lib/pulumi/traffic/argocd';
import { labelLiveWeights, trafficLabelsSchema } from '../../../lib/pulumi/traffic/argocd';
import { ApiServer } from '../../core/kubernetes/api-server';
import { shiftWith } from './shift/hub-shift';

let hub: ApiServer;
/** Labels of each slot's cluster Secret, and every state that they were in. */
let secrets: Record<string, Record<string, string>>;
let history: string[];

const own = (slot: string): Record<string, string> => ({
  'cluster-canary/fleet': 'apps',
  'cluster-canary/slot': slot,
});
const secretOf = (slot: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `apps-${slot}`, namespace: 'argocd', uid: slot, labels: secrets[slot] },
});
const shown = (): string =>
  Object.values(secrets)
    .map((labels) => `${labels['cluster-canary/traffic']}${labels['cluster-canary/active'] ? '*' : ''}`)
    .join(' ');

beforeAll(async () => {
  hub = await ApiServer.start();
});
afterAll(() => hub.stop());
beforeEach(() => {
  secrets = { blue: own('blue'), green: own('green') };
  history = [];
  hub.script(({ method, path, body }) => {
    const slot = /apps-(\w+)$/.exec(path)?.[1];
    if (method === 'PATCH' && slot !== undefined) {
      secrets[slot] = { ...own(slot), ...body.metadata.labels };
      history.push(shown());
      return { json: secretOf(slot) };
    }
    return { json: { kind: 'SecretList', items: Object.keys(secrets).map(secretOf) } };
  });
});

const labels = (kubeconfig = hub.kubeconfig()): KnownTrafficLabels => ({
  fleet: 'apps',
  hubs: [{ kubeconfig }],
});

const shiftTelling = (known = labels()) => shiftWith({ labels: () => Promise.resolve(known) });

test('a shift keeps the labels, and the active one moves at its end, never on two slots', async () => {
  await labelLiveWeights(labels(), () => undefined, { blue: 100, green: 0 });
  expect(shown()).toBe('live* standby');
  const { traffic } = await shiftTelling();
  expect(shown()).toBe('standby live*');
  // Nothing has to be asked again at the end of the update.
  expect(traffic.hubsTold).toBe(true);
  expect(history).toContain('live* canary');
  expect(history.filter((state) => state.split('*').length > 2)).toEqual([]);
});

test('what is as it should be is not written again', async () => {
  await labelLiveWeights(labels(), () => undefined, { blue: 100, green: 0 });
  const before = history.length;
  await labelLiveWeights(labels(), () => undefined, { blue: 100, green: 0 });
  expect(history).toHaveLength(before);
});

test('a hub that refuses is told of, and stops no shift', async () => {
  hub.script({
    status: 403,
    json: { kind: 'Status', reason: 'Forbidden', message: 'not allowed', code: 403 },
  });
  const { lines, weights, traffic } = await shiftTelling();
  expect(traffic.hubsTold).toBe(false);
  expect(Object.values(weights as object)).toEqual([0, 100]);
  expect(lines.join('\n')).toMatch(/labels: hub .*not allowed/);
});

test('wrong values are told, and a kubeconfig is never shown', () => {
  const kubeconfig = 'secret';
  const trafficLabelsProblems = (labels: unknown) =>
    problemsOf(object({ labels: trafficLabelsSchema }), { labels });
  expect(trafficLabelsProblems({ hubs: [{ kubeconfig, namespace: 'argocd' }] })).toEqual([]);
  const wrong = trafficLabelsProblems({ hubs: [{ kubeconfig, namespace: 'No' }, {}] });
  expect(wrong.map(({ path }) => path)).toEqual(['labels.hubs[0].namespace', 'labels.hubs[1].kubeconfig']);
  expect(JSON.stringify(wrong)).not.toContain(kubeconfig);
  for (const hubs of [[], { kubeconfig }]) {
    expect(trafficLabelsProblems({ hubs })).toEqual([
      { path: 'labels.hubs', steps: ['labels', 'hubs'], allowed: 'at least one hub, with its kubeconfig' },
    ]);
  }
});

import { EventEmitter } from 'node:events';
import type { KnownTrafficLabels } from '../../lib/traffic/traffic-labels';
import { labelLiveWeights, trafficLabelsProblems } from '../../lib/traffic/traffic-labels';
import { listenerRules } from '../../lib/traffic/shift/elb-kinds';
import { ruleTag } from '../../lib/traffic/shift/rule-identity';
import { TrafficShift } from '../../lib/traffic/shift/traffic-shift';
import { ApiServer } from '../kubernetes/api-server';
import { FakeLoadBalancer, fakeClock, groupArn, listenerArn, ruleArn } from './shift/fake-load-balancer';

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

/** Runs a shift from blue to green, and says what it logs. */
async function shiftWith(known: KnownTrafficLabels): Promise<{ lines: string[]; weights: unknown }> {
  const balancer = new FakeLoadBalancer();
  const targets = { blue: groupArn('blue-web'), green: groupArn('green-web') };
  const rule = { tag: 'p/dev/web', priority: 10, targets };
  balancer.add({ id: ruleArn(1), priority: 10, tags: { [ruleTag]: rule.tag }, targets: [] });
  balancer.set(ruleArn(1), { [targets.blue]: 100, [targets.green]: 0 });
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const traffic = new TrafficShift({
    shift: () =>
      Promise.resolve({
        what: 'FleetTraffic "apps"',
        kind: listenerRules,
        rules: [rule],
        wanted: { blue: 0, green: 100 },
        clusterNames: {},
        settings: { step: [10, 50], every: '1m', bake: '1m' },
        checks: [],
        lease: 'none',
        holder: 'test',
        resumedTo: undefined,
        roleArn: undefined,
      }),
    kind: listenerRules,
    roleArn: undefined,
    parts: balancer.parts(fakeClock()),
    log: { info: () => undefined, warn: say, progress: () => undefined },
    labels: () => Promise.resolve(known),
    interrupts: new EventEmitter(),
  });
  await traffic.beforeUpdate({ tag: rule.tag, id: ruleArn(1), place: listenerArn });
  return { lines, weights: balancer.weightsOf(ruleArn(1)) };
}

test('a shift keeps the labels, and the active one moves at its end, never on two slots', async () => {
  await labelLiveWeights(labels(), () => undefined, { blue: 100, green: 0 });
  expect(shown()).toBe('live* standby');
  await shiftWith(labels());
  expect(shown()).toBe('standby live*');
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
  const { lines, weights } = await shiftWith(labels());
  expect(Object.values(weights as object)).toEqual([0, 100]);
  expect(lines.join('\n')).toMatch(/labels: hub .*not allowed/);
});

test('wrong values are told, and a kubeconfig is never shown', () => {
  const kubeconfig = 'secret';
  expect(trafficLabelsProblems(undefined)).toEqual([]);
  expect(trafficLabelsProblems({ hubs: [{ kubeconfig, namespace: 'argocd' }] })).toEqual([]);
  const wrong = trafficLabelsProblems({ hubs: [{ kubeconfig, namespace: 'No' }, {} as never] });
  expect(wrong.map(({ path }) => path)).toEqual(['labels.hubs[0].namespace', 'labels.hubs[1].kubeconfig']);
  expect(JSON.stringify(wrong)).not.toContain(kubeconfig);
  expect(trafficLabelsProblems({ hubs: [] }).map(({ path }) => path)).toEqual(['labels.hubs']);
});

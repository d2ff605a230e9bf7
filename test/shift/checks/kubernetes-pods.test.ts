import { settingsProblems } from '../../../lib/shift/checks';
import type { KubernetesSettings } from '../../../lib/core/kubernetes/access';
import type { KubernetesObject, ListOptions } from '../../../lib/core/kubernetes/api';
import { kubernetesPods } from '../../../lib/shift/checks/kubernetes-pods';
import { contextOf, subject, windowOf } from './health-samples';

const pod = (
  name: string,
  ready: boolean,
  more: { phase?: string; deleted?: boolean } = {},
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...(more.deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
  status: {
    phase: more.phase ?? 'Running',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: ready ? 'True' : 'False' },
    ],
  },
});

function cluster(pods: readonly KubernetesObject[], settings: object = {}) {
  const opened: KubernetesSettings[] = [];
  const asked: (ListOptions | undefined)[] = [];
  const check = kubernetesPods.kind.create(
    'pods',
    { namespace: 'web', labels: { app: 'podinfo', tier: '' }, ...settings },
    contextOf({
      kubernetes: (given) => {
        opened.push(given);
        return Promise.resolve({
          server: '',
          get: () => Promise.reject(new Error('not asked for')),
          list: (_kind, options) => {
            asked.push(options);
            return Promise.resolve(pods);
          },
        });
      },
    }),
  );
  return { check, opened, asked };
}

const after = (seconds: number, more = {}) =>
  windowOf({ blue: 99, green: 1 }, undefined, { from: 0, startedAt: 0, to: seconds * 1000, ...more });

test.each([
  ['all ready', [pod('a', true), pod('b', true)], 400, 'pass', /2 of 2 pods ready$/],
  [
    'one is not yet',
    [pod('a', true), pod('b', false)],
    10,
    'inconclusive',
    /1 of 2 pods ready, waiting for b/,
  ],
  ['one is not in time', [pod('a', true), pod('b', false)], 300, 'fail', /1 of 2/],
  ['none', [], 400, 'inconclusive', /no pod with these labels/],
  ['without a status', [{ ...pod('a', true), status: undefined }], 10, 'inconclusive', /0 of 1/],
  [
    'ended and leaving ones count for nothing',
    [
      pod('a', true),
      pod('b', false, { phase: 'Succeeded' }),
      pod('c', false, { phase: 'Failed' }),
      pod('d', true, { deleted: true }),
    ],
    400,
    'pass',
    /1 of 1/,
  ],
  ['only ended ones', [pod('b', true, { phase: 'Succeeded' })], 400, 'inconclusive', /no pod/],
])('%s', async (_name, pods, seconds, status, reason) => {
  const result = await cluster(pods).check.evaluate(after(seconds));
  expect(result.status).toBe(status);
  expect(result.reason).toMatch(reason);
});

test('the time begins with the last change of the weights, and anew in a run that goes on after a kill', async () => {
  const { check } = cluster([pod('a', false)], { timeout: '1m' });
  expect((await check.evaluate(after(100, { from: 50_000 }))).status).toBe('inconclusive');
  expect((await check.evaluate(after(110, { from: 50_000 }))).status).toBe('fail');
  expect((await check.evaluate(after(110, { startedAt: 60_000 }))).status).toBe('inconclusive');
});

test('asks the cluster of the slot that gains, by its context', async () => {
  const named = cluster([pod('a', true)], { kubeconfig: '/k' });
  expect(await named.check.evaluate(after(1))).toMatchObject({
    figures: [{ name: 'ready pods', slot: 'green', value: 1, unit: 'count', min: 1 }],
  });
  expect(named.opened).toEqual([{ kubeconfig: '/k', context: 'apps-green' }]);
  expect(named.asked).toEqual([{ namespace: 'web', labelSelector: 'app=podinfo,tier=' }]);
  const other = cluster([], { contexts: { green: 'arn:aws:eks:x' } });
  await other.check.evaluate(after(1));
  expect(other.opened).toEqual([{ context: 'arn:aws:eks:x' }]);
});

describe('kubeconfigs that a program knows', () => {
  const text = (user: string) => `{"clusters":[],"users":[{"name":"${user}"}]}`;
  const paths = (args: object) =>
    settingsProblems(kubernetesPods.kind, { namespace: 'web', labels: { a: 'b' }, ...args }, subject).map(
      ({ path }) => path,
    );

  test('are those of the slots that have one', async () => {
    const own = cluster([pod('a', true)], { kubeconfigTexts: { green: text('g') }, kubeconfig: '/k' });
    await own.check.evaluate(after(1));
    expect(own.opened).toEqual([{ kubeconfigText: text('g'), context: undefined }]);
    const chosen = cluster([pod('a', true)], {
      kubeconfigTexts: { green: text('g') },
      contexts: { green: 'c' },
    });
    await chosen.check.evaluate(after(1));
    expect(chosen.opened).toEqual([{ kubeconfigText: text('g'), context: 'c' }]);
    const other = cluster([pod('a', true)], { kubeconfigTexts: { blue: text('b') }, kubeconfig: '/k' });
    await other.check.evaluate(after(1));
    expect(other.opened).toEqual([{ kubeconfig: '/k', context: 'apps-green' }]);
  });

  test('are evaluated, and shown nowhere', () => {
    expect(paths({ kubeconfigTexts: { green: text('g') } })).toEqual([]);
    expect(paths({ kubeconfigTexts: { red: text('r') } })).toEqual(['kubeconfigTexts.red']);
    const problems = settingsProblems(
      kubernetesPods.kind,
      { namespace: 'web', labels: { a: 'b' }, kubeconfigTexts: { green: 'hidden' }, kubeconfigs: 'hidden' },
      subject,
    );
    expect(problems.map(({ path }) => path)).toEqual(['kubeconfigs', 'kubeconfigTexts.green']);
    expect(JSON.stringify(problems)).not.toContain('hidden');
  });
});

test('what it takes', () => {
  const paths = (args: object) =>
    settingsProblems(kubernetesPods.kind, args as never, subject).map(({ path }) => path);
  expect(
    paths({ namespace: 'web', labels: { 'a.b/c': 'd' }, timeout: '90s', contexts: { blue: 'x' } }),
  ).toEqual([]);
  expect(paths({})).toEqual(['namespace', 'labels']);
  expect(
    paths({ namespace: 'W', labels: { 'a b': 'x' }, timeout: '0s', contexts: { red: 'x' }, timeoutSec: 300 }),
  ).toEqual(['timeoutSec', 'namespace', 'labels.a b', 'timeout', 'contexts.red']);
  expect(paths({ namespace: 'web', labels: {} })).toEqual(['labels']);
  expect(paths({ namespace: 'web', labels: { a: 'not a value' } })).toEqual(['labels.a']);
  expect(kubernetesPods.kind.access!({ namespace: 'web', labels: { a: 'b' } }, subject)).toEqual([
    {
      cluster: 'slots',
      at: [{ context: 'apps-blue' }, { context: 'apps-green' }],
      rule: { apiGroups: [''], resources: ['pods'], verbs: ['list'], namespace: 'web' },
    },
  ]);
});

describe('a pod that waits for its health as a target', () => {
  const gated = (gates: string[], containers = 'True'): KubernetesObject => ({
    ...pod('a', false),
    spec: { readinessGates: gates.map((conditionType) => ({ conditionType })) },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'ContainersReady', status: containers },
        { type: 'Ready', status: 'False' },
        { type: 'target-health.elbv2.k8s.aws/web', status: 'False' },
      ],
    },
  });
  const none = { blue: 0, green: 0 };
  const create = { live: none, wanted: { blue: 0, green: 100 }, next: { blue: 0, green: 100 } };
  test.each<[string, KubernetesObject, object, string]>([
    ['is ready for a rule that is to be created', gated(['target-health.elbv2.k8s.aws/web']), create, 'pass'],
    ['is not ready for more on a rule', gated(['target-health.elbv2.k8s.aws/web']), {}, 'inconclusive'],
    [
      'is not ready with a gate of somebody else',
      gated(['target-health.elbv2.k8s.aws/web', 'example.com/own']),
      create,
      'inconclusive',
    ],
    [
      'is not ready while its containers are not',
      gated(['target-health.elbv2.k8s.aws/web'], 'False'),
      create,
      'inconclusive',
    ],
  ])('%s', async (_what, one, window, status) => {
    expect(await cluster([one]).check.evaluate(after(10, window))).toMatchObject({ status });
  });
});

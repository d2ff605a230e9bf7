import type { Chart } from 'cdk8s';
import type { Analysis } from '../../lib/manifests/rollouts';
import { AnalysisTemplate, Rollout } from '../../lib/manifests/rollouts';
import type { SharedCheck } from '../../lib/manifests/shift-checks';
import { cloudWatch, datadog, prometheus } from '../../lib/shift/checks';
import { objectsOf } from '../manifests/argocd/synth';
import { argoRollouts } from './bench/argo-rollouts';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import type { Figures, MetricServer } from './bench/metric-server';
import { metricServer } from './bench/metric-server';

const namespace = 'shop';
const argo = 'argoproj.io/v1alpha1';
/** Quick, so that the suite is. */
const asked = { checkEvery: '1s', inconclusiveLimit: '2s' };

let plane: ControlPlane;
let metrics: MetricServer;

beforeAll(async () => {
  metrics = await metricServer();
  plane = await controlPlane();
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const secret = (name: string, stringData: object): object => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData },
  });
  await plane.apply([
    secret('prometheus', { token: 'who-asks' }),
    secret('datadog', { 'api-key': 'one', 'app-key': 'two', address: metrics.url }),
  ] as KubernetesObject[]);
  await argoRollouts(plane, {
    AWS_ENDPOINT_URL: metrics.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
});

const times = { over: '2s', period: '1s', delay: '0s', minRequests: 20 };
const errorShare = (app: string, more: object = {}): SharedCheck =>
  prometheus.errorShare({
    address: metrics.url,
    requests: `requests{app="${app}",v="{{slot}}",p="{{period}}"}`,
    errors: `errors{app="${app}",v="{{slot}}",p="{{period}}"}`,
    max: 0.02,
    ...times,
    ...more,
  });

describe('what Argo Rollouts makes of one measurement', () => {
  /** An AnalysisRun of a check, without the wait for figures. */
  const runOf = async (
    name: string,
    check: SharedCheck,
    figures: Figures,
    more: object,
  ): Promise<KubernetesObject> => {
    metrics.figures.set(name, figures);
    const [{ spec }] = objectsOf((chart) => {
      new AnalysisTemplate(chart, 'template', { name, metrics: [{ check, ...asked, ...more }] });
    });
    const [metric] = spec.metrics;
    delete metric.initialDelay;
    const args = (spec.args ?? []).map((arg: any) => (arg.valueFrom ? arg : { ...arg, value: name }));
    return plane.api.create({
      apiVersion: argo,
      kind: 'AnalysisRun',
      metadata: { name, namespace },
      spec: { metrics: [metric], args },
    });
  };
  const phaseOf = (run: KubernetesObject): Promise<string> =>
    eventually(run.metadata.name, async () => {
      const { status } = await plane.api.get(run);
      const phase = status?.phase;
      return ['Successful', 'Failed', 'Inconclusive', 'Error'].includes(phase) && phase;
    });

  const good: Figures = { requests: 100, errors: 1 };
  const counts = (app: string) => (name: string) => `sum:${name}{app:${app},v:{{slot}}}.as_count()`;
  const datadogShare = (app: string): SharedCheck => {
    const count = (name: string) => `${counts(app)(name)}.rollup(sum, {{period}})`;
    return datadog.errorShare({ requests: count('requests'), errors: count('errors'), max: 0.02 });
  };
  const value = (app: string, more: object): SharedCheck =>
    prometheus.query({ address: metrics.url, query: `value{app="${app}"}`, ...more } as never);
  const datadogSecret = { datadogSecret: { name: 'datadog', namespaced: true } };
  const alb: Figures = { RequestCount: 200, HTTPCode_Target_2XX_Count: 190, HTTPCode_Target_3XX_Count: 6 };
  const p99 = (more: object): SharedCheck =>
    cloudWatch.metric({
      namespace: 'AWS/ApplicationELB',
      metric: 'TargetResponseTime',
      stat: 'p99',
      dimensions: { TargetGroup: '{{targetGroup}}', LoadBalancer: '{{loadBalancer}}' },
      max: 0.8,
      ...more,
    });

  test.each<[string, (app: string) => SharedCheck, Figures, string, object?]>([
    ['share-within', errorShare, good, 'Successful'],
    ['share-at-bound', errorShare, { requests: 100, errors: 2 }, 'Successful'],
    ['share-above', errorShare, { requests: 100, errors: 3 }, 'Failed'],
    ['share-none-counted', errorShare, { requests: 100 }, 'Successful'],
    ['share-too-few', errorShare, { requests: 9, errors: 9 }, 'Inconclusive'],
    ['share-nobody', errorShare, {}, 'Inconclusive'],
    ['share-nobody-fine', (app) => errorShare(app, { onNoData: 'pass' }), {}, 'Successful'],
    ['share-nobody-not', (app) => errorShare(app, { onNoData: 'fail' }), {}, 'Failed'],
    ['share-no-number', errorShare, { requests: NaN, errors: NaN }, 'Inconclusive'],
    ['value-within', (app) => value(app, { min: 1, max: 2 }), { value: 2 }, 'Successful'],
    ['value-below', (app) => value(app, { min: 1, max: 2 }), { value: 0.9 }, 'Failed'],
    ['value-infinite', (app) => value(app, { max: 2 }), { value: Infinity }, 'Failed'],
    ['value-no-number', (app) => value(app, { max: 2 }), { value: NaN }, 'Inconclusive'],
    ['datadog-within', datadogShare, { requests: 100, errors: 2 }, 'Successful', datadogSecret],
    ['datadog-above', datadogShare, { requests: 100, errors: 3 }, 'Failed', datadogSecret],
    ['datadog-none-counted', datadogShare, { requests: 100 }, 'Successful', datadogSecret],
    ['datadog-too-few', datadogShare, { requests: 99, errors: 99 }, 'Inconclusive', datadogSecret],
    ['datadog-nobody', datadogShare, {}, 'Inconclusive', datadogSecret],
    ['alb-at-bound', () => cloudWatch.errorShare({ max: 0.02 }), alb, 'Successful'],
    ['alb-above', () => cloudWatch.errorShare({ max: 0.019 }), alb, 'Failed'],
    ['alb-too-few', () => cloudWatch.errorShare({ max: 0.02, minRequests: 1001 }), alb, 'Inconclusive'],
    ['alb-nobody', () => cloudWatch.errorShare({ max: 0.02 }), {}, 'Inconclusive'],
    ['p99-within', () => p99({}), { TargetResponseTime: 0.8 }, 'Successful'],
    ['p99-above', () => p99({ aggregate: 'max' }), { TargetResponseTime: 0.9 }, 'Failed'],
    ['p99-mean', () => p99({ aggregate: 'avg' }), { TargetResponseTime: 0.9 }, 'Failed'],
    ['p99-nothing', () => p99({}), {}, 'Inconclusive'],
    [
      'p99-too-few',
      () => p99({ minRequests: 10 }),
      { TargetResponseTime: 9, RequestCount: 1 },
      'Inconclusive',
    ],
  ])('%s', async (name, check, figures, phase, more = {}) => {
    const run = await runOf(name, check(name), figures, more);
    const found = await phaseOf(run);
    expect([found, (await plane.api.get(run)).status.message ?? '']).toEqual([phase, expect.any(String)]);
  });

  test('a token comes from its Secret and stands nowhere', async () => {
    const check = errorShare('token', { auth: { bearer: { env: 'OF_THE_SHIFT' } } });
    const run = await runOf('token', check, good, { authorization: { secret: 'prometheus', key: 'token' } });
    expect(await phaseOf(run)).toBe('Successful');
    const { headers } = metrics.asked.find(({ query }) => query.includes('app="token"'))!;
    expect(headers.authorization).toBe('Bearer who-asks');
    expect(JSON.stringify(await plane.api.get(run))).not.toContain('who-asks');
  });

  test('a source that fails says nothing, and is no success', async () => {
    const check = prometheus.query({
      address: `${metrics.url}/elsewhere`,
      query: 'value{app="down"}',
      max: 1,
    });
    const run = await runOf('down', check, {}, {});
    expect(await phaseOf(run)).toBe('Error');
  });
});

describe('a Rollout', () => {
  const template = (image: string, app: string) => ({
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'main', image: `registry.example.com/app:${image}` }] },
  });
  const rollout = (name: string): KubernetesObject => ({
    apiVersion: argo,
    kind: 'Rollout',
    metadata: { name, namespace },
  });
  /** A Rollout with an analysis, healthy, and then its second version. */
  const second = async (
    app: string,
    figures: Figures,
    strategy: (analysis: Analysis, chart: Chart) => ConstructorParameters<typeof Rollout>[2]['strategy'],
    more: readonly KubernetesObject[] = [],
  ): Promise<void> => {
    metrics.figures.set(app, figures);
    const objects = objectsOf((chart) => {
      const evaluated = new AnalysisTemplate(chart, 'template', {
        name: app,
        namespace,
        metrics: [{ check: errorShare(app), ...asked }],
      });
      new Rollout(chart, 'rollout', {
        ...{ name: app, namespace, replicas: 2, template: template('1', app) },
        strategy: strategy(evaluated.analysis(), chart),
      });
    });
    for (const object of [...more, ...objects]) {
      await plane.api.create(object);
    }
    await phase(app, ({ status }) => status?.phase === 'Healthy');
    await plane.api.patch(rollout(app), { spec: { template: template('2', app) } });
  };
  const phase = (app: string, holds: (found: KubernetesObject) => boolean): Promise<KubernetesObject> =>
    eventually(app, async () => {
      const found = await plane.api.get(rollout(app));
      // What stands there of an older spec says nothing.
      const isSeen = String(found['status']?.observedGeneration) === String(found.metadata['generation']);
      if (!isSeen || !holds(found)) {
        throw new Error(JSON.stringify(found.status));
      }
      return found;
    });
  const step = (analysis: Analysis) => ({ canary: { steps: [{ setWeight: 50 }, { analysis }] } });

  test('a good version is promoted, and its own pods were judged', async () => {
    await second('good', { requests: 100, errors: 0 }, step);
    const { status } = await phase(
      'good',
      (found) =>
        found.status.phase === 'Healthy' &&
        found.status.updatedReplicas === 2 &&
        found.status.stableRS === found.status.currentPodHash,
    );
    const queries = metrics.asked.filter(({ query }) => query.includes('app="good"'));
    expect(queries.length).toBeGreaterThan(0);
    expect(queries.every(({ query }) => query.includes(`v="${status.currentPodHash}"`))).toBe(true);
  });

  test('a bad one is taken back', async () => {
    await second('bad', { requests: 100, errors: 3 }, step);
    const { status } = await phase(
      'bad',
      (found) => found.status.abort === true && found.status.phase === 'Degraded',
    );
    expect(status.stableRS).not.toBe(status.currentPodHash);
    expect(status.message).toContain('bad');
  });

  test('one that too few ask for waits for a person', async () => {
    await second('few', { requests: 9, errors: 9 }, step);
    const { status } = await phase(
      'few',
      (found) => found.status.phase === 'Paused' && found.status.pauseConditions !== undefined,
    );
    expect(status.pauseConditions).toMatchObject([{ reason: 'InconclusiveAnalysisRun' }]);
    expect(status.abort).toBeFalsy();
    expect(status.stableRS).not.toBe(status.currentPodHash);
  });

  const service = (name: string, app: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: { app }, ports: [{ port: 80 }] },
  });
  const blueGreen = (app: string) => (analysis: Analysis) => ({
    blueGreen: { activeService: app, previewService: `${app}-preview`, prePromotionAnalysis: analysis },
  });
  test.each([
    ['blue-good', { requests: 100, errors: 0 }, 'Healthy'],
    ['blue-bad', { requests: 100, errors: 50 }, 'Degraded'],
  ])('before a promotion: %s', async (app, figures, wanted) => {
    await second(app, figures, blueGreen(app), [service(app, app), service(`${app}-preview`, app)]);
    const { status } = await phase(
      app,
      (found) =>
        found.status.phase === wanted &&
        (wanted !== 'Healthy' || found.status.stableRS === found.status.currentPodHash),
    );
    const { spec } = await plane.api.get(service(app, app));
    const isNew = spec.selector['rollouts-pod-template-hash'] === status.currentPodHash;
    expect(isNew).toBe(wanted === 'Healthy');
  });
});

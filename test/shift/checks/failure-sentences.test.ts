import type { HttpRequest } from '../../../lib/core/http';
import type { KubernetesObject } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { runProgram } from '../../../lib/core/process/run-program';
import type { CheckContext, CheckSettings, JobServer } from '../../../lib/shift/checks';
import * as checks from '../../../lib/shift/checks';
import { checkKinds, createChecks } from '../../../lib/shift/checks';
import type { CheckWindow, NamedResult } from '../../../lib/shift/engine';
import { failureSentence, formatResult } from '../../../lib/shift/engine';
import { readinessSubjects } from '../../../lib/core/readiness';
import type { Answers } from '../../core/readiness/eks/fake-eks';
import { FakeAws, today, wellAnswers } from '../../core/readiness/eks/fake-eks';
import { blue, evaluate as evaluateApplications, green } from './argo-samples';
import { podsOf } from './cluster-vitals/cluster-samples';
import { evaluate as evaluateVitals } from './cluster-vitals/evaluate-vitals';
import * as health from './health-samples';
import { contextOf, metricsOf, minute, start, window as anyWindow } from './metric-samples';

/** The figures of three minutes are there. */
const window: CheckWindow = { ...anyWindow, to: start + 5 * minute };

async function evaluated(
  settings: CheckSettings,
  given: Partial<CheckContext>,
  at: CheckWindow = window,
): Promise<NamedResult> {
  const [check] = createChecks([settings], contextOf(given));
  return { ...(await check!.evaluate(at)), name: check!.name };
}

/** HTTP that answers each request with JSON. */
function answers(answer: (request: HttpRequest) => unknown): Partial<CheckContext> {
  return {
    env: { DATADOG_API_KEY: 'a', DATADOG_APPLICATION_KEY: 'b' },
    http: {
      send: (request) => Promise.resolve({ status: 200, headers: {}, text: JSON.stringify(answer(request)) }),
    },
  };
}

/** Three minutes: of a thousand requests of green 30 are counted, of ten thousand of blue 10. */
const isOf = (query: string, what: string): boolean => query.includes(what);
const minutesOf = (query: string): readonly number[] => {
  const isGreen = isOf(query, 'green');
  const [all, counted] = isGreen ? [1_000, 30] : [10_000, 10];
  return [all, all, all].map((each) => (isOf(query, 'bad') ? counted : each));
};
const counting = {
  requests: 'all{{slot}}.as_count().rollup(sum, {{period}})',
  errors: 'bad{{slot}}.as_count().rollup(sum, {{period}})',
};
const ofPrometheus = answers(({ url }) => {
  const query = new URL(url).searchParams.get('query')!;
  const values = minutesOf(query).map((value, index) => [start / 1000 + 60 * (index + 1), String(value)]);
  return { status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values }] } };
});
const ofProxy = answers(() => ({
  until: start + 3 * minute,
  counts: [0, 1, 2].flatMap((index) => [
    { slot: 'blue', at: start + index * minute, requests: 10_000, errors: 10 },
    { slot: 'green', at: start + index * minute, requests: 1_000, errors: 30 },
  ]),
}));
const ofDatadog = answers(({ url }) => {
  const query = new URL(url).searchParams.get('query')!;
  const pointlist = minutesOf(query).map((value, index) => [start + minute * index, value]);
  return { status: 'ok', series: [{ interval: 60, pointlist }] };
});
const ofCloudWatch: Partial<CheckContext> = {
  metricData: () =>
    metricsOf({
      'green RequestCount': [1_000, 1_000, 1_000],
      'green HTTPCode_Target_2XX_Count': [970, 970, 970],
      'green HTTPCode_Target_5XX_Count': [30, 30, 30],
      'green TargetResponseTime TC(0.5:100000)': [300, 300, 300],
      'green TargetResponseTime SampleCount': [1_000, 1_000, 1_000],
      'blue RequestCount': [10_000, 10_000, 10_000],
      'blue HTTPCode_Target_2XX_Count': [9_990, 9_990, 9_990],
      'blue TargetResponseTime TC(0.5:100000)': [100, 100, 100],
      'blue TargetResponseTime SampleCount': [10_000, 10_000, 10_000],
    }),
};
const prometheus = { address: 'https://prometheus.example.com', ...counting };

/** A cluster whose Jobs fail at once. */
function failingJobs(): JobServer {
  const jobs = new Map<string, KubernetesObject>();
  return {
    server: 'https://cluster',
    get: ({ metadata: { name } }) =>
      jobs.has(name)
        ? Promise.resolve(jobs.get(name)!)
        : Promise.reject(new KubernetesError('notFound', 'none')),
    list: () => Promise.resolve([]),
    create: (job: KubernetesObject) => {
      const status = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };
      const made = { ...job, metadata: { ...job.metadata, uid: 'u' }, status };
      jobs.set(job.metadata.name, made);
      return Promise.resolve(made);
    },
    remove: () => Promise.resolve(),
    podLog: () => Promise.resolve(''),
  };
}

const pod = (name: string, ready: string): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
});

/** Blue's targets are all well. */
const targets = (healthy: number, unhealthy: number): Partial<CheckContext> => ({
  targetHealth: {
    targets: (arn) =>
      Promise.resolve(
        arn.includes('/blue/')
          ? Array(20).fill({ state: 'healthy' })
          : [...Array(healthy).fill({ state: 'healthy' }), ...Array(unhealthy).fill({ state: 'unhealthy' })],
      ),
  },
});

const listing = (objects: readonly KubernetesObject[]): Partial<CheckContext> => ({
  kubernetes: () =>
    Promise.resolve({
      server: 'https://cluster',
      get: () => Promise.reject(new Error('not asked for')),
      list: () => Promise.resolve(objects),
    }),
});

const from = 'green: 90 of 3,000 requests';
const ofErrors = `${from} failed (3 %), blue 0.1 %`;
const ofSlow = 'green: 900 of 3,000 requests were slow (30 %), blue 1 %';
const ofQuery = { query: 'value{{slot}}', max: 0.5 };
const unschedulable = {
  ...{ phase: 'Pending', scheduled: false, age: 900 },
  message: '0/3 nodes are available',
};
const ofEks = readinessSubjects.flatMap(({ needs, name }) => (needs === 'eks' ? name : []));
/** Blue runs 1.35 and green 1.36, which has no version of an add-on. */
const brokenAddon: Answers = {
  ...wellAnswers,
  'eks:DescribeCluster': ({ name }) => ({
    cluster: {
      ...(wellAnswers['eks:DescribeCluster']!({ name }) as any).cluster,
      version: name === 'apps-green' ? '1.36' : '1.35',
    },
  }),
  'eks:DescribeAddonVersions': () => ({ addons: [] }),
};
const gaining = health.windowOf({ blue: 90, green: 10 });
const next = health.windowOf({ blue: 90, green: 10 }, { blue: 50, green: 50 });
const late = { ...gaining, to: gaining.from + 20 * minute };

/** A failure of each kind of check, and what a person reads of it first. */
const failures: Readonly<Record<string, readonly [() => Promise<NamedResult>, string | RegExp]>> = {
  alertmanager: [
    () =>
      evaluated(
        checks.alertmanager({ address: 'https://alerts.example.com', matchers: ['severity="critical"'] }),
        answers(() => [{ labels: { alertname: 'HighErrors' } }]),
      ),
    'alertmanager: in alarm: HighErrors',
  ],
  argoApplications: [
    async () => ({
      ...(await evaluateApplications([blue, green({ health: 'Degraded' })])),
      name: 'argoApplications',
    }),
    'green: 0 of 1 Applications are Synced and Healthy: apps-green-podinfo is Synced and Degraded',
  ],
  // It never fails: where it waits for too long, its reason is quoted.
  capacity: [
    () => evaluated(checks.capacity(), targets(1, 0), next),
    /^capacity: green: 1 healthy target for 50 %, enough for 7 %: waits for more; blue had 20/,
  ],
  'cloudWatch.alarms': [
    () =>
      evaluated(checks.cloudWatch.alarms(['a', 'checkout-5xx'], { name: 'pages' }), {
        alarms: {
          alarms: () => Promise.resolve([{ name: 'checkout-5xx', state: 'ALARM' }]),
        },
      }),
    'pages: in alarm: checkout-5xx',
  ],
  'cloudWatch.comparison': [
    () => evaluated(checks.cloudWatch.comparison({ warmUp: '0s' }), ofCloudWatch),
    ofErrors,
  ],
  'cloudWatch.errorShare': [
    () => evaluated(checks.cloudWatch.errorShare({ max: 0.01 }), ofCloudWatch),
    ofErrors,
  ],
  'cloudWatch.metric': [
    () =>
      evaluated(
        checks.cloudWatch.metric({
          ...{ name: 'queue', namespace: 'Shop', metric: 'Queued', max: 100 },
          dimensions: { Cluster: '{{cluster}}' },
        }),
        { metricData: () => metricsOf({ 'Queued Average': [50, 120, 1_250] }) },
      ),
    'queue: green: 1,250 is above 100',
  ],
  'cloudWatch.slowShare': [
    () => evaluated(checks.cloudWatch.slowShare({ above: '500ms', max: 0.05 }), ofCloudWatch),
    ofSlow,
  ],
  clusterVitals: [
    async () => ({
      ...(await evaluateVitals({ green: { pods: [...podsOf(30), ...podsOf(10, unschedulable, 'new')] } })),
      name: 'clusterVitals',
    }),
    'green: 10 of 42 pods do not start (23.8 %), blue 0 %: 0/3 nodes are available',
  ],
  'datadog.comparison': [
    () => evaluated(checks.datadog.comparison({ ...counting, warmUp: '0s' }), ofDatadog),
    ofErrors,
  ],
  'datadog.errorShare': [
    () => evaluated(checks.datadog.errorShare({ ...counting, max: 0.01, period: '1m' }), ofDatadog),
    ofErrors,
  ],
  'datadog.monitor': [
    () =>
      evaluated(
        checks.datadog.monitor(42),
        answers(() => ({ overall_state: 'Alert' })),
      ),
    'datadog.monitor: in alarm: monitor 42',
  ],
  'datadog.query': [
    () => evaluated(checks.datadog.query({ name: 'p99', ...ofQuery }), ofDatadog),
    'p99: green: 1,000 is above 0.5',
  ],
  'datadog.slowShare': [
    () =>
      evaluated(
        checks.datadog.slowShare({
          ...{ requests: counting.requests, slow: counting.errors },
          ...{ max: 0.01, period: '1m' },
        }),
        ofDatadog,
      ),
    `${from} were slow (3 %), blue 0.1 %`,
  ],
  http: [
    () =>
      evaluated(
        checks.http({ paths: ['/healthz'], count: 2 }),
        { sendProbe: () => Promise.resolve({ status: 503, body: '', milliseconds: 5 } as never) },
        next,
      ),
    'green: 2 of 2 requests failed (100 %): GET /healthz: 503, expected 200-299',
  ],
  kubernetesJob: [
    () =>
      evaluated(
        checks.kubernetesJob({ namespace: 'shop', image: `smoke@sha256:${'0'.repeat(64)}` }),
        { kubernetesJobs: () => Promise.resolve(failingJobs()) },
        health.windowOf({ blue: 100, green: 0 }, { blue: 99, green: 1 }),
      ),
    /^kubernetesJob: green: Job shop\/canary-\S+ failed \(BackoffLimitExceeded\)$/,
  ],
  kubernetesPods: [
    () =>
      evaluated(
        checks.kubernetesPods({ namespace: 'web', labels: { app: 'web' } }),
        listing([pod('a', 'True'), pod('b', 'False')]),
        late,
      ),
    'green: 1 of 2 pods are ready: waiting for b',
  ],
  program: [
    () => evaluated(checks.program({ name: 'smoke', command: ['false'] }), { runProgram, env: process.env }),
    'smoke: program "false" ended with status 1',
  ],
  'httpProxy.comparison': [
    () =>
      evaluated(
        checks.httpProxy.comparison({ address: 'http://127.0.0.1:9000', period: '1m', warmUp: '0s' }),
        ofProxy,
      ),
    ofErrors,
  ],
  'prometheus.comparison': [
    () => evaluated(checks.prometheus.comparison({ ...prometheus, warmUp: '0s' }), ofPrometheus),
    ofErrors,
  ],
  'prometheus.errorShare': [
    () => evaluated(checks.prometheus.errorShare({ ...prometheus, max: 0.01 }), ofPrometheus),
    ofErrors,
  ],
  'prometheus.query': [
    () =>
      evaluated(
        checks.prometheus.query({ address: prometheus.address, name: 'p99', ...ofQuery }),
        answers(() => ({
          status: 'success',
          data: { resultType: 'vector', result: [{ metric: {}, value: [1, '0.5004'] }] },
        })),
      ),
    'p99: green: 0.5004 is above 0.5',
  ],
  'prometheus.slowShare': [
    () =>
      evaluated(
        checks.prometheus.slowShare({
          ...{ address: prometheus.address, max: 0.01 },
          ...{ requests: counting.requests, slow: counting.errors },
        }),
        ofPrometheus,
      ),
    `${from} were slow (3 %), blue 0.1 %`,
  ],
  readiness: [
    () =>
      evaluated(
        checks.readiness({ subjects: ofEks }),
        { aws: () => new FakeAws(brokenAddon).clients },
        health.windowOf({ blue: 100, green: 0 }, { blue: 99, green: 1 }, { to: today }),
      ),
    /^readiness: 1 finding before Kubernetes 1\.36: EKS10 add-on vpc-cni /,
  ],
  targetHealth: [
    () => evaluated(checks.targetHealth(), targets(3, 7), gaining),
    'green: 3 of 10 targets are healthy (30 %)',
  ],
};

test('every kind of check has a failure here: a new one says what a person reads first', () => {
  expect(Object.keys(failures).sort()).toEqual(Object.keys(checkKinds).sort());
});

test.each(Object.entries(failures))('%s', async (word, [fails, sentence]) => {
  const failed = await fails();
  const { status, reason } = failed;
  expect([status, reason]).toEqual([word === 'capacity' ? 'inconclusive' : 'fail', reason]);
  const said = failureSentence([failed]);
  expect(said).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
  expect(said).not.toMatch(/regression|chance|[.\n]$/);
  expect(formatResult(failed)).toContain(reason);
});

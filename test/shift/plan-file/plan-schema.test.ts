import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { checkKinds } from '../../../lib/shift/checks';
import { parsePlan } from '../../../lib/shift/plan-file';
import { blueArn, greenArn, plainPlan, wavesPlan } from './plans';

const schema = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'schemas', 'plan.json'), 'utf8'));
// `required` may name properties that stand beside it.
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true });
const validate = ajv.compile(schema);

function problemsOf(content: unknown): readonly string[] {
  return validate(content)
    ? []
    : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const isPlan = (content: unknown): boolean => {
  try {
    parsePlan(JSON.stringify(content), 'plan.yaml');
    return true;
  } catch {
    return false;
  }
};

const base = { router: { simulated: null }, slots: { blue: {}, green: null }, weights: { green: 100 } };
const withCheck = (check: unknown) => ({ ...base, shift: { checks: [check] } });

const secret = { env: 'KEY' };
const counts = {
  requests: 'sum:r{slot:{{slot}}}.as_count().rollup(sum, {{period}})',
  errors: 'sum:e{slot:{{slot}}}.as_count().rollup(sum, {{period}})',
  slow: 'sum:s{slot:{{slot}}}.as_count().rollup(sum, {{period}})',
};
const address = 'https://prometheus.example.com';
const { requests, errors, slow } = counts;
const image = `registry.example.com/smoke@sha256:${'0'.repeat(64)}`;

/** Settings of each kind that are fine. */
const settings: { readonly [Kind in keyof typeof checkKinds]: readonly unknown[] } = {
  targetHealth: [{}, null, { name: 'health', min: 1 }],
  capacity: [{}, { maxLoad: 1.2, follow: '3m' }],
  argoApplications: [{}, { context: 'hub', namespace: 'argocd', selector: 'team=shop', kubeconfig: '/k' }],
  clusterVitals: [
    {},
    {
      ...{ kubeconfig: '/k', contexts: { blue: 'b', green: 'g' }, vitals: ['nodes', 'dns'] },
      ...{ namespaces: ['shop'], ignore: ['ci-*'], over: '5m', grace: '2m', tolerance: 0.1, alpha: 0.05 },
    },
  ],
  kubernetesPods: [
    { namespace: 'shop', labels: { app: 'web' }, timeout: '5m', contexts: { blue: 'b', green: 'g' } },
  ],
  readiness: [
    {},
    null,
    {
      ...{ to: '1.36', subjects: ['eks-insights', 'eks-addons'], allow: ['EKS09'], failOn: 'warning' },
      ...{ mayBeUntried: ['eks-addons'], helmReleases: true, timeout: '30s', region: 'eu-west-1' },
      ...{ contexts: { blue: 'b', green: 'g' }, kubeconfig: '/k' },
    },
  ],
  http: [
    { paths: ['/healthz'] },
    {
      paths: ['/', '/api?x=1'],
      method: 'POST',
      headers: { Accept: 'text/html', Authorization: { env: 'LOGIN' }, Cookie: { file: '/cookie' } },
      body: '{}',
      status: [200, '300-399'],
      text: 'ok',
      json: { pointer: '/status', equals: null },
      count: 10,
      every: '500ms',
      timeout: '2s',
      maxFailed: 0.1,
      slowAbove: '500ms',
      maxSlow: 0.05,
      redirects: 3,
      urls: { blue: 'https://blue.example.com', green: 'https://green.example.com/shop' },
      caFile: '/ca',
      stages: ['before'],
    },
  ],
  kubernetesJob: [
    {
      namespace: 'shop',
      image,
      command: ['/smoke'],
      args: ['--fast'],
      env: { TARGET: 'http://web', TOKEN: { secret: 'smoke', key: 'token' } },
      user: 1000,
      serviceAccountName: 'smoke',
      automountServiceAccountToken: true,
      resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
      timeout: '2m',
      retries: 1,
      stages: ['before', 'after'],
      contexts: { blue: 'b', green: 'g' },
    },
    { namespace: 'shop', template: { cronJob: 'smoke' } },
    { namespace: 'shop', template: { job: 'smoke' }, kubeconfig: '/k' },
  ],
  program: [{ command: ['curl', '-f', ''], timeout: '1m', stages: ['before', 'after'] }],
  'cloudWatch.alarms': [{ names: ['too-slow'] }],
  'cloudWatch.metric': [
    {
      namespace: 'AWS/ApplicationELB',
      metric: 'TargetResponseTime',
      stat: 'p99',
      max: 1,
      dimensions: { TargetGroup: '{{targetGroup}}' },
    },
    { queries: [{ Id: 'a', Expression: '1' }], min: 0, aggregate: 'avg', delay: '1m', region: 'eu-west-1' },
  ],
  'cloudWatch.errorShare': [
    { max: 0 },
    { max: 0.01, minRequests: 200, onNoData: 'fail', over: '5m', slots: ['green'], delay: '0s' },
  ],
  'cloudWatch.slowShare': [{ max: 0.01, above: '500ms' }],
  'cloudWatch.comparison': [
    {},
    null,
    { alpha: 0.05, regression: { ratio: 1.5 }, warmUp: '0s', history: '1h', slowAbove: '1s' },
    { synthetic: { rate: 0.5, paths: ['/a?b=c'], timeout: '2s', expectedStatus: [200, 401], before: '0s' } },
  ],
  'httpProxy.comparison': [
    { address: 'http://127.0.0.1:9000' },
    {
      ...{ address: 'https://proxy.example.com/admin', token: secret, slowAbove: '250ms', period: '10s' },
      synthetic: { rate: 20, before: '2s', round: '1s' },
    },
  ],
  'datadog.monitor': [{ id: 5, site: 'datadoghq.eu', apiKey: secret, applicationKey: { file: '/key' } }],
  'datadog.query': [{ query: 'avg:x{slot:{{slot}}}', max: 1, settle: '1m' }],
  'datadog.errorShare': [{ requests, errors, max: 0.01, period: '1m' }],
  'datadog.slowShare': [{ requests, slow, max: 0.01 }],
  'datadog.comparison': [{ requests, errors, slow }],
  alertmanager: [{ address, matchers: ['severity="critical"'], heartbeat: false, caFile: '/ca' }],
  'prometheus.query': [
    { address, query: 'up', min: 1, auth: { bearer: secret }, step: '15s', aggregate: 'min' },
  ],
  'prometheus.errorShare': [
    { address, requests, errors, max: 0.01, auth: { sigV4: { region: 'eu-west-1' } } },
  ],
  'prometheus.slowShare': [
    { address, requests, slow, max: 0.01, auth: { basic: { username: 'a', password: secret } } },
  ],
  'prometheus.comparison': [
    { address, requests, errors },
    { address, requests, errors, synthetic: { inQueries: true } },
  ],
};

test.each([
  ['one router', parse(plainPlan)],
  ['waves', parse(wavesPlan)],
  ['no more than is needed', base],
  ['no settings', { ...base, shift: null }],
  [
    'every setting',
    {
      ...base,
      shift: {
        step: 10,
        firstStep: 1,
        every: '2m',
        checkEvery: '10s',
        bake: '0s',
        pause: [0, 50],
        deadline: '1h',
        inconclusiveLimit: '0',
        onFailure: { rollbackTo: 'blue' },
        onInterrupt: 'rollback',
        checks: [],
      },
      lease: 'none',
    },
  ],
  ['places', { ...base, shift: { step: [5, 50] }, lease: { ssm: null } }],
  [
    'a Lease',
    { ...base, shift: { step: 'geometric' }, lease: { kubernetes: { namespace: 'a', duration: '1m' } } },
  ],
  [
    'a preview of a slot',
    {
      ...base,
      slots: {
        blue: {},
        green: {
          preview: { url: 'https://www.example.com', headers: { 'x-slot': { env: 'PREVIEW_VALUE' } } },
        },
      },
    },
  ],
  ['labels', { ...base, labels: { fleet: 'apps', hubs: [{ kubeconfig: 'hub.yaml' }, { namespace: 'a' }] } }],
  ['a sync window', { ...base, syncWindow: { name: 'apps', hubs: [{ projects: ['apps'] }] } }],
  [
    'a sync window in full',
    {
      ...base,
      syncWindow: {
        name: 'shop: apps',
        clusters: ['apps-*'],
        lasts: '30m',
        hubs: [{ kubeconfig: 'hub.yaml', context: 'hub', namespace: 'cd', projects: ['a', 'b'] }],
      },
    },
  ],
  ['capacity by its defaults', { ...base, shift: { capacity: {} } }],
  [
    'capacity in full',
    {
      ...base,
      shift: {
        capacity: {
          ...{ scale: ['hpa', 'keda', 'replicas'], hold: 'untilBaked' },
          ...{ kubeconfig: '/k', contexts: { blue: 'b', green: 'g' } },
          services: [{ namespace: 'shop', name: 'web' }],
        },
      },
    },
  ],
  ['live weights', { ...base, router: { simulated: { live: { blue: 50, green: 50 } } } }],
  ...Object.entries(settings).flatMap(([kind, all]) =>
    all.map((one) => [`${kind} ${JSON.stringify(one)}`, withCheck({ [kind]: one })] as [string, unknown]),
  ),
])('a plan that is fine is fine to the schema: %s', (_name, content) => {
  expect(() => parsePlan(JSON.stringify(content), 'plan.yaml')).not.toThrow();
  expect(problemsOf(content)).toEqual([]);
});

test.each<[string, unknown]>([
  ['null', null],
  ['nothing', {}],
  ['an unknown key', { ...base, more: 1 }],
  ['an unknown key of a slot', { ...base, slots: { blue: { arn: blueArn }, green: { arn: greenArn } } }],
  ['one slot', { ...base, slots: { blue: {} } }],
  ['two routers', { ...base, router: { simulated: {}, albRule: {} } }],
  ['a fraction of a percent', { ...base, weights: { green: 99.5 } }],
  ['a duration without a unit', { ...base, shift: { every: '120' } }],
  ['a duration that is a number', { ...base, shift: { every: 120 } }],
  ['an unknown setting', { ...base, shift: { evrey: '2m' } }],
  ['capacity of something else', { ...base, shift: { capacity: { scale: 'vpa' } } }],
  ['capacity held for another time', { ...base, shift: { capacity: { hold: '1h' } } }],
  ['capacity with a key of its own', { ...base, shift: { capacity: { sclae: 'hpa' } } }],
  [
    'capacity of a Service without a namespace',
    { ...base, shift: { capacity: { services: [{ name: 'a' }] } } },
  ],
  ['both forms', { ...base, routes: {} }],
  ['an unknown check', withCheck({ targetHealthy: {} })],
  ['two checks in one', withCheck({ targetHealth: {}, capacity: {} })],
  ['an empty check', withCheck({})],
  ['a check without a bound', withCheck({ 'prometheus.query': { address, query: 'up' } })],
  ['a secret as text', withCheck({ 'datadog.monitor': { id: 1, apiKey: 'x' } })],
  ['an unknown lease', { ...base, lease: 'etcd' }],
  ['labels without a hub', { ...base, labels: { fleet: 'apps', hubs: [] } }],
  ['labels of no fleet', { ...base, labels: { hubs: [{}] } }],
  ['a sync window of no project', { ...base, syncWindow: { name: 'apps', hubs: [{}] } }],
  ['a sync window of nobody', { ...base, syncWindow: { hubs: [{ projects: ['apps'] }] } }],
  [
    'a sync window with no time',
    { ...base, syncWindow: { name: 'a', hubs: [{ projects: ['a'] }], lasts: 60 } },
  ],
])('a plan with a problem has one to the schema: %s', (_name, content) => {
  expect(isPlan(content)).toBe(false);
  expect(problemsOf(content).length).toBeGreaterThan(0);
});

test('the schema knows every kind of check, and no others', () => {
  expect(Object.keys(schema.$defs.check.properties).sort()).toEqual(Object.keys(checkKinds).sort());
});

import { Chart, Testing } from 'cdk8s';
import type { AnalysisTemplateProps } from '../../../lib/manifests/rollouts';
import { mergeAnalyses, AnalysisTemplate, ClusterAnalysisTemplate } from '../../../lib/manifests/rollouts';
import type { SharedCheck } from '../../../lib/manifests/shift-checks';
import { cloudWatch, datadog, prometheus, targetHealth } from '../../../lib/shift/checks';
import { errorOf, problemsOf } from '../argocd/synth';
import { flaggerOf, metricOf, templateOf } from './analysis-world';

const address = 'https://prometheus.example.com';
const share = {
  address,
  requests: 'sum(increase(requests{v="{{slot}}"}[{{period}}]))',
  errors: 'sum(increase(errors{v="{{slot}}"}[{{period}}]))',
  max: 0.02,
};
const errors = prometheus.errorShare(share);
const latency = prometheus.query({ address, query: 'p99{v="{{slot}}"}', max: 0.8, name: 'p99' });

function templateIn(chart: Chart, props: Partial<AnalysisTemplateProps> = {}): AnalysisTemplate {
  return new AnalysisTemplate(chart, 'template', { name: 'errors', metrics: [{ check: errors }], ...props });
}
const chartOf = (): Chart => new Chart(Testing.app(), 'test');

describe('a template', () => {
  test('asks until a measurement says something, and waits no longer than a shift', () => {
    expect(metricOf(errors)).toMatchObject({
      name: 'template',
      interval: '15s',
      count: 41,
      consecutiveSuccessLimit: 1,
      failureLimit: 0,
      inconclusiveLimit: 40,
      consecutiveErrorLimit: 60,
    });
    expect(metricOf(errors, {}, { checkEvery: '1m', inconclusiveLimit: '5m' })).toMatchObject({
      interval: '1m',
      count: 6,
      inconclusiveLimit: 5,
      consecutiveErrorLimit: 30,
    });
  });

  test('in the background it has no end of its own', () => {
    const [metric] = templateOf(errors, {}, { until: 'end' }).spec.metrics;
    expect(metric).not.toHaveProperty('count');
    expect(metric).not.toHaveProperty('consecutiveSuccessLimit');
    expect(metric).toMatchObject({ failureLimit: 0, inconclusiveLimit: 40 });
  });

  test.each<[string, SharedCheck, string]>([
    ['a share: all it looks at, a period that may be cut, and the delay', errors, '6m15s'],
    ['a share of a shorter time', prometheus.errorShare({ ...share, over: '2m', delay: '0s' }), '3m'],
    ['a query of its own', latency, '1m'],
    ['a query that looks back', prometheus.query({ address, query: 'rate(x[{{window}}])', max: 1 }), '5m'],
    ['a range', prometheus.query({ address, query: 'x', max: 1, aggregate: 'avg', over: '3m' }), '3m'],
    ['the minutes of CloudWatch', cloudWatch.errorShare({ max: 0.1, over: '1m' }), '4m'],
    [
      'a longer period of CloudWatch',
      cloudWatch.metric({ queries: [{ Id: 'a', Expression: 'SELECT 1', Period: 300 }], max: 1, over: '1m' }),
      '12m',
    ],
    ['Datadog', datadog.query({ query: 'avg:x{*}', max: 1, over: '2m' }), '2m'],
  ])('waits until all figures are younger than the weights: %s', (_name, check, delay) => {
    expect(metricOf(check).initialDelay).toBe(delay);
  });

  test('the time of a query that looks back stands in it', () => {
    const check = prometheus.query({
      address,
      query: 'rate(x{v="{{slot}}"}[{{window}}])',
      max: 1,
      over: '90s',
    });
    expect(metricOf(check, { slot: 'a' }).provider.prometheus.query).toBe(
      'max((rate(x{v="a"}[90s])) >= -Inf)',
    );
  });

  test('a comment in a query ends with its line', () => {
    const check = prometheus.query({ address, query: 'x # all', min: 1 });
    expect(metricOf(check).provider.prometheus.query).toBe('min((x # all\n) >= -Inf)');
  });

  test('a range becomes one value of each series', () => {
    const check = prometheus.query({ address, query: 'x', max: 1, aggregate: 'avg', step: '30s' });
    expect(metricOf(check).provider.prometheus.query).toBe('max(avg_over_time(((x) >= -Inf)[300s:30s]))');
  });

  test('variables are arguments, with a value where the template has one', () => {
    const { args } = templateOf(
      prometheus.query({ address, query: 'x{v="{{slot}}",c="{{ cluster }}"}', max: 1 }),
      {},
      { values: { cluster: 'apps-blue' } },
    ).spec;
    expect(args).toEqual([{ name: 'slot' }, { name: 'cluster', value: 'apps-blue' }]);
  });

  test('a variable of its own', () => {
    const check = prometheus.query({ address, query: 'x{service="{{service}}",v="{{slot}}"}', max: 1 });
    const { spec } = templateOf(check, {}, { variables: ['service'] });
    expect(spec.args).toEqual([{ name: 'service' }, { name: 'slot' }]);
    expect(spec.metrics[0].provider.prometheus.query).toContain(
      'x{service="{{args.service}}",v="{{args.slot}}"}',
    );
  });

  test('metrics of one name, of none, and those that only look', () => {
    const metrics = [{ check: errors }, { check: latency }];
    const { spec } = templateOf(errors, {}, { metrics, dryRun: ['p99'] });
    expect(spec.metrics.map(({ name }: any) => name)).toEqual(['prometheus.errorShare', 'p99']);
    expect(spec.dryRun).toEqual([{ metricName: 'p99' }]);
  });
});

describe('secrets', () => {
  const bearer = prometheus.errorShare({ ...share, auth: { bearer: { file: '/token' } } });
  const authorization = { secret: 'prometheus', key: 'token' };

  test('a token is an argument by a reference, once for all metrics', () => {
    const metrics = [
      { check: bearer, authorization },
      { check: bearer, authorization, name: 'again' },
    ];
    const { spec } = templateOf(bearer, {}, { metrics });
    expect(spec.args).toEqual([
      { name: 'slot' },
      { name: 'prometheus/token', valueFrom: { secretKeyRef: { name: 'prometheus', key: 'token' } } },
    ]);
    for (const { provider } of spec.metrics) {
      expect(provider.prometheus.headers).toEqual([
        { key: 'Authorization', value: 'Bearer {{args.prometheus/token}}' },
      ]);
    }
    expect(JSON.stringify(spec)).not.toContain('/token"}');
  });

  test('a password is a header of another kind', () => {
    const auth = { basic: { username: 'me', password: { env: 'PASSWORD' } } };
    const { provider } = metricOf(prometheus.errorShare({ ...share, auth }), {}, { authorization });
    expect(provider.prometheus.headers[0].value).toMatch(/^Basic /);
    expect(JSON.stringify(provider)).not.toMatch(/PASSWORD|"me"/);
  });

  test('requests that AWS wants to be signed', () => {
    const aps = 'https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1';
    const check = prometheus.errorShare({ ...share, address: aps, auth: { sigV4: { region: 'eu-west-1' } } });
    expect(metricOf(check).provider.prometheus).toMatchObject({
      address: aps,
      authentication: { sigv4: { region: 'eu-west-1' } },
    });
  });

  test('keys of Datadog stand in a Secret', () => {
    const check = datadog.query({ query: 'avg:x{*}', max: 1, apiKey: { env: 'KEY' } });
    expect(metricOf(check).provider.datadog).not.toHaveProperty('secretRef');
    const datadogSecret = { name: 'keys', namespaced: true };
    const { provider } = metricOf(check, {}, { datadogSecret });
    expect(provider.datadog.secretRef).toEqual(datadogSecret);
    expect(JSON.stringify(provider)).not.toContain('KEY');
  });
});

describe('what can not be shared is refused, all of it', () => {
  const refused = (check: unknown, more: object = {}, props: object = {}): string[] =>
    problemsOf((chart) =>
      templateIn(chart, { metrics: [{ check: check as SharedCheck, ...more }], ...props }),
    );

  test.each<[string, unknown, object, RegExp[]]>([
    [
      'a comparison',
      prometheus.comparison({ address, requests: share.requests, errors: share.errors }),
      {},
      [/^metrics\[0\]\.check: .*prometheus\.errorShare.*memory|without a memory/],
    ],
    ['a check on no metric', targetHealth(), {}, [/^metrics\[0\]\.check: one check on a metric/]],
    ['two checks', { ...errors, ...latency }, {}, [/^metrics\[0\]\.check: one check/]],
    ['nothing', undefined, {}, [/^metrics\[0\]\.check: one check/]],
    [
      'what a shift refuses',
      prometheus.errorShare({ ...share, max: 2 }),
      {},
      [/^metrics\[0\]\.check\.prometheus\.errorShare\.max: a share/],
    ],
    [
      'an unknown variable',
      prometheus.query({ address, query: '{{service}}', max: 1 }),
      {},
      [/query: without that variable/],
    ],
    [
      'less than a period',
      prometheus.errorShare({ ...share, over: '30s' }),
      {},
      [/over: at least one period, which is 1m/],
    ],
    [
      'no Secret',
      prometheus.errorShare({ ...share, auth: { bearer: { env: 'A' } } }),
      {},
      [/authorization: the Secret with the check's password or token/],
    ],
    [
      'a Secret for nothing',
      errors,
      { authorization: { secret: 'a', key: 'b' } },
      [/authorization: left out/],
    ],
    [
      'a token in the clear',
      prometheus.errorShare({ ...share, auth: { bearer: { env: 'A' } } }),
      { address: 'http://prometheus:9090', authorization: { secret: 'a', key: 'b' } },
      [/address: a URL that starts with https/],
    ],
    [
      'a signature elsewhere',
      prometheus.errorShare({ ...share, auth: { sigV4: { region: 'eu-west-1' } } }),
      {},
      [/address: an address with "aps-workspaces"/],
    ],
    [
      'another region',
      cloudWatch.metric({ namespace: 'A', metric: 'b', max: 1, region: 'eu-west-1' }),
      {},
      [/region: left out: Argo Rollouts queries its own region/],
    ],
    [
      'another account',
      cloudWatch.metric({ queries: [{ Id: 'a', Expression: 'b', AccountId: '1' }], max: 1 }),
      {},
      [/queries\[0\]\.AccountId/],
    ],
    [
      'requests beside a value of Datadog',
      datadog.query({ query: 'avg:a{*}', requests: 'sum:b{*}', minRequests: 9, max: 1 }),
      {},
      [/minRequests: left out: Argo Rollouts adds up/],
    ],
    [
      'the last of counts',
      datadog.query({ query: 'sum:a{*}.as_count()', max: 1 }),
      {},
      [/aggregate: sum, avg/],
    ],
    ['times', errors, { checkEvery: '1x', inconclusiveLimit: '-1s' }, [/checkEvery/, /inconclusiveLimit/]],
    ['too often', errors, { checkEvery: '10ms' }, [/checkEvery: at least 1s/]],
  ])('%s', (_name, check, more, expected) => {
    const found = refused(check, more);
    expect(found).toHaveLength(expected.length);
    expected.forEach((each, index) => expect(found[index]).toMatch(each));
  });

  test('names, variables, values and metrics of a template', () => {
    const props = {
      name: 'A',
      namespace: 'a.b',
      labels: { 'a/b/c': 'x' },
      variables: ['slot', '1'],
      values: { unused: 'a', slot: '' },
      dryRun: ['other'],
      until: 'never',
      metrics: [
        { check: errors, name: 'a' },
        { check: latency, name: 'a' },
      ],
    };
    expect(
      problemsOf((chart) => templateIn(chart, props as never)).map((each) => each.split(':')[0]),
    ).toEqual([
      ...['name', 'labels.a/b/c', 'until', 'variables[0]', 'variables[1]', 'values.slot'],
      ...['namespace', 'metrics[1].name', 'dryRun[0]', 'values.unused'],
    ]);
  });

  test('a metric that is none leaves the others at their places', () => {
    const metrics = [true, { check: prometheus.errorShare({ ...share, max: 2 }) }] as never;
    expect(problemsOf((chart) => templateIn(chart, { metrics })).map((each) => each.split(':')[0])).toEqual([
      'metrics[0]',
      'metrics[1].check.prometheus.errorShare.max',
    ]);
  });

  test('no metric', () => {
    expect(problemsOf((chart) => templateIn(chart, { metrics: [] }))).toEqual([
      'metrics: a list with at least one metric',
    ]);
  });

  test('a secret that was written by mistake is not shown', () => {
    const auth = { bearer: 'the-token' } as never;
    const error = errorOf((chart) =>
      templateIn(chart, { metrics: [{ check: prometheus.errorShare({ ...share, auth }) }] }),
    );
    expect(error.message).not.toContain('the-token');
  });
});

describe('an analysis by a template', () => {
  test('the new pods are the slot, where nobody says another', () => {
    expect(templateIn(chartOf()).analysis()).toEqual({
      templates: [{ templateName: 'errors' }],
      until: 'answered',
      args: [{ name: 'slot', valueFrom: { podTemplateHashValue: 'Latest' } }],
    });
  });

  test('text, stable pods, and fields of the Rollout', () => {
    const check = prometheus.query({ address, query: '{{slot}} {{cluster}} {{targetGroup}}', max: 1 });
    const template = new ClusterAnalysisTemplate(chartOf(), 'template', {
      name: 'all',
      metrics: [{ check }],
    });
    const { templates, args } = template.analysis({
      slot: { podTemplateHash: 'Stable' },
      cluster: { field: "metadata.labels['cluster']" },
      targetGroup: 'targetgroup/a/b',
    });
    expect(templates).toEqual([{ templateName: 'all', clusterScope: true }]);
    expect(args).toEqual([
      { name: 'slot', valueFrom: { podTemplateHashValue: 'Stable' } },
      { name: 'cluster', valueFrom: { fieldRef: { fieldPath: "metadata.labels['cluster']" } } },
      { name: 'targetGroup', value: 'targetgroup/a/b' },
    ]);
  });

  test('a template of the cluster has no namespace, whatever namespace the chart has', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'podinfo' });
    const props = { name: 'all', metrics: [{ check: prometheus.query({ address, query: 'up', max: 1 }) }] };
    new ClusterAnalysisTemplate(chart, 'all', props);
    new AnalysisTemplate(chart, 'one', props);
    expect(Testing.synth(chart).map(({ metadata }) => metadata.namespace)).toEqual([undefined, 'podinfo']);
  });

  test('what is missing, unknown or no value is refused at once', () => {
    const check = prometheus.query({ address, query: '{{slot}} {{cluster}}', max: 1 });
    const template = templateIn(chartOf(), { metrics: [{ check }] });
    const given = { slot: { podTemplateHash: 'New' }, targetGroup: 'a' } as never;
    expect(() => template.analysis(given)).toThrow(
      /arguments\.slot[\s\S]*arguments\.targetGroup[\s\S]*arguments\.cluster/,
    );
  });

  test('several analyses as one', () => {
    const chart = chartOf();
    const one = templateIn(chart).analysis({ slot: 'a' });
    const other = new AnalysisTemplate(chart, 'p99', {
      name: 'p99',
      metrics: [{ check: latency }],
      until: 'end',
    });
    expect(mergeAnalyses(one, other.analysis({ slot: 'b' }))).toEqual({
      templates: [{ templateName: 'errors' }, { templateName: 'p99' }],
      args: [{ name: 'slot', value: 'b' }],
      until: 'mixed',
    });
  });
});

describe('a MetricTemplate of Flagger', () => {
  test('Flagger fills the slot with the target, and the rest is given', () => {
    const check = prometheus.query({
      address,
      query: 'x{pod=~"{{slot}}-.*",c="{{cluster}}"}',
      min: 1,
      max: 2,
    });
    const { provider, query, metric } = flaggerOf(check, { secret: undefined }, { cluster: 'apps-blue' });
    expect(provider).toEqual({ type: 'prometheus', address });
    expect(query).toContain('x{pod=~"{{ target }}-.*",c="{{ variables.cluster }}"}');
    expect(metric).toEqual({
      name: 'template',
      interval: '5m',
      thresholdRange: { min: 1, max: 2 },
      templateRef: { name: 'template' },
      templateVariables: { cluster: 'apps-blue' },
    });
  });

  test.each([
    ['5m', '5m'],
    ['90s', '1m30s'],
    ['2h', '120m'],
    ['1h0m10s', '60m10s'],
    ['10s', '10s'],
  ])('a window of %s is %s for Flagger, which takes no hours', (over, interval) => {
    const check = prometheus.query({ address, query: 'up', max: 1, over });
    expect(flaggerOf(check, { secret: undefined }).metric.interval).toBe(interval);
  });

  test('a token comes from a Secret; a proxy signs', () => {
    const bearer = prometheus.errorShare({ ...share, auth: { bearer: { env: 'A' } } });
    expect(flaggerOf(bearer, { secret: 'prometheus' }).provider.secretRef).toEqual({ name: 'prometheus' });
    const signed = prometheus.errorShare({ ...share, auth: { sigV4: { region: 'eu-west-1' } } });
    expect(flaggerOf(signed, { address: 'http://proxy:8005' }).provider).toEqual({
      type: 'prometheus',
      address: 'http://proxy:8005',
    });
  });

  test.each<[string, SharedCheck, object, RegExp]>([
    ['CloudWatch', cloudWatch.errorShare({ max: 0.1 }), {}, /^check: a check of Prometheus: of CloudWatch/],
    [
      'Datadog',
      datadog.query({ query: 'avg:a{*}', max: 1 }),
      {},
      /^check: a check of Prometheus: of Datadog/,
    ],
    [
      'a signature',
      prometheus.errorShare({ ...share, auth: { sigV4: { region: 'eu-west-1' } } }),
      {},
      /auth: together with an "address"/,
    ],
    ['no Secret', prometheus.errorShare({ ...share, auth: { bearer: { env: 'A' } } }), {}, /^secret: /],
    ['a Secret for nothing', errors, { secret: 'a' }, /^secret: left out/],
    ['a name that Flagger has not', errors, { filledBy: { slot: 'pod' } }, /^filledBy\.slot: /],
  ])('refuses %s', (_name, check, more, expected) => {
    const found = problemsOf(() => flaggerOf(check, more));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  test('values of its metric', () => {
    expect(() => flaggerOf(errors, { filledBy: {} }, {})).toThrow(/values\.slot/);
    expect(() => flaggerOf(errors, {}, { slot: 'a' })).toThrow(/values\.slot/);
  });
});

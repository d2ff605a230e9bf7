import { Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { MetricTemplate } from '../../../lib/manifests/flagger';
import type { AnalysisMetric } from '../../../lib/manifests/rollouts';
import { AnalysisTemplate, ClusterAnalysisTemplate } from '../../../lib/manifests/rollouts';
import type { MetricSource } from '../../../lib/manifests/rollouts/analysis/provider';
import type { SharedCheck } from '../../../lib/manifests/shift-checks';
import { checkKinds } from '../../../lib/shift/checks';
import { crdErrors, definitionsAtHand } from '../../examples/shared-crds';
import { scaled } from '../../runs';

const optional = <T extends object>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) =>
  fc.record(model, { requiredKeys: [] });
const shares = fc.constantFrom(0, 0.02, 0.5);
const usual = {
  name: fc.constantFrom('a', 'errors of the shop'),
  minRequests: fc.integer({ min: 1, max: 1000 }),
  onNoData: fc.constantFrom('inconclusive', 'fail', 'pass'),
  over: fc.constantFrom('1m', '90s', '10m'),
};
const counting = optional({
  ...usual,
  delay: fc.constantFrom('0s', '1m'),
  period: fc.constantFrom('30s', '1m'),
});
const values = optional({ ...usual, settle: fc.constantFrom('0s', '2m') });
const bounds = fc.constantFrom({ max: 1 }, { min: -0.5 }, { min: 1e-9, max: 1e21 });
const aggregate = fc.constantFrom({}, { aggregate: 'avg' }, { aggregate: 'max' }, { aggregate: 'sum' });
const access = fc.constantFrom<[object, Partial<AnalysisMetric>]>(
  [{ address: 'http://prometheus:9090' }, {}],
  [
    { address: 'https://p.example.com', auth: { bearer: { env: 'A' } } },
    { authorization: { secret: 'p', key: 'k' } },
  ],
  [{ address: 'https://aps-workspaces.a.com/b', auth: { sigV4: { region: 'eu-west-1' } } }, {}],
);
const count = (name: string) => `sum(increase(${name}{v="{{slot}}",c="{{cluster}}"}[{{period}}]))`;
const ofDatadog = (name: string) => `sum:${name}{v:{{slot}}}.as_count().rollup(sum, {{period}})`;

type Case = [SharedCheck, Partial<AnalysisMetric>];
const kindOf = (
  kind: string,
  args: fc.Arbitrary<object>,
  more: Partial<AnalysisMetric> = {},
): fc.Arbitrary<Case> => args.map((each) => [{ [kind]: each } as unknown as SharedCheck, more]);
const merged = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.tuple(...parts).map((each) => Object.assign({}, ...each) as object);

const ofPrometheus = access.chain(([where, secret]): fc.Arbitrary<Case> => {
  const share = merged(
    counting,
    fc.constant({ ...where, requests: count('all') }),
    shares.map((max) => ({ max })),
  );
  const query = fc.constant({ ...where, query: 'x{v="{{slot}}"} # all', requests: 'r[{{window}}]' });
  return fc.oneof(
    kindOf('prometheus.errorShare', merged(share, fc.constant({ errors: count('bad') })), secret),
    kindOf('prometheus.slowShare', merged(share, fc.constant({ slow: count('slow') })), secret),
    kindOf('prometheus.query', merged(values, bounds, aggregate, query), secret),
  );
});
const dimensions = { TargetGroup: '{{targetGroup}}' };
const plain = fc.constant({ namespace: 'A/B', metric: 'c', dimensions, stat: 'p99' });
const expression = fc.constant({
  queries: [
    {
      Id: 'a',
      MetricStat: { Metric: { Namespace: 'A', MetricName: 'b' }, Period: 60, Stat: 'Sum', Unit: 'Count' },
      ReturnData: false,
    },
    { Id: 'b', Expression: 'a * 2', Label: 'twice', Period: 120 },
  ],
});
const ofAws = optional({ ...usual, delay: fc.constantFrom('0s', '1m') });
const ofCloudWatch = fc.oneof(
  kindOf(
    'cloudWatch.errorShare',
    merged(
      ofAws,
      shares.map((max) => ({ max })),
    ),
  ),
  kindOf('cloudWatch.slowShare', merged(ofAws, fc.constant({ max: 0.1, above: '500ms' }))),
  kindOf('cloudWatch.metric', merged(ofAws, bounds, aggregate, fc.oneof(plain, expression))),
);
const ofDatadogs = fc
  .constantFrom(
    {},
    { datadogSecret: { name: 'keys' } },
    { datadogSecret: { name: 'keys', namespaced: true } },
  )
  .chain((secret): fc.Arbitrary<Case> => {
    const { minRequests: _none, ...without } = usual;
    const share = merged(counting, fc.constant({ requests: ofDatadog('all'), max: 0.1 }));
    return fc.oneof(
      kindOf('datadog.errorShare', merged(share, fc.constant({ errors: ofDatadog('bad') })), secret),
      kindOf('datadog.slowShare', merged(share, fc.constant({ slow: ofDatadog('slow') })), secret),
      kindOf(
        'datadog.query',
        merged(optional(without), bounds, aggregate, fc.constant({ query: 'avg:x{*}' })),
        secret,
      ),
    );
  });

/** One for every source; one that is missing does not compile. */
const sources: { readonly [Source in MetricSource]: fc.Arbitrary<Case> } = {
  cloudWatch: ofCloudWatch,
  datadog: ofDatadogs,
  prometheus: ofPrometheus,
};

/** Kinds of checks that canaries can be evaluated by. */
const forCanaries = Object.entries<object>(checkKinds).flatMap(([word, kind]) =>
  'canaryTimes' in kind ? [word] : [],
);

(definitionsAtHand ? describe : describe.skip)('whatever is sound fits the definitions', () => {
  test('templates of Argo Rollouts', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(
        fc.oneof(...Object.values(sources)),
        optional({ checkEvery: fc.constantFrom('1s', '1m'), inconclusiveLimit: fc.constantFrom('0s', '1h') }),
        fc.boolean(),
        fc.constantFrom('answered' as const, 'end' as const),
        ([check, more], timing, clusterWide, until) => {
          const chart = new Chart(Testing.app(), 'test');
          const props = {
            name: 'a',
            metrics: [{ check, ...more, ...timing }],
            until,
            labels: { a: 'b' },
            dryRun: ['*'],
          };
          new (clusterWide ? ClusterAnalysisTemplate : AnalysisTemplate)(chart, 'template', props);
          const [object] = Testing.synth(chart);
          kinds.add(Object.keys(check)[0]!);
          // Both kinds have the same spec, and one definition is at hand.
          expect(crdErrors([{ ...object, kind: 'AnalysisTemplate' }])).toEqual([]);
        },
      ),
      // With fewer, a kind of a source may not be drawn.
      { numRuns: scaled(300, 150) },
    );
    expect([...kinds].sort()).toEqual([...forCanaries].sort());
  });

  test('templates of Flagger, and their metrics in a Canary', () => {
    fc.assert(
      fc.property(
        ofPrometheus.filter(([check]) => !JSON.stringify(check).includes('sigV4')),
        ([check, { authorization }]) => {
          const chart = new Chart(Testing.app(), 'test', { namespace: 'shop' });
          const secret = authorization && { secret: 'keys' };
          const template = new MetricTemplate(chart, 'template', { name: 'a', check, ...secret });
          const [object] = Testing.synth(chart);
          const needs = object.spec.query.includes('variables.cluster');
          const metrics = [template.metric(needs ? { cluster: 'a' } : {})];
          const canary = {
            apiVersion: 'flagger.app/v1beta1',
            kind: 'Canary',
            metadata: { name: 'a' },
            spec: {
              targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
              service: { port: 80 },
              analysis: { interval: '1m', threshold: 1, stepWeight: 10, metrics },
            },
          };
          expect(crdErrors([object, canary])).toEqual([]);
        },
      ),
      { numRuns: scaled(100) },
    );
  });
});

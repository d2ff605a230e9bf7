import * as fc from 'fast-check';
import { loadTest } from '../../../lib/manifests/flagger';
import { crdErrors, definitionsAtHand } from '../../examples/shared-crds';
import { canaryOf, canaryProblems, metrics, soundCanaries } from './canaries';
import { scaled } from '../../runs';

describe('what is not said', () => {
  test('the Gateway API, five steps up to half, three failed checks, and the target back on deletion', () => {
    expect(canaryOf()).toEqual({
      apiVersion: 'flagger.app/v1beta1',
      kind: 'Canary',
      metadata: { name: 'podinfo', namespace: 'not-used' },
      spec: {
        provider: 'gatewayapi:v1',
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
        service: { port: 9898, gatewayRefs: [{ name: 'public' }] },
        analysis: {
          interval: '1m',
          threshold: 3,
          stepWeight: 10,
          maxWeight: 50,
          metrics: [{ name: 'request-success-rate', interval: '1m', thresholdRange: { min: 99 } }],
        },
        revertOnDeletion: true,
      },
    });
  });

  test.each([
    ['the provider has no weights', { provider: 'kubernetes' }, { iterations: 10 }],
    [
      'requests are picked',
      { analysis: { match: [{ headers: { 'x-canary': { exact: 'yes' } } }] } },
      { iterations: 10 },
    ],
    ['the step is said', { analysis: { stepWeight: 25 } }, { stepWeight: 25, maxWeight: 50 }],
    ['the highest weight is said', { analysis: { maxWeight: 100 } }, { stepWeight: 10, maxWeight: 100 }],
    ['all weights are said', { analysis: { stepWeights: [1, 5, 40] } }, { stepWeights: [1, 5, 40] }],
  ])('%s', (_, changes, course) => {
    const { iterations, stepWeight, maxWeight, stepWeights } = canaryOf(changes).spec.analysis;
    expect(JSON.parse(JSON.stringify({ iterations, stepWeight, maxWeight, stepWeights }))).toEqual(course);
  });

  test('references get their kinds and versions', () => {
    const { spec } = canaryOf({
      provider: 'nginx',
      targetRef: { name: 'podinfo', kind: 'Deployment' },
      autoscalerRef: { kind: 'ScaledObject', name: 'podinfo' },
    });
    expect(spec.autoscalerRef).toEqual({
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      name: 'podinfo',
    });
    expect(spec.ingressRef).toEqual({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'podinfo' });
    expect(canaryOf({ provider: 'knative' }).spec.targetRef).toEqual({
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      name: 'podinfo',
    });
  });
});

test("every sound Canary fits Flagger's definition", () => {
  fc.assert(
    fc.property(soundCanaries, (props) => {
      const canary = canaryOf(props);
      expect(crdErrors([canary])).toEqual([]);
      // Exactly one of the three ways, as the definition and the scheduler want it.
      const ways = ['iterations', 'stepWeight', 'stepWeights'].filter((way) => way in canary.spec.analysis);
      expect(ways).toHaveLength(1);
    }),
    { numRuns: scaled(300) },
  );
  const wrong = canaryOf();
  wrong.spec.analysis.iterations = 3;
  expect(crdErrors([wrong]).length > 0).toBe(definitionsAtHand);
});

test('all that is wrong is said at once, with its path', () => {
  const problems = canaryProblems({
    name: 'Podinfo',
    provider: 'kubernetes',
    targetRef: { kind: 'Service', name: 'x'.repeat(60) },
    service: { port: 0, hosts: ['www.example.com'] },
    analysis: { interval: '1h', stepWeight: 10, metrics: [{ name: 'errors' }] },
    skipAnalysis: 'no',
  });
  expect(problems.map((each) => each.split(':')[0])).toEqual([
    'name',
    'service.port',
    'analysis.interval',
    'analysis.metrics[0].thresholdRange',
    'analysis.metrics[0].templateRef',
    'skipAnalysis',
    'targetRef.name',
    'targetRef.kind',
    'service.hosts',
    'analysis.stepWeight',
  ]);
});

test('a key that there is not is refused with the rest, with the nearest spelling', () => {
  const analysis = { interval: '1m', threshhold: 5 };
  expect(canaryProblems({ name: 'Podinfo', analysis })).toEqual([
    expect.stringMatching(/^name: lower-case/),
    expect.stringMatching(/^analysis\.threshhold: , did you mean "threshold"\?; known keys: /),
  ]);
});

describe('App Mesh is refused, with the reason and a way out', () => {
  test.each(['appmesh', 'appmesh:v1beta2'])('%s', (provider) => {
    const [problem] = canaryProblems({ provider });
    expect(problem).toMatch(
      /^provider: another provider: AWS App Mesh ended on 2026-09-30.*gatewayapi:v1.*istio/,
    );
  });
  test.each([
    ['gatewayapi', /without a version Flagger would look for Istio/],
    ['alb', /one of "gatewayapi:v1"/],
    ['appmeshing', /one of/],
  ])('%s is none, either', (provider, reason) => {
    expect(canaryProblems({ provider })).toEqual([expect.stringMatching(reason)]);
  });
});

const hook = (changes: object) => ({ name: 'gate', url: 'http://gate.podinfo/', ...changes });
const ab = [{ headers: { 'x-canary': { exact: 'yes' } } }];

describe('what Flagger would leave out, or never finish', () => {
  test.each<[string, any, string, RegExp]>([
    [
      'weights without a router',
      { provider: 'kubernetes', analysis: { maxWeight: 50 } },
      'analysis.maxWeight',
      /no effect/,
    ],
    [
      'both ways',
      { analysis: { iterations: 5, stepWeight: 10 } },
      'analysis.stepWeight',
      /"iterations" is set/,
    ],
    [
      'two kinds of weights',
      { analysis: { stepWeights: [5], maxWeight: 50 } },
      'analysis.maxWeight',
      /sets all/,
    ],
    [
      'a weight that is no step',
      { analysis: { stepWeight: 20 } },
      'analysis.maxWeight',
      /multiple of "stepWeight", 20/,
    ],
    [
      'weights that fall',
      { analysis: { stepWeights: [5, 20, 20] } },
      'analysis.stepWeights[2]',
      /more than 20/,
    ],
    ['no weights', { analysis: { stepWeights: [] } }, 'analysis.stepWeights', /at least one/],
    ['a match with weights', { analysis: { match: ab, stepWeight: 10 } }, 'analysis.match', /"iterations"/],
    ['a match that fits all', { analysis: { match: [{}] } }, 'analysis.match[0]', /every request fits/],
    [
      'a match that the Gateway API has not',
      { analysis: { match: [{ headers: { 'x-canary': { prefix: 'y' } } }] } },
      'analysis.match[0].headers.x-canary',
      /"exact", "regex"/,
    ],
    [
      "the caller's labels at a Gateway",
      { analysis: { match: [{ ...ab[0], sourceLabels: { app: 'a' } }] } },
      'analysis.match[0].sourceLabels',
      /only Istio/,
    ],
    ['a mirror with weights', { analysis: { mirror: true } }, 'analysis.mirror', /again and again/],
    ['a mirror in an A/B test', { analysis: { mirror: true, match: ab } }, 'analysis.mirror', /A\/B/],
    [
      'a mirror without a router',
      { provider: 'nginx', analysis: { mirror: true } },
      'analysis.mirror',
      /no effect/,
    ],
    [
      'cookies without weights',
      { analysis: { iterations: 5, sessionAffinity: { cookieName: 'canary' } } },
      'analysis.sessionAffinity',
      /no weights/,
    ],
    [
      'one cookie for both',
      { analysis: { sessionAffinity: { cookieName: 'a', primaryCookieName: 'a' } } },
      'analysis.sessionAffinity.primaryCookieName',
      /another/,
    ],
    [
      'a name that a cookie cuts',
      { analysis: { sessionAffinity: { cookieName: 'a=b' } } },
      'analysis.sessionAffinity.cookieName',
      /letters/,
    ],
    ['steps of a moment', { analysis: { interval: '5s' } }, 'analysis.interval', /at least 10s/],
    ['steps of an hour', { analysis: { interval: '1h' } }, 'analysis.interval', /minutes and seconds/],
    [
      'webhooks longer than a step',
      { analysis: { interval: '30s', webhooks: [hook({ timeout: '10s', retries: 2 })] } },
      'analysis.interval',
      /longer than 30s/,
    ],
    ['nothing to check by', { analysis: { metrics: [] } }, 'analysis.metrics', /nothing else would stop/],
    [
      'requests alone',
      {
        analysis: {
          metrics: undefined,
          webhooks: [loadTest({ loadTester: 'http://tester/', target: 'http://a/' })],
        },
      },
      'analysis.metrics',
      /nothing else would stop/,
    ],
    [
      'a confirmation that nobody asks for',
      { provider: 'kubernetes', analysis: { webhooks: [hook({ type: 'confirm-traffic-increase' })] } },
      'analysis.webhooks[0].type',
      /the webhook is not called/,
    ],
    [
      'two webhooks of one name',
      { analysis: { webhooks: [hook({}), hook({})] } },
      'analysis.webhooks[1].name',
      /once/,
    ],
    [
      'no range',
      { analysis: { metrics: [{ name: 'request-duration', thresholdRange: {} }] } },
      'analysis.metrics[0].thresholdRange',
      /"max"/,
    ],
    [
      'a success rate without a least',
      { analysis: { metrics: [{ name: 'request-success-rate', thresholdRange: { max: 99 } }] } },
      'analysis.metrics[0].thresholdRange',
      /"min"/,
    ],
    [
      'part of a millisecond',
      { analysis: { metrics: [{ name: 'request-duration', thresholdRange: { max: 0.5 } }] } },
      'analysis.metrics[0].thresholdRange.max',
      /whole milliseconds/,
    ],
    [
      'a metric of nowhere',
      { analysis: { metrics: [{ name: 'toString', thresholdRange: { max: 1 } }] } },
      'analysis.metrics[0].templateRef',
      /none of Flagger's own/,
    ],
    [
      'a template under the name of an own metric',
      { analysis: { metrics: [{ ...metrics[0], templateRef: { name: 'a' } }] } },
      'analysis.metrics[0].name',
      /another name/,
    ],
    [
      'a range upside down',
      {
        analysis: {
          metrics: [{ name: 'a', templateRef: { name: 'a' }, thresholdRange: { min: 2, max: 1 } }],
        },
      },
      'analysis.metrics[0].thresholdRange.min',
      /at most "max", 1/,
    ],
    ['no Gateway', { service: { gatewayRefs: [] } }, 'service.gatewayRefs', /at least one/],
    [
      'a timeout that v1beta1 has not',
      { provider: 'gatewayapi:v1beta1', service: { timeout: '5s' } },
      'service.timeout',
      /no effect/,
    ],
    [
      'a try longer than the request',
      { service: { timeout: '5s', backendTimeout: '6s' } },
      'service.backendTimeout',
      /at most/,
    ],
    ['a Service name with no room', { service: { name: 'x'.repeat(56) } }, 'service.name', /at most 55/],
    ['what App Mesh had', { service: { meshName: 'a' } }, 'service.meshName', /known keys: /],
    [
      'a scaler of a DaemonSet',
      { targetRef: { kind: 'DaemonSet', name: 'a' }, autoscalerRef: { name: 'a' } },
      'autoscalerRef',
      /nothing scales/,
    ],
    [
      'queries of no ScaledObject',
      { autoscalerRef: { name: 'a', primaryScalerQueries: {} } },
      'autoscalerRef.primaryScalerQueries',
      /no queries/,
    ],
    ['no Ingress', { provider: 'nginx', ingressRef: undefined }, 'ingressRef', /needs it/],
    ['an Ingress that is not asked', { ingressRef: { name: 'a' } }, 'ingressRef', /no effect/],
    [
      'knative without its Service',
      { provider: 'knative', targetRef: { name: 'a' } },
      'targetRef.kind',
      /"Service"/,
    ],
  ])('%s', (_, changes, path, reason) => {
    expect(canaryProblems(changes)).toEqual([
      expect.stringMatching(new RegExp(`^${path.replace(/[[\].]/g, '\\$&')}: .*${reason.source}`)),
    ]);
  });

  test.each<[string, any]>([
    ['a highest weight of 100 with any step', { analysis: { stepWeight: 30, maxWeight: 100 } }],
    ['a mirror of all requests, without weights', { analysis: { mirror: true, iterations: 5 } }],
    [
      'a mirror in a mesh, before weights',
      { provider: 'istio', analysis: { mirror: true, mirrorWeight: 20 } },
    ],
    [
      'a webhook that can fail, in place of metrics',
      { analysis: { metrics: [], webhooks: [hook({ type: 'pre-rollout' })] } },
    ],
    ['a release without evaluation that is asked for', { analysis: {}, skipAnalysis: true }],
    [
      'a long name with another one for the Services',
      { targetRef: { name: 'x'.repeat(60) }, service: { name: 'a' } },
    ],
  ])('%s is fine', (_, changes) => {
    expect(canaryOf(changes).kind).toBe('Canary');
  });
});

test('credentials in a URL are refused and not shown', () => {
  const problems = canaryProblems({
    metricsServer: 'http://admin:hunter2@prometheus:9090',
    analysis: { webhooks: [hook({ url: 'https://admin:hunter2@gate.example.com/' })] },
  });
  expect(problems).toHaveLength(2);
  expect(problems.join()).not.toContain('hunter2');
});

describe('loadTest', () => {
  const tester = {
    loadTester: 'http://load-tester.podinfo/',
    target: 'http://frontend-canary.podinfo:9898/',
  };

  test('a command for the load tester', () => {
    expect(loadTest({ ...tester, host: 'www.example.com', duration: '2m', rate: 5, clients: 3 })).toEqual({
      name: 'load-test',
      type: 'rollout',
      url: tester.loadTester,
      timeout: '5s',
      metadata: {
        type: 'cmd',
        cmd: "hey -z 2m -q 5 -c 3 -host www.example.com 'http://frontend-canary.podinfo:9898/'",
      },
    });
  });

  test.each([
    { target: "http://a/'; id; '" },
    { target: 'http://a/ -o x' },
    { target: 'file:///etc/passwd' },
    { host: 'a; id' },
    { host: '$(id)' },
    { duration: '1m; id' },
    { rate: '1; id' as any },
    { clients: Infinity },
  ])('no shell gets more than the command: %j', (changes) => {
    expect(() => loadTest({ ...tester, ...changes })).toThrow(
      /1 problem\n {2}(target|host|duration|rate|clients):/,
    );
  });

  test('what a shell would read stays a text', () => {
    const { metadata } = loadTest({ ...tester, target: 'http://a/?q=$(id)&b=`id`;c' });
    expect(metadata!['cmd']).toMatch(/ 'http:\/\/a\/\?q=\$\(id\)&b=`id`;c'$/);
  });
});

import { ApiObject, Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { AnalysisTemplate, Rollout, canarySteps } from '../../../lib/manifests/rollouts';
import { prometheus } from '../../../lib/shift/checks';
import { crdErrors, definitionsAtHand } from '../../examples/shared-crds';
import {
  answered,
  canaryOf,
  endless,
  podTemplate,
  rolloutOf,
  rolloutProblems,
  rolloutProps,
  soundRollouts,
} from './rollout-objects';
import { scaled } from '../../runs';

const services = { stableService: 'stable', canaryService: 'canary' };
const gatewayApi = { trafficRouting: { gatewayApi: { httpRoutes: ['backend'] } } };
const alb = { trafficRouting: { alb: { ingress: 'web', servicePort: 80 } } };

describe('what is not said', () => {
  test('no capacity is lost, three old versions stay, nothing is taken back for time alone', () => {
    expect(rolloutOf()).toEqual({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { name: 'backend', namespace: 'shop' },
      spec: {
        selector: { matchLabels: { app: 'backend' } },
        template: podTemplate,
        strategy: {
          canary: { steps: [{ setWeight: 50 }, { pause: {} }], maxSurge: '25%', maxUnavailable: 0 },
        },
        revisionHistoryLimit: 3,
        progressDeadlineSeconds: 600,
        progressDeadlineAbort: false,
      },
    });
  });

  test.each([
    ['a person promotes', {}, false],
    ['an analysis does', { prePromotionAnalysis: answered }, true],
    ['time does', { autoPromotionDelay: '1m' }, true],
    ['said otherwise', { prePromotionAnalysis: answered, autoPromotionEnabled: false }, false],
  ])('blue/green: %s', (_name, more, automatic) => {
    const { strategy } = rolloutOf({ strategy: { blueGreen: { activeService: 'a', ...more } } }).spec;
    expect(strategy.blueGreen.autoPromotionEnabled).toBe(automatic);
  });

  test('the pods of a Deployment go as those of the Rollout come', () => {
    const { workloadRef, selector } = rolloutOf({ template: undefined, workloadRef: { name: 'a' } }).spec;
    expect(workloadRef).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'a',
      scaleDown: 'progressively',
    });
    expect(selector).toBeUndefined();
  });
});

describe('steps by the notation of a shift', () => {
  const weights = (steps: readonly any[]): number[] => steps.flatMap(({ setWeight }) => setWeight ?? []);
  test.each([
    ['geometric', {}, [1, 2, 5, 10, 25, 50]],
    ['equal', { step: 20 }, [20, 40, 60, 80]],
    ['equal, with another first', { step: 40, firstStep: 5 }, [5, 45, 85]],
    ['a list', { step: [5, 30] }, [5, 30]],
    ['all at once', { step: 100 }, []],
  ])('%s', (_name, notation, expected) => {
    expect(weights(canarySteps(notation))).toEqual(expected);
  });

  test('each stands, is evaluated, and waits for a person where it is said', () => {
    expect(canarySteps({ step: 50, every: '5m', analysis: answered, pause: [0, 60] })).toEqual([
      { pause: {} },
      { setWeight: 50 },
      { pause: { duration: '5m' } },
      { analysis: answered },
      { pause: {} },
    ]);
  });

  test('a notation that a shift refuses', () => {
    expect(() => canarySteps({ step: 0, every: 'soon' })).toThrow(/step[\s\S]*every/);
  });
});

describe('in the words of Argo Rollouts', () => {
  test('an ALB', () => {
    expect(
      canaryOf({
        ...services,
        trafficRouting: { alb: { ...alb.trafficRouting.alb, rootService: 'root', stickinessSeconds: 60 } },
      }).trafficRouting,
    ).toEqual({
      alb: {
        ingress: 'web',
        servicePort: 80,
        rootService: 'root',
        stickinessConfig: { enabled: true, durationSeconds: 60 },
      },
    });
    const many = { alb: { ingress: ['a', 'b'], servicePort: 80 } };
    expect(canaryOf({ ...services, trafficRouting: many }).trafficRouting.alb).toEqual({
      ingresses: ['a', 'b'],
      servicePort: 80,
    });
  });

  test('the Gateway API: the namespace of the routes is the one of the Rollout', () => {
    expect(canaryOf({ ...services, ...gatewayApi }).trafficRouting).toEqual({
      plugins: { 'argoproj-labs/gatewayAPI': { namespace: 'shop', httpRoutes: [{ name: 'backend' }] } },
    });
  });

  test('routes by a header are managed where they are named', () => {
    const match = [{ headerName: 'x-canary', exact: 'yes' }];
    const steps = [{ setHeaderRoute: { name: 'beta', match } }, { setHeaderRoute: { name: 'beta' } }];
    const { trafficRouting, steps: written } = canaryOf({ ...services, ...gatewayApi, steps });
    expect(trafficRouting.managedRoutes).toEqual([{ name: 'beta' }]);
    expect(trafficRouting.plugins['argoproj-labs/gatewayAPI'].httpRoutes).toEqual([
      { name: 'backend', useHeaderRoutes: true },
    ]);
    expect(written).toEqual([
      {
        setHeaderRoute: { name: 'beta', match: [{ headerName: 'x-canary', headerValue: { exact: 'yes' } }] },
      },
      { setHeaderRoute: { name: 'beta' } },
    ]);
  });

  test('analyses in the background and in a step', () => {
    const steps = [{ setWeight: 5 }, { analysis: { ...answered, dryRun: ['*'] } }];
    expect(canaryOf({ steps, analysis: endless, analysisFromStep: 1 })).toMatchObject({
      analysis: { templates: [{ templateName: 'errors', clusterScope: true }], startingStep: 1 },
      steps: [
        { setWeight: 5 },
        {
          analysis: {
            templates: [{ templateName: 'errors' }],
            args: [{ name: 'slot', value: 'a' }],
            dryRun: [{ metricName: '*' }],
          },
        },
      ],
    });
  });

  test('times are seconds', () => {
    const { spec } = rolloutOf({
      minReady: '30s',
      progressDeadline: '20m',
      strategy: {
        blueGreen: {
          activeService: 'a',
          autoPromotionDelay: '2m',
          scaleDownDelay: '10m',
          abortScaleDownDelay: '0s',
        },
      },
    });
    expect(spec).toMatchObject({ minReadySeconds: 30, progressDeadlineSeconds: 1200 });
    expect(spec.strategy.blueGreen).toMatchObject({
      autoPromotionSeconds: 120,
      scaleDownDelaySeconds: 600,
      abortScaleDownDelaySeconds: 0,
    });
  });
});

const mixed = { ...answered, until: 'mixed' };

describe('what is refused', () => {
  const canary = (more: object): object => ({ strategy: { canary: { steps: [], ...more } } });
  const blueGreen = (more: object): object => ({
    strategy: { blueGreen: { activeService: 'active', ...more } },
  });
  test.each<[string, object, string[]]>([
    ['names', { name: 'a.b', namespace: 'A', labels: { 'a b': 'c' } }, ['name', 'namespace', 'labels.a b']],
    ['no pods', { template: undefined }, ['template']],
    ['pods twice', { workloadRef: { name: 'a' } }, ['template']],
    ['a template without labels', { template: { metadata: {}, spec: {} } }, ['template.metadata.labels']],
    ['a selector that finds no pod', { selector: { app: 'other' } }, ['selector.app']],
    [
      'a PodTemplate without a selector',
      { template: undefined, workloadRef: { name: 'a', kind: 'PodTemplate', scaleDown: 'never' } },
      ['workloadRef.scaleDown', 'selector'],
    ],
    ['a deadline that pods can not keep', { minReady: '10m' }, ['progressDeadline']],
    ['times', { minReady: '1.5s', progressDeadline: '0s' }, ['minReady', 'progressDeadline']],
    [
      'numbers',
      { replicas: -1, revisionHistoryLimit: 0.5, rollbackWindow: 0 },
      ['replicas', 'revisionHistoryLimit', 'rollbackWindow'],
    ],
    ['no strategy', { strategy: {} }, ['strategy']],
    [
      'two strategies',
      { strategy: { canary: { steps: [] }, blueGreen: { activeService: 'a' } } },
      ['strategy'],
    ],
    ['no steps', canary({ steps: undefined }), ['strategy.canary.steps']],
    [
      'steps',
      canary({
        steps: [{ setWeight: 101 }, { pause: { duration: 'soon' } }, { setWeight: 1, pause: {} }, {}],
      }),
      [
        'strategy.canary.steps[0].setWeight',
        'strategy.canary.steps[1].pause.duration',
        'strategy.canary.steps[2]',
        'strategy.canary.steps[3]',
      ],
    ],
    [
      'a step that there is not',
      canary({ steps: [{ setWeigth: 1 }] }),
      ['strategy.canary.steps[0].setWeigth'],
    ],
    [
      'steps that need a router',
      canary({ steps: [{ setCanaryScale: { weight: 5 } }, { setHeaderRoute: { name: 'a' } }] }),
      ['strategy.canary.steps[0].setCanaryScale', 'strategy.canary.steps[1].setHeaderRoute'],
    ],
    [
      'a scale of two kinds',
      canary({ ...services, ...alb, steps: [{ setCanaryScale: { weight: 5, replicas: 1 } }] }),
      ['strategy.canary.steps[0].setCanaryScale'],
    ],
    [
      'a header',
      canary({
        ...services,
        ...alb,
        steps: [{ setHeaderRoute: { name: 'a', match: [{ headerName: 'a b', exact: '' }] } }],
      }),
      [
        'strategy.canary.steps[0].setHeaderRoute.match[0].headerName',
        'strategy.canary.steps[0].setHeaderRoute.match[0].exact',
      ],
    ],
    [
      'a step that never ends',
      canary({ steps: [{ analysis: endless }] }),
      ['strategy.canary.steps[0].analysis'],
    ],
    ['a background that ends at once', canary({ analysis: answered }), ['strategy.canary.analysis']],
    [
      'templates that end at different times',
      canary({ steps: [{ analysis: mixed }], analysis: mixed }),
      ['strategy.canary.steps[0].analysis', 'strategy.canary.analysis'],
    ],
    [
      'no analysis',
      canary({ steps: [{ analysis: { templates: [] } }] }),
      ['strategy.canary.steps[0].analysis.templates', 'strategy.canary.steps[0].analysis.args'],
    ],
    [
      'a start of nothing',
      canary({ analysisFromStep: 3 }),
      ['strategy.canary.analysisFromStep', 'strategy.canary.analysisFromStep'],
    ],
    [
      'a router without Services',
      canary(alb),
      ['strategy.canary.stableService', 'strategy.canary.canaryService'],
    ],
    [
      'one Service for both',
      canary({ ...alb, stableService: 'a', canaryService: 'a' }),
      ['strategy.canary.canaryService'],
    ],
    [
      'two routers',
      canary({ ...services, trafficRouting: { ...alb.trafficRouting, ...gatewayApi.trafficRouting } }),
      ['strategy.canary.trafficRouting'],
    ],
    [
      'an ALB',
      canary({
        ...services,
        trafficRouting: { alb: { ingress: [], servicePort: 0, rootService: 'A', stickinessSeconds: 0 } },
      }),
      [
        'strategy.canary.trafficRouting.alb.ingress',
        'strategy.canary.trafficRouting.alb.servicePort',
        'strategy.canary.trafficRouting.alb.rootService',
        'strategy.canary.trafficRouting.alb.stickinessSeconds',
      ],
    ],
    [
      'routes without a namespace',
      { namespace: undefined, ...canary({ ...services, ...gatewayApi }) },
      ['strategy.canary.trafficRouting.gatewayApi.namespace'],
    ],
    ['no pod may go and none may come', canary({ maxSurge: '0%' }), ['strategy.canary.maxSurge']],
    [
      'pods',
      canary({ maxSurge: '101%', maxUnavailable: -1 }),
      ['strategy.canary.maxSurge', 'strategy.canary.maxUnavailable'],
    ],
    [
      'what needs a router',
      canary({
        scaleDownDelay: '1m',
        abortScaleDownDelay: '1m',
        minPodsPerReplicaSet: 2,
        dynamicStableScale: true,
      }),
      [
        'strategy.canary.scaleDownDelay',
        'strategy.canary.scaleDownDelay',
        'strategy.canary.abortScaleDownDelay',
        'strategy.canary.minPodsPerReplicaSet',
        'strategy.canary.dynamicStableScale',
      ],
    ],
    [
      'old pods that are gone and stay',
      canary({ ...services, ...alb, dynamicStableScale: true, scaleDownDelay: '1m' }),
      ['strategy.canary.scaleDownDelay'],
    ],
    [
      'labels',
      canary({ canaryMetadata: { labels: { 'a b': 'c' } } }),
      ['strategy.canary.canaryMetadata.labels.a b'],
    ],
    [
      'blue/green: one Service',
      blueGreen({ previewService: 'active' }),
      ['strategy.blueGreen.previewService'],
    ],
    [
      'blue/green: a delay for nobody',
      blueGreen({ autoPromotionEnabled: false, autoPromotionDelay: '1m' }),
      ['strategy.blueGreen.autoPromotionDelay'],
    ],
    [
      'blue/green: more old versions than are kept',
      blueGreen({ scaleDownDelayRevisionLimit: 4 }),
      ['strategy.blueGreen.scaleDownDelayRevisionLimit'],
    ],
    [
      'blue/green: analyses',
      blueGreen({ prePromotionAnalysis: endless, postPromotionAnalysis: endless }),
      ['strategy.blueGreen.prePromotionAnalysis', 'strategy.blueGreen.postPromotionAnalysis'],
    ],
  ])('%s', (_name, changes, paths) => {
    expect(rolloutProblems(changes).map((each) => each.split(':')[0])).toEqual(paths);
  });
});

describe('the objects around it', () => {
  const validate = (build: (chart: Chart) => void, changes: object): string[] => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'shop' });
    build(chart);
    new Rollout(chart, 'rollout', rolloutProps(changes));
    return chart.node.findAll().flatMap((each) => each.node.validate());
  };
  const object = (chart: Chart, kind: string, name: string, spec: object, namespace?: string): ApiObject =>
    new ApiObject(chart, `${kind} ${name}`, { apiVersion: 'v1', kind, metadata: { name, namespace }, spec });
  const canary = (more: object) => ({ strategy: { canary: { steps: [], ...services, ...more } } });
  const ingress = (port: object) => ({
    rules: [{ http: { paths: [{ backend: { service: { name: 'stable', port } } }] } }],
  });
  const route = (...names: string[]) => ({ rules: [{ backendRefs: names.map((name) => ({ name })) }] });

  test.each<[string, (chart: Chart) => void, object, RegExp[]]>([
    ['nothing at hand', () => undefined, canary(alb), []],
    [
      'a Service of its pods',
      (chart) => object(chart, 'Service', 'stable', { selector: { app: 'backend' } }),
      canary({}),
      [],
    ],
    [
      'a Service of other pods',
      (chart) => object(chart, 'Service', 'canary', { selector: { app: 'b' } }),
      canary({}),
      [/Service "canary" selects app=b/],
    ],
    [
      'the same in another namespace',
      (chart) => object(chart, 'Service', 'canary', { selector: { app: 'b' } }, 'other'),
      canary({}),
      [],
    ],
    [
      'an Ingress that reads annotations',
      (chart) => object(chart, 'Ingress', 'web', ingress({ name: 'use-annotation' })),
      canary(alb),
      [],
    ],
    [
      'an Ingress that does not',
      (chart) => object(chart, 'Ingress', 'web', ingress({ number: 80 })),
      canary(alb),
      [/Ingress "web" has no path to the Service "stable"/],
    ],
    [
      'a route to both',
      (chart) => object(chart, 'HTTPRoute', 'backend', route('stable', 'canary')),
      canary(gatewayApi),
      [],
    ],
    [
      'a route to one',
      (chart) => object(chart, 'HTTPRoute', 'backend', route('stable')),
      canary(gatewayApi),
      [/HTTPRoute "backend" has no rule with both/],
    ],
  ])('%s', (_name, build, changes, expected) => {
    const found = validate(build, changes);
    expect(found).toHaveLength(expected.length);
    expected.forEach((each, index) => expect(found[index]).toMatch(each));
  });

  test.each([
    ['shop', 0],
    ['other', 1],
  ])('a template in the namespace %s', (namespace, problems) => {
    const check = prometheus.query({ address: 'http://prometheus:9090', query: 'x', max: 1 });
    const chart = new Chart(Testing.app(), 'test');
    const template = new AnalysisTemplate(chart, 'template', { name: 'a', namespace, metrics: [{ check }] });
    const steps = [{ analysis: template.analysis() }];
    new Rollout(chart, 'rollout', rolloutProps({ strategy: { canary: { steps } } }));
    expect(chart.node.findAll().flatMap((each) => each.node.validate())).toHaveLength(problems);
  });
});

(definitionsAtHand ? test : test.skip)('whatever is sound fits the definition', () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(soundRollouts, (props) => {
      const rollout = rolloutOf({ template: undefined, ...props });
      kinds.add(Object.keys(rollout.spec.strategy)[0]!);
      expect(crdErrors([rollout])).toEqual([]);
    }),
    { numRuns: scaled(150) },
  );
  expect(kinds.size).toBe(2);
});

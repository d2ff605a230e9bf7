import type { Chart } from 'cdk8s';
import * as fc from 'fast-check';
import type {
  Analysis,
  BlueGreenStrategy,
  CanaryStep,
  CanaryStrategy,
  RolloutProps,
} from '../../../lib/manifests/rollouts';
import { Rollout } from '../../../lib/manifests/rollouts';
import { objectOf, problemsOf } from '../argocd/synth';

export const answered: Analysis = {
  templates: [{ templateName: 'errors' }],
  args: [{ name: 'slot', value: 'a' }],
  until: 'answered',
};
export const endless: Analysis = {
  templates: [{ templateName: 'errors', clusterScope: true }],
  args: [],
  until: 'end',
};
export const podTemplate = {
  metadata: { labels: { app: 'backend' } },
  spec: { containers: [{ name: 'main', image: 'registry.example.com/backend:1' }] },
};

/** A sound Rollout, changed as a test wants it. */
export function rolloutProps(changes: object = {}): RolloutProps {
  return {
    name: 'backend',
    namespace: 'shop',
    template: podTemplate,
    strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
    ...changes,
  };
}

/** The Rollout of these props. */
export const rolloutOf = (changes: object = {}): any => objectOf(build(changes));

/** The canary of a strategy. */
export const canaryOf = (canary: object): any =>
  rolloutOf({ strategy: { canary: { steps: [], ...canary } } }).spec.strategy.canary;

/** What is wrong with these props: `PATH: ALLOWED`. */
export const rolloutProblems = (changes: object): string[] => problemsOf(build(changes));

const build = (changes: object) => (chart: Chart) => {
  new Rollout(chart, 'rollout', rolloutProps(changes));
};

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const onlyIf = <T>(condition: boolean, arbitrary: fc.Arbitrary<T>) =>
  condition ? some(arbitrary) : fc.constant(undefined);
const time = fc.constantFrom('0s', '30s', '10m');
const pods = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom('10%', '100%'));
const metadata = some(
  fc.record({ labels: some(fc.constant({ role: 'new' })), annotations: some(fc.constant({ 'a/b': 'c d' })) }),
);
const header = fc.constantFrom('x-canary', 'X-User');

function steps(routed: boolean): fc.Arbitrary<CanaryStep[]> {
  const plain: fc.Arbitrary<CanaryStep>[] = [
    fc.record({ setWeight: fc.integer({ min: 0, max: 100 }) }),
    fc.record({ pause: fc.constantFrom({}, { duration: '2m' }) }),
    fc.constant({ analysis: answered }),
  ];
  const scale = fc.oneof(
    fc.record({ weight: fc.integer({ min: 0, max: 100 }) }),
    fc.record({ replicas: fc.integer({ min: 0, max: 9 }) }),
    fc.constant({ matchTrafficWeight: true as const }),
  );
  const match = some(
    fc.array(fc.record({ headerName: header, exact: fc.constant('yes') }), { minLength: 1 }),
  );
  const ofRouter: fc.Arbitrary<CanaryStep>[] = [
    fc.record({ setCanaryScale: scale }),
    fc.record({ setHeaderRoute: fc.record({ name: fc.constantFrom('beta', 'staff'), match }) }),
  ];
  return fc.array(fc.oneof(...plain, ...(routed ? ofRouter : [])), { maxLength: 6 });
}

const routing = fc.oneof(
  fc.record({
    alb: fc.record({
      ingress: fc.constantFrom<string | string[]>('web', ['web', 'admin']),
      servicePort: fc.integer({ min: 1, max: 65_535 }),
      rootService: some(fc.constant('root')),
      annotationPrefix: some(fc.constant('alb.example.com')),
      stickinessSeconds: some(fc.integer({ min: 1, max: 604_800 })),
    }),
  }),
  fc.record({
    gatewayApi: fc.record({
      httpRoutes: fc.constantFrom(['a'], ['a', 'b']),
      namespace: some(fc.constant('edge')),
    }),
  }),
);

const canary: fc.Arbitrary<CanaryStrategy> = fc.tuple(fc.boolean(), fc.boolean()).chain(([routed, dynamic]) =>
  fc.record({
    steps: steps(routed),
    stableService: routed ? fc.constant('stable') : some(fc.constant('stable')),
    canaryService: routed ? fc.constant('canary') : some(fc.constant('canary')),
    trafficRouting: routed ? routing : fc.constant(undefined),
    analysis: some(fc.constant(endless)),
    maxSurge: some(pods),
    maxUnavailable: some(fc.oneof(pods, fc.constant('0%'))),
    dynamicStableScale: routed ? fc.constant(dynamic) : fc.constant(undefined),
    scaleDownDelay: onlyIf(routed && !dynamic, time),
    abortScaleDownDelay: onlyIf(routed, time),
    minPodsPerReplicaSet: onlyIf(routed, fc.integer({ min: 1, max: 3 })),
    canaryMetadata: metadata,
    stableMetadata: metadata,
  }),
);

const blueGreen: fc.Arbitrary<BlueGreenStrategy> = fc.boolean().chain((byHand) =>
  fc.record({
    activeService: fc.constant('active'),
    previewService: some(fc.constant('preview')),
    previewReplicaCount: some(fc.integer({ min: 1, max: 9 })),
    prePromotionAnalysis: some(fc.constant(answered)),
    postPromotionAnalysis: some(fc.constant(answered)),
    autoPromotionEnabled: byHand ? fc.constant(false) : some(fc.constant(true)),
    autoPromotionDelay: onlyIf(!byHand, fc.constant('1m')),
    scaleDownDelay: some(time),
    scaleDownDelayRevisionLimit: some(fc.integer({ min: 0, max: 3 })),
    abortScaleDownDelay: some(time),
    maxUnavailable: some(pods),
    previewMetadata: metadata,
    activeMetadata: metadata,
  }),
);

/** Every sound Rollout. */
export const soundRollouts: fc.Arbitrary<RolloutProps> = fc
  .record({
    pods: fc.constantFrom<Partial<RolloutProps>>(
      { template: podTemplate },
      { template: podTemplate, selector: { app: 'backend' } },
      { workloadRef: { name: 'backend' } },
      { workloadRef: { name: 'backend', scaleDown: 'never' } },
      { workloadRef: { name: 'backend', kind: 'PodTemplate' }, selector: { app: 'backend' } },
    ),
    strategy: fc.oneof(fc.record({ canary }), fc.record({ blueGreen })),
    more: fc.record(
      {
        labels: fc.constant({ team: 'shop' }),
        annotations: fc.constant({ note: 'a b' }),
        replicas: fc.integer({ min: 0, max: 9 }),
        minReady: fc.constantFrom('0s', '30s'),
        revisionHistoryLimit: fc.integer({ min: 3, max: 10 }),
        rollbackWindow: fc.integer({ min: 1, max: 5 }),
        progressDeadline: fc.constantFrom('1m', '1h'),
        progressDeadlineAbort: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ pods: of, strategy, more }) => ({ name: 'backend', namespace: 'shop', ...of, strategy, ...more }));

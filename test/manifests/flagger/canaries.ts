import * as fc from 'fast-check';
import type { Chart } from 'cdk8s';
import type {
  CanaryAnalysis,
  CanaryProps,
  CanaryProvider,
  CanaryService,
} from '../../../lib/manifests/flagger';
import { Canary, canaryProviders } from '../../../lib/manifests/flagger';
import { objectOf, problemsOf } from '../argocd/synth';

export const metrics = [{ name: 'request-success-rate', thresholdRange: { min: 99 } }];

/** A sound Canary of a provider, changed as a test wants it. */
export function canaryProps(changes: any = {}): CanaryProps {
  const { provider = 'gatewayapi:v1', service = {}, analysis = {}, ...rest } = changes;
  const refs: Record<string, object> = {
    nginx: { ingressRef: { name: 'podinfo' } },
    skipper: { ingressRef: { name: 'podinfo' } },
    apisix: { routeRef: { name: 'podinfo' } },
  };
  return {
    name: 'podinfo',
    targetRef: { name: 'podinfo', ...(provider === 'knative' ? { kind: 'Service' } : {}) },
    provider,
    ...refs[provider],
    service: {
      port: 9898,
      ...(String(provider).startsWith('gatewayapi') ? { gatewayRefs: [{ name: 'public' }] } : {}),
      ...service,
    },
    analysis: { metrics, ...analysis },
    ...rest,
  };
}

/** The Canary of these props. */
export const canaryOf = (changes: any = {}): any => objectOf(build(changes));

/** What is wrong with these props: `PATH: ALLOWED`. */
export const canaryProblems = (changes: any): string[] => problemsOf(build(changes));

const build = (changes: any) => (chart: Chart) => {
  new Canary(chart, 'canary', canaryProps(changes));
};

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const flag = some(fc.boolean());
const duration = fc.constantFrom('10s', '1m', '90s', '2m30s');
const texts = fc.dictionary(fc.constantFrom('a', 'b.example.com/c'), fc.string(), { maxKeys: 2 });
const metadata = some(fc.record({ labels: some(texts), annotations: some(texts) }));
const text = fc.oneof(
  fc.record({ exact: fc.constant('yes') }),
  fc.record({ regex: fc.constant('.*beta.*') }),
);
const headers = fc.dictionary(fc.constantFrom('x-canary', 'cookie'), text, { minKeys: 1 });
const requests = fc.record({ uri: some(fc.record({ prefix: fc.constant('/api') })), headers: some(headers) });
const changes = fc.record({ add: some(texts), set: some(texts), remove: some(fc.constant(['x'])) });
const onlyIf = <T>(condition: boolean, arbitrary: fc.Arbitrary<T>) =>
  condition ? some(arbitrary) : fc.constant(undefined);

const metric = fc.oneof(
  fc.record({
    name: fc.constant('request-success-rate'),
    thresholdRange: fc.record({ min: fc.integer({ min: 0, max: 100 }) }),
    interval: some(duration),
  }),
  fc.record({
    name: fc.constant('request-duration'),
    thresholdRange: fc.record({ max: fc.integer({ min: 0, max: 9999 }) }),
  }),
  fc.record({
    name: fc.constant('queue'),
    thresholdRange: fc.record({ max: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
    templateRef: fc.record({ name: fc.constant('queue'), namespace: some(fc.constant('flagger')) }),
    templateVariables: some(texts),
  }),
);

const webhook = (weighs: boolean) =>
  fc.record({
    name: fc.string({ minLength: 1 }).filter((name) => name.trim() !== ''),
    type: some(
      fc.constantFrom(
        ...(['pre-rollout', 'confirm-rollout', 'confirm-promotion', 'rollback', 'event'] as const),
        ...(weighs ? (['confirm-traffic-increase'] as const) : []),
      ),
    ),
    url: fc.constantFrom('http://hooks.podinfo/', 'https://hooks.example.com/gate?for=podinfo'),
    timeout: fc.constant('1s'),
    retries: some(fc.integer({ min: 0, max: 1 })),
    disableTLS: flag,
    muteAlert: flag,
    metadata: some(texts),
  });

const affinity = fc.record({
  cookieName: fc.constant('canary'),
  primaryCookieName: some(fc.constant('released')),
  maxAge: some(fc.integer({ min: 1, max: 86_400 })),
  domain: some(fc.constant('example.com')),
  httpOnly: flag,
  secure: fc.constant(true),
  partitioned: flag,
  sameSite: some(fc.constantFrom('Strict', 'Lax', 'None') as fc.Arbitrary<'Lax'>),
});

const percent = fc.integer({ min: 1, max: 100 });
const weights = fc
  .uniqueArray(percent, { minLength: 1, maxLength: 6 })
  .map((each) => [...each].sort((one, other) => one - other));
const steps = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 5 }))
  .map(([stepWeight, times]) => ({ stepWeight, maxWeight: stepWeight * times }));

function analysis(provider: CanaryProvider): fc.Arbitrary<CanaryAnalysis> {
  const gateway = provider.startsWith('gatewayapi');
  const routes = gateway || provider === 'istio';
  const common = (weighs: boolean) => ({
    interval: some(duration),
    threshold: some(fc.integer({ min: 1, max: 20 })),
    primaryReadyThreshold: some(percent),
    canaryReadyThreshold: some(percent),
    metrics: fc.uniqueArray(metric, { minLength: 1, selector: ({ name }) => name }),
    webhooks: some(fc.uniqueArray(webhook(weighs), { maxLength: 4, selector: ({ name }) => name })),
    alerts: some(
      fc.array(
        fc.record({
          name: fc.constant('chat'),
          severity: some(fc.constantFrom('info', 'warn', 'error') as fc.Arbitrary<'warn'>),
          providerRef: fc.record({ name: fc.constant('chat'), namespace: some(fc.constant('flagger')) }),
        }),
        { maxLength: 2 },
      ),
    ),
  });
  const iterations = fc.record({
    ...common(false),
    iterations: fc.integer({ min: 1, max: 100 }),
    mirror: onlyIf(routes, fc.boolean()),
  });
  const matched = fc.record({
    ...common(false),
    iterations: fc.integer({ min: 1, max: 100 }),
    match: fc.array(fc.record({ headers }), { minLength: 1, maxLength: 2 }),
  });
  const weighed = fc
    .record({
      ...common(true),
      by: fc.oneof(
        steps,
        weights.map((stepWeights) => ({ stepWeights })),
        fc.constant({}),
      ),
      stepWeightPromotion: some(percent),
      sessionAffinity: onlyIf(routes, affinity),
    })
    .map(({ by, ...rest }) => ({ ...rest, ...by }));
  const matches = routes || ['contour', 'gloo', 'nginx'].includes(provider);
  return fc.oneof(
    iterations,
    ...(provider === 'kubernetes' ? [] : [weighed]),
    ...(matches ? [matched] : []),
  ) as fc.Arbitrary<CanaryAnalysis>;
}

function service(provider: CanaryProvider): fc.Arbitrary<CanaryService> {
  const gateway = provider.startsWith('gatewayapi');
  const routes = gateway || provider === 'istio';
  return fc.record({
    port: fc.integer({ min: 1, max: 65_535 }),
    name: some(fc.constant('frontend')),
    portName: some(fc.constantFrom('http', 'grpc')),
    targetPort: some(fc.oneof(fc.constant('http'), fc.integer({ min: 1, max: 65_535 }))),
    portDiscovery: flag,
    appProtocol: some(fc.constant('kubernetes.io/h2c')),
    trafficDistribution: some(
      fc.constantFrom('PreferClose', 'PreferSameZone') as fc.Arbitrary<'PreferClose'>,
    ),
    headless: flag,
    gatewayRefs: gateway
      ? fc.array(
          fc.record({
            name: fc.constant('public'),
            namespace: some(fc.constant('gateways')),
            sectionName: some(fc.constant('https')),
            port: some(fc.constant(443)),
          }),
          { minLength: 1, maxLength: 2 },
        )
      : fc.constant(undefined),
    hosts: onlyIf(routes, fc.constant(['www.example.com', '*.example.org'])),
    timeout: onlyIf(provider === 'gatewayapi:v1' || provider === 'istio', fc.constant('15s')),
    backendTimeout: onlyIf(provider === 'gatewayapi:v1', fc.constantFrom('500ms', '15s')),
    match: onlyIf(routes, fc.array(requests, { maxLength: 2 })),
    rewrite: onlyIf(routes, fc.record({ uri: fc.constant('/') })),
    headers: onlyIf(routes, fc.record({ request: some(changes), response: some(changes) })),
    mirror: onlyIf(gateway, fc.constant([{ backendRef: { name: 'shadow', port: 80 } }])),
    gateways: onlyIf(provider === 'istio', fc.constant(['mesh'])),
    retries: onlyIf(provider === 'istio', fc.constant({ attempts: 3, perTryTimeout: '1s', retryOn: '5xx' })),
    apex: metadata,
    primary: metadata,
    canary: metadata,
    unmanagedMetadata: some(fc.constant({ annotations: ['b.example.com/c'] })),
  }) as fc.Arbitrary<CanaryService>;
}

/** Canaries of all providers that nothing is wrong with. */
export const soundCanaries: fc.Arbitrary<CanaryProps> = fc
  .constantFrom(...canaryProviders)
  .chain((provider) =>
    fc
      .record({
        provider: fc.constant(provider),
        labels: some(fc.constant({ team: 'web' })),
        annotations: some(texts),
        metricsServer: some(fc.constant('http://prometheus.monitoring:9090')),
        service: service(provider),
        analysis: analysis(provider),
        progressDeadlineSeconds: some(fc.integer({ min: 1, max: 3600 })),
        skipAnalysis: flag,
        revertOnDeletion: flag,
        suspend: flag,
        autoscalerRef: onlyIf(
          provider !== 'knative',
          fc.oneof(
            fc.constant({ name: 'podinfo', primaryScalerReplicas: { minReplicas: 2, maxReplicas: 9 } }),
            fc.constant({ kind: 'ScaledObject', name: 'podinfo', primaryScalerQueries: { a: 'b' } }),
          ),
        ),
      })
      .map((changes) => canaryProps(changes)),
  );

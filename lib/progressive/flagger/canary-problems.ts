import type { Problems } from '../../problems';
import { dnsSubdomain, oneOf, wholeNumber } from '../../problems';
import { checkMetadata } from '../object-metadata';
import { checkAnalysis } from './analysis-problems';
import type { CanaryAutoscaler, CanaryProps, CanaryRef, CanaryTarget } from './canary-props';
import type { CanaryProvider } from './provider';
import { providerRule } from './provider';
import { checkUrl, flag, checkMapping, someText, texts } from './rules';
import { checkService, serviceName } from './service-problems';

/** Who routes where nothing is said. */
export const usualProvider: CanaryProvider = 'gatewayapi:v1';

/** Objects that a Canary of a provider uses: `needed`, or possible. */
const refs: readonly {
  readonly field: 'ingressRef' | 'routeRef' | 'upstreamRef';
  readonly providers: readonly CanaryProvider[];
  readonly needed: boolean;
}[] = [
  { field: 'ingressRef', providers: ['nginx', 'skipper'], needed: true },
  { field: 'routeRef', providers: ['apisix'], needed: true },
  { field: 'upstreamRef', providers: ['gloo'], needed: false },
];

/** Adds everything that is wrong with a Canary. */
export function checkCanary(problems: Problems, props: CanaryProps): void {
  checkMetadata(problems, props);
  const { provider = usualProvider, metricsServer } = props;
  if (metricsServer !== undefined) {
    checkUrl(problems, 'metricsServer', metricsServer);
  }
  problems.checkGiven('', props, {
    progressDeadlineSeconds: wholeNumber(1, 2_147_483_647),
    skipAnalysis: flag,
    revertOnDeletion: flag,
    suspend: flag,
  });
  const known = problems.check('provider', provider, providerRule(provider));
  // What has an effect with an unknown provider can't be said.
  const judgedAs = known ? provider : usualProvider;
  if (checkMapping(problems, 'targetRef', props.targetRef)) {
    checkTarget(problems, props, judgedAs);
  }
  if (known) {
    checkRefs(problems, props, provider);
    checkService(problems, 'service', props.service, provider);
    checkAnalysis(problems, 'analysis', props.analysis, provider, props.skipAnalysis === true);
  }
}

function checkTarget(problems: Problems, props: CanaryProps, provider: CanaryProvider): void {
  const { targetRef, autoscalerRef, service } = props;
  const target: CanaryTarget = targetRef;
  const { kind = 'Deployment' } = target;
  // The Services are named after it, unless they have a name of their own.
  const named = (service as typeof service | undefined)?.name === undefined;
  problems.check('targetRef.name', target.name, named ? serviceName : dnsSubdomain);
  problems.checkGiven('targetRef', target, {
    kind: oneOf('Deployment', 'DaemonSet', 'Service'),
    apiVersion: someText,
  });
  if (provider === 'knative' && kind !== 'Service') {
    problems.add('targetRef.kind', kind, '"Service" with the provider "knative"');
  }
  if (provider === 'kubernetes' && kind === 'Service') {
    problems.add(
      'targetRef.kind',
      kind,
      '"Deployment" or "DaemonSet" with the provider "kubernetes": it exchanges pods, and a Service has none of its own',
    );
  }
  if (autoscalerRef !== undefined && checkMapping(problems, 'autoscalerRef', autoscalerRef)) {
    checkAutoscaler(problems, autoscalerRef);
    if (kind !== 'Deployment') {
      problems.add('autoscalerRef', autoscalerRef, `left out: nothing scales a ${kind}`);
    }
  }
}

function checkAutoscaler(problems: Problems, autoscaler: CanaryAutoscaler): void {
  const path = 'autoscalerRef';
  const {
    kind = 'HorizontalPodAutoscaler',
    primaryScalerQueries,
    primaryScalerReplicas: replicas,
  } = autoscaler;
  problems.check(`${path}.name`, autoscaler.name, dnsSubdomain);
  problems.checkGiven(path, autoscaler, {
    kind: oneOf('HorizontalPodAutoscaler', 'ScaledObject'),
    apiVersion: someText,
    primaryScalerQueries: texts,
  });
  if (primaryScalerQueries !== undefined && kind !== 'ScaledObject') {
    problems.add(`${path}.primaryScalerQueries`, primaryScalerQueries, `left out: a ${kind} has no queries`);
  }
  if (replicas !== undefined && checkMapping(problems, `${path}.primaryScalerReplicas`, replicas)) {
    const at = `${path}.primaryScalerReplicas`;
    const count = wholeNumber(1, 2_147_483_647);
    problems.checkGiven(at, replicas, { minReplicas: count, maxReplicas: count });
    const { minReplicas = 1, maxReplicas = Infinity } = replicas;
    if (minReplicas > maxReplicas) {
      problems.add(`${at}.minReplicas`, minReplicas, `at most "maxReplicas", ${maxReplicas}`);
    }
  }
}

function checkRefs(problems: Problems, props: CanaryProps, provider: CanaryProvider): void {
  for (const { field, providers, needed } of refs) {
    const ref: CanaryRef | undefined = props[field];
    const belongs = providers.includes(provider);
    if (ref !== undefined && !belongs) {
      problems.add(field, ref, `left out: it has no effect with the provider "${provider}"`);
    } else if (ref === undefined && belongs && needed) {
      problems.add(field, ref, `given: the provider "${provider}" needs it`);
    } else if (ref !== undefined && checkMapping(problems, field, ref)) {
      problems.check(`${field}.name`, ref.name, dnsSubdomain);
      problems.checkGiven(field, ref, { apiVersion: someText });
    }
  }
}

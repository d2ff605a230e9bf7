import { dnsLabel, wholeNumber } from '../../core/validation/formats';
import { listOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import type { Problems } from '../../core/validation/problems';
import { checkPodMetadata, podMetadataKeys } from '../objects';
import type { PodMetadata } from '../objects';
import { analysisKeys, analysisManifest } from './analysis/analysis';
import type { Analysis } from './analysis/analysis';
import {
  checkStepAnalysis,
  checkPods,
  checkSeconds,
  checkSteps,
  headerMatchKeys,
  headerRoutes,
  isNone,
  seconds,
  stepManifest,
} from './steps';
import type { CanaryStep } from './steps';
import { albRoutingKeys, checkRouting, gatewayApiRoutingKeys, routingManifest } from './traffic-routing';
import type { TrafficRouting } from './traffic-routing';

/** The new version gets traffic step by step. */
export interface CanaryStrategy {
  /** What happens, in order; `canarySteps` makes them by the notation of a cluster's shift. */
  readonly steps: readonly CanaryStep[];
  /** Service of the old version's pods; needed for a router. @default - none */
  readonly stableService?: string;
  /** Service of the new version's pods; needed for a router. @default - none */
  readonly canaryService?: string;
  /** Who shares the traffic out. @default - none: one Service over all pods, of which a weight is a share */
  readonly trafficRouting?: TrafficRouting;
  /** An analysis in the background; its failure takes the update back at once. @default - none */
  readonly analysis?: Analysis;
  /** Number of the step, from 0, at which it begins. @default 0 */
  readonly analysisFromStep?: number;
  /** Pods above the wanted number during an update: a number, or a share such as `25%`. @default '25%' */
  readonly maxSurge?: number | string;
  /** Pods that may be missing during an update. @default 0 - an update costs no capacity; Argo's own is 25% */
  readonly maxUnavailable?: number | string;
  /**
   * Fewer pods of the old version the more traffic the new one has. Only with a router.
   *
   * @default false - the old version keeps all of its pods, so that going back needs no new ones
   */
  readonly dynamicStableScale?: boolean;
  /** How long the old version stays after the update. Only with a router. @default - Argo's own: 30s */
  readonly scaleDownDelay?: string;
  /** How long the new version stays after an abort; `0s` keeps it. Only with a router. @default - Argo's own: 30s */
  readonly abortScaleDownDelay?: string;
  /** Least number of pods of a version that has any. Only with a router. @default - one */
  readonly minPodsPerReplicaSet?: number;
  /** What pods have on them while they are new. @default - nothing */
  readonly canaryMetadata?: PodMetadata;
  /** What pods have on them while they are the old version. @default - nothing */
  readonly stableMetadata?: PodMetadata;
}

export const canaryStrategyKeys: OptionsOf<CanaryStrategy> = {
  steps: listOf({
    setWeight: 'plain',
    pause: { duration: 'plain' },
    analysis: analysisKeys,
    setCanaryScale: { weight: 'plain', replicas: 'plain', matchTrafficWeight: 'plain' },
    setHeaderRoute: { name: 'plain', match: listOf(headerMatchKeys) },
  }),
  stableService: 'plain',
  canaryService: 'plain',
  trafficRouting: { alb: albRoutingKeys, gatewayApi: gatewayApiRoutingKeys },
  analysis: analysisKeys,
  analysisFromStep: 'plain',
  maxSurge: 'plain',
  maxUnavailable: 'plain',
  dynamicStableScale: 'plain',
  scaleDownDelay: 'plain',
  abortScaleDownDelay: 'plain',
  minPodsPerReplicaSet: 'plain',
  canaryMetadata: podMetadataKeys,
  stableMetadata: podMetadataKeys,
};

/** Adds what is wrong with a canary. */
export function checkCanary(
  problems: Problems,
  at: string,
  canary: CanaryStrategy,
  namespace: string | undefined,
): void {
  const { steps, stableService, canaryService, trafficRouting, analysis, analysisFromStep } = canary;
  const routed = trafficRouting !== undefined;
  checkSteps(problems, `${at}.steps`, steps, routed);
  for (const [key, name] of Object.entries({ stableService, canaryService })) {
    if (name !== undefined) {
      problems.check(`${at}.${key}`, name, dnsLabel);
    } else if (routed) {
      problems.add(`${at}.${key}`, name, 'the name of a Service: a router needs one for each version');
    }
  }
  if (stableService !== undefined && stableService === canaryService) {
    problems.add(`${at}.canaryService`, canaryService, 'another Service than the stable one');
  }
  if (trafficRouting !== undefined) {
    checkRouting(problems, `${at}.trafficRouting`, trafficRouting, namespace);
  }
  if (analysis !== undefined) {
    checkStepAnalysis(problems, `${at}.analysis`, analysis, 'end');
  }
  if (analysisFromStep !== undefined) {
    const last = Array.isArray(steps) ? Math.max(0, steps.length - 1) : 0;
    problems.check(`${at}.analysisFromStep`, analysisFromStep, wholeNumber(0, last));
    if (analysis === undefined) {
      problems.add(`${at}.analysisFromStep`, analysisFromStep, 'left out, or with "analysis"');
    }
  }
  checkScaling(problems, at, canary, routed);
  checkPodMetadata(problems, `${at}.canaryMetadata`, canary.canaryMetadata);
  checkPodMetadata(problems, `${at}.stableMetadata`, canary.stableMetadata);
}

function checkScaling(problems: Problems, at: string, canary: CanaryStrategy, routed: boolean): void {
  const { maxSurge = '25%', maxUnavailable = 0, dynamicStableScale, scaleDownDelay } = canary;
  const areRead = [
    checkPods(problems, `${at}.maxSurge`, maxSurge),
    checkPods(problems, `${at}.maxUnavailable`, maxUnavailable),
  ];
  if (!areRead.includes(false) && isNone(maxSurge) && isNone(maxUnavailable)) {
    problems.add(
      `${at}.maxSurge`,
      maxSurge,
      'more than 0, where "maxUnavailable" is 0: no pod could be replaced',
    );
  }
  checkSeconds(problems, `${at}.scaleDownDelay`, scaleDownDelay);
  checkSeconds(problems, `${at}.abortScaleDownDelay`, canary.abortScaleDownDelay);
  if (canary.minPodsPerReplicaSet !== undefined) {
    problems.check(`${at}.minPodsPerReplicaSet`, canary.minPodsPerReplicaSet, wholeNumber(1, 10_000));
  }
  const needRouter = ['scaleDownDelay', 'abortScaleDownDelay', 'minPodsPerReplicaSet'] as const;
  const given = needRouter.filter((key) => canary[key] !== undefined);
  for (const key of routed
    ? []
    : [...given, ...(dynamicStableScale === true ? ['dynamicStableScale' as const] : [])]) {
    problems.add(`${at}.${key}`, canary[key], 'left out, or with "trafficRouting": it needs a router');
  }
  if (dynamicStableScale === true && scaleDownDelay !== undefined) {
    problems.add(
      `${at}.scaleDownDelay`,
      scaleDownDelay,
      'left out together with "dynamicStableScale", which leaves no old pods to wait for',
    );
  }
}

/** The canary in Argo's words. */
export function canaryManifest(canary: CanaryStrategy, namespace: string | undefined): object {
  const { steps, stableService, canaryService, trafficRouting, analysis, analysisFromStep } = canary;
  const { maxSurge = '25%', maxUnavailable = 0, dynamicStableScale, minPodsPerReplicaSet } = canary;
  const scaleDown = seconds(canary.scaleDownDelay);
  const abortScaleDown = seconds(canary.abortScaleDownDelay);
  return {
    ...(stableService !== undefined && { stableService }),
    ...(canaryService !== undefined && { canaryService }),
    ...(trafficRouting && {
      trafficRouting: routingManifest(trafficRouting, namespace, headerRoutes(steps)),
    }),
    ...(steps.length > 0 && { steps: steps.map(stepManifest) }),
    ...(analysis && {
      analysis: {
        ...analysisManifest(analysis),
        ...(analysisFromStep !== undefined && { startingStep: analysisFromStep }),
      },
    }),
    maxSurge,
    maxUnavailable,
    ...(dynamicStableScale === true && { dynamicStableScale }),
    ...(scaleDown !== undefined && { scaleDownDelaySeconds: scaleDown }),
    ...(abortScaleDown !== undefined && { abortScaleDownDelaySeconds: abortScaleDown }),
    ...(minPodsPerReplicaSet !== undefined && { minPodsPerReplicaSet }),
    ...(canary.canaryMetadata && { canaryMetadata: canary.canaryMetadata }),
    ...(canary.stableMetadata && { stableMetadata: canary.stableMetadata }),
  };
}

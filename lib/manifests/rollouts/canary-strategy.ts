import { across, list, object, optional } from '../../core/validation/collections';
import type { Objections } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Schema, Unevaluated } from '../../core/validation/schema';
import { fits, flag, whole } from '../../core/validation/values';
import { podMetadata } from '../field-schemas';
import type { PodMetadata } from '../objects';
import { analysisManifest, analysisUntil } from './analysis/analysis';
import type { Analysis } from './analysis/analysis';
import { canaryStep, headerRoutes, isNone, podNumber, seconds, stepManifest, wholeSeconds } from './steps';
import type { CanaryStep } from './steps';
import { routingManifest, trafficRouting } from './traffic-routing';
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

const service = optional(fits(dnsLabel));

/** A canary. */
export const canaryStrategy: Schema<CanaryStrategy> = across(
  object<CanaryStrategy>({
    steps: list(canaryStep, 0, 'a list of steps; an empty one makes a rolling update'),
    stableService: service,
    canaryService: service,
    trafficRouting: optional(trafficRouting),
    analysis: optional(analysisUntil('end')),
    analysisFromStep: optional(whole(0, 10_000)),
    maxSurge: optional(podNumber),
    maxUnavailable: optional(podNumber),
    dynamicStableScale: optional(flag),
    scaleDownDelay: optional(wholeSeconds()),
    abortScaleDownDelay: optional(wholeSeconds()),
    minPodsPerReplicaSet: optional(whole(1, 10_000)),
    canaryMetadata: optional(podMetadata),
    stableMetadata: optional(podMetadata),
  }),
  (canary, objections) => {
    const { stableService, canaryService, analysis, analysisFromStep } = canary;
    const { mustBe } = objections;
    if (stableService !== undefined && stableService === canaryService) {
      mustBe(['canaryService'], 'another Service than the stable one');
    }
    const steps: readonly unknown[] = Array.isArray(canary.steps) ? canary.steps : [];
    const last = Math.max(0, steps.length - 1);
    if (analysisFromStep !== undefined && analysis === undefined) {
      mustBe(['analysisFromStep'], 'left out, or with "analysis"');
    }
    if (typeof analysisFromStep === 'number' && analysisFromStep > last) {
      mustBe(['analysisFromStep'], `a whole number from 0 to ${last}, the last of the steps`);
    }
    checkScaling(canary, objections);
    if (canary.trafficRouting === undefined) {
      checkUnrouted(canary, steps, objections);
    } else {
      for (const key of ['stableService', 'canaryService'] as const) {
        if (canary[key] === undefined) {
          mustBe([key], 'the name of a Service: a router needs one for each version');
        }
      }
    }
  },
);

function checkScaling(
  { maxSurge = '25%', maxUnavailable = 0, dynamicStableScale, scaleDownDelay }: Unevaluated<CanaryStrategy>,
  { mustBe }: Objections,
): void {
  if (isNone(maxSurge) && isNone(maxUnavailable)) {
    mustBe(['maxSurge'], 'more than 0, where "maxUnavailable" is 0: no pod could be replaced');
  }
  if (dynamicStableScale === true && scaleDownDelay !== undefined) {
    mustBe(
      ['scaleDownDelay'],
      'left out together with "dynamicStableScale", which leaves no old pods to wait for',
    );
  }
}

/** What only a router does. */
function checkUnrouted(
  canary: Unevaluated<CanaryStrategy>,
  steps: readonly unknown[],
  { mustBe, mustBeSecretly }: Objections,
): void {
  const allowed = 'left out, or with "trafficRouting": it needs a router';
  steps.forEach((step, position) => {
    for (const key of ['setCanaryScale', 'setHeaderRoute']) {
      if (isPlainObject(step) && step[key] !== undefined) {
        mustBeSecretly(['steps', position, key], allowed);
      }
    }
  });
  for (const key of ['scaleDownDelay', 'abortScaleDownDelay', 'minPodsPerReplicaSet'] as const) {
    if (canary[key] !== undefined) {
      mustBe([key], allowed);
    }
  }
  if (canary.dynamicStableScale === true) {
    mustBe(['dynamicStableScale'], allowed);
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

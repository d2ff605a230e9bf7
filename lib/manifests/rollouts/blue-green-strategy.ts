import { across, object, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { fits, flag, whole } from '../../core/validation/values';
import { podMetadata } from '../field-schemas';
import type { PodMetadata } from '../objects';
import { analysisManifest, analysisUntil } from './analysis/analysis';
import type { Analysis } from './analysis/analysis';
import { podNumber, seconds, wholeSeconds } from './steps';

/** The new version gets all of the traffic at once, when it has been inspected. */
export interface BlueGreenStrategy {
  /** Service that users reach. */
  readonly activeService: string;
  /** Service of the new version before it is promoted. @default - none: it has no name of its own */
  readonly previewService?: string;
  /** Pods of the new version before it is promoted. @default - as many as wanted */
  readonly previewReplicaCount?: number;
  /** Run before the traffic goes over; its failure takes the update back. @default - none */
  readonly prePromotionAnalysis?: Analysis;
  /** Run after it went over; its failure gives the traffic back. @default - none */
  readonly postPromotionAnalysis?: Analysis;
  /**
   * Whether the traffic goes over automatically.
   *
   * @default - yes with `prePromotionAnalysis` or `autoPromotionDelay`; else a person inspects it and promotes it
   */
  readonly autoPromotionEnabled?: boolean;
  /** How long the new version is there before it is promoted automatically. @default - no time */
  readonly autoPromotionDelay?: string;
  /**
   * How long the old version stays after the traffic went over, for going back at once.
   *
   * @default - Argo's own: 30s, which is what nodes need to learn of it
   */
  readonly scaleDownDelay?: string;
  /** Old versions that may wait so at once. @default - all */
  readonly scaleDownDelayRevisionLimit?: number;
  /** How long the new version stays after an abort; `0s` keeps it. @default - Argo's own: 30s */
  readonly abortScaleDownDelay?: string;
  /** Pods that may be missing during a restart: a number, or a share such as `25%`. @default - Argo's own: 25% */
  readonly maxUnavailable?: number | string;
  /** What pods have on them while they are new. @default - nothing */
  readonly previewMetadata?: PodMetadata;
  /** What pods have on them while users reach them. @default - nothing */
  readonly activeMetadata?: PodMetadata;
}

/** A blue/green update. */
export const blueGreenStrategy: Schema<BlueGreenStrategy> = across(
  object<BlueGreenStrategy>({
    activeService: fits(dnsLabel),
    previewService: optional(fits(dnsLabel)),
    previewReplicaCount: optional(whole(1, 10_000)),
    prePromotionAnalysis: optional(analysisUntil('answered')),
    postPromotionAnalysis: optional(analysisUntil('answered')),
    autoPromotionEnabled: optional(flag),
    autoPromotionDelay: optional(wholeSeconds(1)),
    scaleDownDelay: optional(wholeSeconds()),
    scaleDownDelayRevisionLimit: optional(whole(0, 10_000)),
    abortScaleDownDelay: optional(wholeSeconds()),
    maxUnavailable: optional(podNumber),
    previewMetadata: optional(podMetadata),
    activeMetadata: optional(podMetadata),
  }),
  ({ activeService, previewService, autoPromotionEnabled, autoPromotionDelay }, { mustBe }) => {
    if (previewService !== undefined && previewService === activeService) {
      mustBe(['previewService'], 'another Service than the active one');
    }
    if (autoPromotionEnabled === false && autoPromotionDelay !== undefined) {
      mustBe(['autoPromotionDelay'], 'left out where a person promotes');
    }
  },
);

/** The update in Argo's words. */
export function blueGreenManifest(strategy: BlueGreenStrategy): object {
  const { prePromotionAnalysis, postPromotionAnalysis, autoPromotionDelay } = strategy;
  const { previewService, previewReplicaCount, scaleDownDelayRevisionLimit, maxUnavailable } = strategy;
  const isAutomatic =
    strategy.autoPromotionEnabled ?? (prePromotionAnalysis !== undefined || autoPromotionDelay !== undefined);
  const times = {
    autoPromotionSeconds: seconds(autoPromotionDelay),
    scaleDownDelaySeconds: seconds(strategy.scaleDownDelay),
    abortScaleDownDelaySeconds: seconds(strategy.abortScaleDownDelay),
  };
  const given = {
    previewService,
    previewReplicaCount,
    scaleDownDelayRevisionLimit,
    maxUnavailable,
    ...times,
  };
  return {
    activeService: strategy.activeService,
    autoPromotionEnabled: isAutomatic,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(prePromotionAnalysis && { prePromotionAnalysis: analysisManifest(prePromotionAnalysis) }),
    ...(postPromotionAnalysis && { postPromotionAnalysis: analysisManifest(postPromotionAnalysis) }),
    ...(strategy.previewMetadata && { previewMetadata: strategy.previewMetadata }),
    ...(strategy.activeMetadata && { activeMetadata: strategy.activeMetadata }),
  };
}

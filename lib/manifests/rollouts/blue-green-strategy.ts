import { dnsLabel, wholeNumber } from '../../core/validation/formats';
import type { OptionsOf } from '../../core/validation/option-keys';
import type { Problems } from '../../core/validation/problems';
import { checkPodMetadata, podMetadataKeys } from '../objects';
import type { PodMetadata } from '../objects';
import { analysisKeys, analysisManifest } from './analysis/analysis';
import type { Analysis } from './analysis/analysis';
import { checkStepAnalysis, checkPods, checkSeconds, seconds } from './steps';

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

export const blueGreenStrategyKeys: OptionsOf<BlueGreenStrategy> = {
  activeService: 'plain',
  previewService: 'plain',
  previewReplicaCount: 'plain',
  prePromotionAnalysis: analysisKeys,
  postPromotionAnalysis: analysisKeys,
  autoPromotionEnabled: 'plain',
  autoPromotionDelay: 'plain',
  scaleDownDelay: 'plain',
  scaleDownDelayRevisionLimit: 'plain',
  abortScaleDownDelay: 'plain',
  maxUnavailable: 'plain',
  previewMetadata: podMetadataKeys,
  activeMetadata: podMetadataKeys,
};

/** Adds what is wrong with a blue/green update. */
export function checkBlueGreen(
  problems: Problems,
  at: string,
  strategy: BlueGreenStrategy,
  revisionHistoryLimit: number,
): void {
  const { activeService, previewService, autoPromotionEnabled, autoPromotionDelay } = strategy;
  problems.check(`${at}.activeService`, activeService, dnsLabel);
  if (previewService !== undefined) {
    problems.check(`${at}.previewService`, previewService, dnsLabel);
    if (previewService === activeService) {
      problems.add(`${at}.previewService`, previewService, 'another Service than the active one');
    }
  }
  checkSeconds(problems, `${at}.autoPromotionDelay`, autoPromotionDelay, 1);
  if (autoPromotionEnabled === false && autoPromotionDelay !== undefined) {
    problems.add(`${at}.autoPromotionDelay`, autoPromotionDelay, 'left out where a person promotes');
  }
  checkSeconds(problems, `${at}.scaleDownDelay`, strategy.scaleDownDelay);
  checkSeconds(problems, `${at}.abortScaleDownDelay`, strategy.abortScaleDownDelay);
  for (const key of ['prePromotionAnalysis', 'postPromotionAnalysis'] as const) {
    if (strategy[key] !== undefined) {
      checkStepAnalysis(problems, `${at}.${key}`, strategy[key], 'answered');
    }
  }
  if (strategy.previewReplicaCount !== undefined) {
    problems.check(`${at}.previewReplicaCount`, strategy.previewReplicaCount, wholeNumber(1, 10_000));
  }
  const { scaleDownDelayRevisionLimit: limit } = strategy;
  if (limit !== undefined) {
    problems.check(`${at}.scaleDownDelayRevisionLimit`, limit, wholeNumber(0, revisionHistoryLimit));
  }
  if (strategy.maxUnavailable !== undefined) {
    checkPods(problems, `${at}.maxUnavailable`, strategy.maxUnavailable);
  }
  checkPodMetadata(problems, `${at}.previewMetadata`, strategy.previewMetadata);
  checkPodMetadata(problems, `${at}.activeMetadata`, strategy.activeMetadata);
}

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

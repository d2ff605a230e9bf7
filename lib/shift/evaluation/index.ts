export { Comparison, compareSlots, evaluateComparison } from './comparison';
export type {
  ComparisonCheckSettings,
  ComparisonQuestion,
  ComparisonSettings,
  ComparisonVerdict,
  SlotComparison,
} from './comparison';
export { comparisonCheck, shareCheck } from './count-checks';
export type { CountAnswer, CountSource } from './count-checks';
export { isCount } from './counts';
export type { CountedRequests, SlotCount, RequestCounts } from './counts';
export type { RegressionBound } from './evidence';
export { defaultMinRequests, evaluateShares, shareName, slotsWithBounds } from './shares';
export type { ShareSettings } from './shares';
export {
  defaultFollow,
  defaultHealthyShare,
  defaultMaxLoad,
  evaluateCapacity,
  evaluateTargets,
} from './targets';
export { evaluateBoth, evaluateSynthetic, probedSlots, worseOf } from './synthetic';
export type { SyntheticEvidence } from './synthetic';
export type { TargetCounts } from './targets';
export { withoutOwn } from './visitors';
export { referenceSlots, shiftStart, slotsToEvaluate, weightsToBe } from './windows';
export type { KnownCounts, OnNoData } from './windows';

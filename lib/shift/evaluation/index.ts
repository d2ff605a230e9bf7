export { Comparison, compareSlots, comparisonCheck, evaluateComparison, shareCheck } from './comparison';
export type {
  ComparisonCheckSettings,
  ComparisonQuestion,
  ComparisonSettings,
  ComparisonVerdict,
  CountAnswer,
  CountSource,
  SlotComparison,
} from './comparison';
export { isCount } from './counts';
export type { CountedRequests, SlotCount, RequestCounts } from './counts';
export type { RegressionBound } from './evidence';
export { evaluateShares, slotsWithBounds } from './shares';
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

export { Comparison, compareSlots, comparisonCheck, judgeComparison, shareCheck } from './comparison';
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
export type { CountedRequests, SlotCount, Tally } from './counts';
export type { RegressionBound } from './evidence';
export { judgeShares, judgedSlots } from './shares';
export type { ShareSettings } from './shares';
export { defaultCapacity, defaultHealthyShare, judgeCapacity, judgeTargets } from './targets';
export type { TargetCounts } from './targets';
export { referenceSlots, slotsToJudge, weightsToBe } from './windows';
export type { KnownCounts, OnNoData } from './windows';

export { SourceError } from './check';
export type {
  Check,
  CheckResult,
  CheckStage,
  CheckStatus,
  CheckWindow,
  Figure,
  WeightsWritten,
} from './check';
export { steadyClock, systemClock } from './clock';
export type { Clock } from './clock';
export { Comparison, compareSlots } from './comparison';
export type { ComparisonQuestion, ComparisonSettings, ComparisonVerdict, SlotComparison } from './comparison';
export { comparisonCheck, shareCheck } from './comparison-check';
export type { CountAnswer, CountSource } from './comparison-check';
export { isCount } from './comparison-counts';
export type { CountedRequests, SlotCount, Tally } from './comparison-counts';
export type { RegressionBound } from './comparison-evidence';
export { judgeComparison } from './comparison-judge';
export type { ComparisonCheckSettings } from './comparison-judge';
export { judgeShares, judgedSlots } from './comparison-share';
export type { ShareSettings } from './comparison-share';
export type { KnownCounts, OnNoData } from './comparison-window';
export { LeaseTaken, markEnded, NewerLease } from './lease';
export type { Lease, LeaseContent, LeaseLook, ShiftEndRecord, ShiftRecord } from './lease';
export type { CheckRecord, LogRecord, ShiftOutcome, Verdict, WriteRecord } from './outcome';
export type { ShiftAction } from './machine/actions';
export type { ShiftAnswer } from './machine/answer';
export type {
  MemberWeights,
  NamedResult,
  RouterFailed,
  ShiftChecked,
  ShiftEvent,
  ShiftLive,
  ShiftStarted,
} from './machine/events';
export { next } from './machine/next';
export { initialState } from './machine/states';
export type {
  Course,
  End,
  Look,
  ShiftAnnouncing,
  ShiftEnded,
  ShiftEnding,
  ShiftPaused,
  ShiftPreparing,
  ShiftReading,
  ShiftReturning,
  ShiftStanding,
  ShiftStarting,
  ShiftState,
  ShiftWriting,
  Unsure,
} from './machine/states';
export { memoryLease, noLease } from './memory-lease';
export type { LeaseMemory, MemoryLeaseOptions } from './memory-lease';
export type { ShiftActivity, ShiftObserver, ShiftProgress } from './observer';
export { RouterError, refuseChanged } from './router';
export type { Router, RouterFailure } from './router';
export { RoutersApart, routerGroup } from './router-group';
export { askChecks } from './driver/ask-checks';
export { runShift } from './run-shift';
export type { Resume, ShiftRun } from './shift-run';
export { outlook } from './outlook';
export type { Outlook } from './outlook';
export { schedule } from './schedule';
export type { OnTheWay, Schedule, ScheduledStep } from './schedule';
export { shiftPlan } from './shift-plan';
export type { ShiftPlan } from './shift-plan';
export { shiftSettingsKeys } from './shift-settings';
export type { ShiftSettings } from './shift-settings';
export { shiftSettingsProblems } from './shift-settings-problems';
export type { ShiftSubject, ShiftedSlot } from './subject';
export { describeDuration, describeFigure, describeResult, describeWeights } from './texts';
export { stepsBetween } from './way';
export type { Step } from './way';
export { nextWaves } from './waves/next-waves';
export { runWaves } from './waves/run-waves';
export type { WavesOutcome, WavesRun } from './waves/run-waves';
export { initialWaves, wavesProblems } from './waves/waves';
export type { WaveShift, WavesAction, WavesAnswer, WavesEvent, WavesPlan, WavesState } from './waves/waves';
export { equalWeights, fullWeights, weightProblems, weightsBefore } from './weights';
export type { Weights } from './weights';
export { combinedResult, worstStatus } from './targets/combined-result';
export { defaultCapacity, judgeCapacity } from './targets/judge-capacity';
export { defaultHealthyShare, judgeTargets } from './targets/judge-targets';
export { referenceSlots, slotsToJudge, weightsToBe } from './targets/slots-to-judge';
export type { TargetCounts } from './targets/target-counts';

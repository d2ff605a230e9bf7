export { steadyClock, systemClock } from '../../core/async';
export type { Clock } from '../../core/async';
export { capacityCheckName, capacityLeftText, capacityRecord, giveBackRaised, podsFor } from './capacity';
export type { Capacity, CapacityLeft, CapacityRecord, CapacityRequest, RaisedSlot } from './capacity';
export { SourceError, combinedResult, isBeyond, worstStatus } from './check';
export type {
  Check,
  CheckBaseline,
  CheckResult,
  CheckStage,
  CheckStatus,
  CheckWindow,
  Figure,
  FigureCounts,
  ShiftSubject,
  ShiftedSlot,
  PreviewValue,
  SlotPreview,
  WeightsWritten,
} from './check';
export { runChecks } from './driver/ask-checks';
export { failedChecks, failureSentence } from './failure';
export {
  endSentence,
  endWords,
  formatRoundedDuration,
  formatFigure,
  formatResult,
  formatWeights,
  saysAborted,
} from './format';
export {
  LeaseTaken,
  NewerLease,
  evacuationText,
  forgetEvacuation,
  markEnded,
  shiftRecord,
  withoutEvacuation,
} from './lease';
export type {
  EvacuationRecord,
  Lease,
  LeaseContent,
  LeaseLook,
  ShiftApproval,
  ShiftEndRecord,
  ShiftRecord,
} from './lease';
export type {
  MemberWeights,
  NamedResult,
  RouterFailed,
  ShiftAction,
  ShiftChecked,
  ShiftEvent,
  ShiftLive,
  ShiftRequested,
  ShiftStarted,
} from './machine/events';
export { next } from './machine/next';
export { weightsAhead } from './machine/shift-context';
export { initialState } from './machine/states';
export type {
  ShiftContext,
  ShiftEnd,
  CheckPolling,
  ShiftRecording,
  ShiftAnswer,
  ShiftEnded,
  ShiftEnding,
  ShiftPaused,
  ShiftPreparing,
  ShiftReading,
  ShiftRollingBack,
  ShiftObserving,
  ShiftStarting,
  ShiftState,
  ShiftWriting,
  InconclusiveCheck,
} from './machine/states';
export { checksWaitedFor, combinedObserver } from './outcome';
export type {
  ApprovalRecord,
  CheckRecord,
  LogRecord,
  ShiftActivity,
  ShiftObserver,
  ShiftOutcome,
  ShiftProgress,
  Verdict,
  WriteRecord,
} from './outcome';
export { outlook } from './outlook';
export type { Outlook } from './outlook';
export { settingsBack, shiftPlan } from './plan';
export type { ShiftPlan } from './plan';
export { RouterError, refuseChanged } from './router';
export type { Router, RouterFailure } from './router';
export { RoutersDiverged, routerGroup } from './router-group';
export { runShift } from './run-shift';
export type { Agreed, Resume, ShiftRequest, ShiftRequests, ShiftRun } from './shift-run';
export { schedule, scheduleWithin } from './schedule';
export type { OnTheWay, Schedule, ScheduledStep } from './schedule';
export { rollbackProblems, shiftSettingsEntries, shiftSettingsProblems, withStepRules } from './settings';
export type { ShiftSettings } from './settings';
export { stepsBetween } from './steps';
export type { ShiftStep, StepPlaces } from './steps';
export { initialWaves, nextWaves, wavesProblems } from './waves/machine';
export type { WaveShift, WavesAction, WavesAnswer, WavesEvent, WavesPlan, WavesState } from './waves/machine';
export { runWaves } from './waves/run';
export type { WavesOutcome, WavesRun } from './waves/run';
export { equalWeights, fullWeights, leastWeights, weightProblems, assumedLiveWeights } from './weights';
export type { Weights } from './weights';

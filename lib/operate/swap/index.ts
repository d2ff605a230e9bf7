export { sameConfiguration, versionOf } from './configuration';
export type { FleetConfiguration, SlotSetting } from './configuration';
export { runSwap } from './driver';
export type { SwapAction, SwapEvent, SwapStarted } from './machine/events';
export { foreseeSwap } from './foresee';
export type { ForeseeOptions, ForeseenDeployment, ForeseenSwap } from './foresee';
export { drainedBy } from './machine/left-behind';
export { nextSwap } from './machine/next';
export { endWords, initialSwap } from './machine/states';
export type { SwapAnswer, SwapEnd, SwapState } from './machine/states';
export { unexpectedChanges, weightChanges } from './expected-changes';
export type { DeploymentMeaning } from './expected-changes';
export { fleetObserver } from './observe';
export type { ObserverSettings } from './observe';
export { phaseFacts } from './phase-facts';
export type { KnownBeside, PhaseFact, PhaseFactName } from './phase-facts';
export { deployingPhases, optionalPhases, swapPhases, windowPhases } from './phases';
export type { SwapPhase } from './phases';
export { checksPhase } from './phases/checks';
export type { ChecksPhase } from './phases/checks';
export { drainPhase } from './phases/drain';
export type { DrainPhase } from './phases/drain';
export { prescalePhase } from './phases/prescale';
export type { PrescalePhase } from './phases/prescale';
export { readyPhase } from './phases/ready';
export type { ReadyPhase } from './phases/ready';
export type { FleetRoutes } from './phases/routes';
export type { PhaseApproval, PhasePlan, SwapPlan } from './plan';
export { DeploymentRefused, ProgramChanged } from './program';
export type { DrainedSlot, FleetProgram, ProgramChange, ProgramCommit, ProgramDeployment } from './program';
export type {
  BackStep,
  DonePhase,
  SwapAdoption,
  SwapBack,
  SwapEnded,
  SwapRecord,
  SwapSlot,
  SwapStopped,
} from './record';
export type { PhaseAnswer, PhaseRun, PhaseRunner } from './runner';
export type { SeenCluster, SwapSeen } from './seen';
export { memorySwapStore } from './store';
export type { MemorySwapStore, SwapContent, SwapLook, SwapMemory, SwapStore } from './store';
export type {
  Approvals,
  RanPhase,
  RunPhase,
  SwapLine,
  SwapObserve,
  SwapObserver,
  SwapOutcome,
  SwapRun,
} from './swap-run';
export { nextOpening } from './windows';
export type { TimeWindow } from './windows';
export { commandsProgram, commandsProgramSchema } from './programs/commands';
export type { CommandsProgramOptions, CommandsProgramSettings } from './programs/commands';
export { checkExpected } from './programs/expected';
export { readFleet, withFleet } from './programs/fleet-file';
export type { FleetPlaces } from './programs/fleet-file';
export { gitProgram, gitProgramSchema } from './programs/git';
export type { DeployedSettings, GitHubSettings, GitProgramOptions, GitProgramSettings } from './programs/git';
export { pulumiProgramSchema } from './programs/pulumi-settings';
export type { PulumiProgramSettings } from './programs/pulumi-settings';
export { swapHistory, unfinishedSwap } from './history-entry';
export type { SupportByVersion } from './history-entry';
export { swapRecords } from './record-schema';
export { swapStoreAccess, swapStorePermissions } from './store/rights';
export { swapLeaseId, swapStore } from './store/swap-store';
export type { SwappedFleet } from './store/swap-store';
export { leftApprovals, openAnswers } from './answers/answers';
export type { AnswerStore, ApprovalPlaces } from './answers/answers';
export type { SwapAnswerNote } from './answers/answer-record';
export {
  checkedSwap,
  checkedSwapWaves,
  readSwap,
  readSwapFile,
  readSwapWaves,
  readSwapWavesFile,
  swapPlan,
} from './file';
export type {
  CheckedSwapFile,
  CheckedSwapWaves,
  ProgramSettings,
  SwapLeaseSettings,
  SwapSettings,
  SwapWavesSettings,
  WaveFleetSettings,
} from './file';
export { describeConfiguration } from './machine/sight';
export { openRecords, openSwap } from './open-swap';
export type { OpenRecords, OpenSwap, OpenSwapOptions } from './open-swap';
export { swapOutlook } from './outlook';
export type { DeployAction, OutlookPhase, OutlookSwap, SwapOutlook } from './outlook';
export { swapAccess, swapPermissions, swapRoles, swapWavesAccess, swapWavesPermissions } from './rights';
export type { PlacedSwap, SwapClusterAccess } from './rights';
export { addHistory, dropAnswers, runOpenSwap } from './run-open-swap';
export type { OpenSwapRun } from './run-open-swap';
export { runOpenSwaps } from './run-open-swaps';
export type { OpenSwapsRun } from './run-open-swaps';
export { runSwapWaves } from './waves/run';
export type { SwapWavesOutcome, SwapWavesRun, WaveSwap } from './waves/run';

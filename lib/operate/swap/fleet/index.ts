export { sameConfiguration, versionOf } from '../configuration';
export type { FleetConfiguration, SlotSetting } from '../configuration';
export type {
  ApprovalSettings,
  CheckedPhaseSettings,
  CommonPhaseSettings,
  DrainPhaseSettings,
  FailureSettings,
  OptionalPhaseSettings,
  PhasesSettings,
  PrescaleSettings,
  ProgramSettings,
  ReadySettings,
  ShiftPhaseSettings,
  SoakSettings,
  SwapLeaseSettings,
  SwapSettings,
  WindowSettings,
} from '../file';
export type { ForeseenDeployment } from '../foresee';
export type { SwapEnd } from '../machine/states';
export type { OutlookPhase, OutlookSwap } from '../outlook';
export { swapPhases } from '../phases';
export type { SwapPhase } from '../phases';
export type { PhaseApproval, PhasePlan } from '../plan';
export { DeploymentRefused, ProgramChanged } from '../program';
export type { DrainedSlot, FleetProgram, ProgramChange, ProgramCommit, ProgramDeployment } from '../program';
export type { CommandsProgramSettings } from '../programs/commands';
export { checkExpected } from '../programs/expected';
export type { DeployedSettings, GitHubSettings, GitProgramSettings } from '../programs/git';
export type { PulumiProgramSettings } from '../programs/pulumi-settings';
export type { SecretSource } from '../../../core/secret-source';
export type {
  BackStep,
  DonePhase,
  SwapAdoption,
  SwapBack,
  SwapEnded,
  SwapRecord,
  SwapSlot,
  SwapStopped,
} from '../record';
export type { PhaseAnswer, PhaseRun } from '../runner';
export type { SeenCluster, SwapSeen } from '../seen';
export { memorySwapStore } from '../store';
export type { MemorySwapStore, SwapContent, SwapLook, SwapMemory, SwapStore } from '../store';
export type { RanPhase, RunPhase, SwapLine, SwapObserve, SwapOutcome } from '../swap-run';
export type { ApprovalAnswer, ApprovalQuestion, AskApproval } from './approvals';
export type { RunsPhase, SwapFleetObserver, SwapFleetOptions } from './options';
export { swapOutlook } from './outlook';
export type { FleetOutlook } from './outlook';
export { readSwapFile } from './settings';
export type { ReadSwap, SwapFleetSettings } from './settings';
export { swapFleet } from './swap-fleet';

export type {
  ApprovalSettings,
  CheckedPhaseSettings,
  CommonPhaseSettings,
  DrainPhaseSettings,
  FailureSettings,
  OptionalPhaseSettings,
  PhasesSettings,
  PrescaleSettings,
  ReadySettings,
  SoakSettings,
} from './phase-settings';
export { swapProblems } from './problems';
export { checkedSwap, readSwap, readSwapFile, readSwapSettings, swapPlan, withDefaults } from './read-swap';
export type { CheckedSwapFile, ProgramSettings, SwapLeaseSettings, SwapSettings } from './swap-file';
export type { WindowSettings } from './windows';

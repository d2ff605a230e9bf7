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
  ShiftPhaseSettings,
  SoakSettings,
} from './phase-settings';
export { swapProblems } from './problems';
export { checkedSwap, readSwap, readSwapFile, readSwapSettings, swapPlan, withDefaults } from './read-swap';
export { checkedSwapWaves, readSwapWaves, readSwapWavesFile } from './read-swap-waves';
export type { CheckedSwapFile, ProgramSettings, SwapLeaseSettings, SwapSettings } from './swap-file';
export type { CheckedSwapWaves, SwapWavesSettings, WaveFleetSettings } from './swap-waves-file';
export type { WindowSettings } from './windows';

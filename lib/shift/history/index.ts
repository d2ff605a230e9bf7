export { newestShifts } from './history-kind';
export type { HistoryRight, KeptShifts, OpenShiftHistory, ShiftHistory, ShiftQuery } from './history-kind';
export { keepShifts, keptLines } from './keep';
export type { EndedShift, KeepOptions, KeepReport } from './keep';
export { longestShift, readShifts, shiftIdForm } from './kept-shift';
export type { KeptShift, ReadShift } from './kept-shift';
export { historyNamespace } from './kubernetes';
export type { HistoryNamespace, KubernetesHistorySettings } from './kubernetes';
export type { ShiftOrigin } from './outcome-schema';
export type { S3HistorySettings } from './s3';
export {
  openShiftHistory,
  shiftHistoryAccess,
  shiftHistoryPermissions,
  shiftHistorySchema,
} from './settings';
export type { ShiftHistorySettings } from './settings';

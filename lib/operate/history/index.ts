export type {
  HistoryCost,
  HistoryEntry,
  HistoryList,
  HistoryPhase,
  HistoryQuery,
  HistorySlot,
  HistoryStore,
} from './entry';
export { historyDocument, historyText } from './report';
export { keptItem } from './report';
export type { HistoryItem, HistoryReport, ShiftItem, OpenSwap } from './report';
export { historyAccess, historyOfLease, historyPermissions, openHistory } from './settings';
export type { HistoryNamespace, KeptShift, ShiftOrigin } from '../../shift/history';
export type { HistorySettings, HistoryUse, OpenHistory } from './settings';

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
export type { HistoryItem, HistoryReport, NewestShift, OpenSwap } from './report';
export { historyAccess, historyOfLease, historyPermissions, openHistory } from './settings';
export type { HistoryNamespace, HistorySettings, HistoryUse, OpenHistory } from './settings';

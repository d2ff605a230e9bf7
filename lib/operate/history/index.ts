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
export {
  historyAccess,
  historyOfLease,
  historyPermissions,
  openHistory,
  parseHistoryPlace,
} from './settings';
export type { HistorySettings, HistoryUse, OpenHistory } from './settings';

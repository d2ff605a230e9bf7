export type { MessageCategory, MessagePattern, MessagePlace } from './message-pattern';
export { messagePatterns } from './patterns';
export { sortMessage } from './sort-message';
export type { SortedMessage } from './sort-message';
export { syncCheck } from './sync-check';
export type { SyncOptions } from './sync-check';

export type { ShiftAnswer, ShiftAnswers } from './answer-record';
export { followShift, giveAnswer, readStatus } from './follow';
export type { FollowOptions, WatchedShift } from './follow';
export type { ShiftStatus, ShiftStatusEnd, ShiftStatusSoFar } from './status-record';
export { openWatchStores, watchLeaseNames, watchPermissions } from './stores';
export type { WatchStores } from './stores';
export { WatchedRun } from './watched-run';
export type { WatchedRunOptions } from './watched-run';

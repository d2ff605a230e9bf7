export { isSentByItself } from './listener-rules';
export { liveShare } from './live-traffic';
export type { SlotShare } from './live-traffic';
export { recordRoutes, slotRecordRoutes } from './record-routes';
export type { SlotRecordSearch } from './record-routes';
export { namedSlot, slotRoutes } from './slot-routes';
export type { FoundRoutes, SlotRoutes } from './slot-routes';
export { isTargetOfSlot } from './target-groups';
export type { SlotIdentity } from './target-groups';

export { liveShare } from './live-traffic';
export type { SlotShare } from './live-traffic';
export { namedSlot, slotRoutes } from './slot-routes';
export type { SlotRoutes } from './slot-routes';
export { isTargetOfSlot } from './target-groups';
export type { SlotIdentity } from './target-groups';

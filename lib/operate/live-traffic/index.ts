export { isTargetOfSlot, liveShare } from './live-traffic';
export { namedSlot, slotRoutes } from './slot-routes';
export type { SlotRoutes } from './slot-routes';
export type { SlotIdentity, SlotShare } from './live-traffic';

export { isTargetOfSlot, liveShare } from './live-traffic';
export type { SlotIdentity, SlotShare } from './live-traffic';

export { registrations } from './registrations';
export type { Hub, Registration } from './registrations';
export { openWindows } from './sync-windows';
export type { KeptWindow, KeptWindowHub, OpenWindows, WatchedRouter } from './sync-windows';
export {
  LabelShift,
  LabelWriter,
  activeSlot,
  labelManager,
  openLabels,
  trafficPart,
  trafficParts,
} from './traffic-labels';
export type {
  LabelledFleet,
  LabelledHub,
  OpenLabels,
  TrafficPart,
  TrafficState,
  WantedLabels,
} from './traffic-labels';

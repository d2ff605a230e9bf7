export { namedHub, registrations } from './registrations';
export type { Hub, Registration } from './registrations';
export { openWindows } from './sync-windows';
export type { KeptWindow, KeptWindowHub, OpenWindows, WatchedRouter } from './sync-windows';
export {
  LabelShift,
  LabelWriter,
  activeSlot,
  labelManager,
  openLabels,
  trafficRole,
  trafficRoles,
} from './traffic-labels';
export type {
  LabelledFleet,
  LabelledHub,
  OpenLabels,
  TrafficRole,
  TrafficState,
  WantedLabels,
} from './traffic-labels';

export { activeLabel, trafficLabel } from '../../core/names';
export {
  LabelShift,
  LabelWriter,
  activeSlot,
  openLabels,
  openWindows,
  trafficRole,
  trafficRoles,
} from '../argocd';
export type {
  Hub,
  KeptWindow,
  KeptWindowHub,
  LabelledFleet,
  LabelledHub,
  OpenLabels,
  OpenWindows,
  TrafficRole,
  TrafficState,
  WantedLabels,
  WatchedRouter,
} from '../argocd';
export { describedCluster, drainAws } from './aws';
export type { DescribedCluster, DrainClients } from './aws';
export type { ClusterOutcome } from './cluster';
export { drainAccess } from './cluster-objects';
export { drainSlot, reportLines } from './drain';
export type { DrainDependencies, DrainReport, PausedHub } from './drain';
export { resumeGitOps } from './pause';
export type { ResumedHub } from './pause';
export { leftoverText } from './leftovers';
export type { Leftover, LeftoverKind } from './leftovers';
export { listLeftovers, sweepLeftovers } from './rights';
export {
  drainSettingsEntries,
  drainSettingsProblems,
  drainTimes,
  targetOf,
  targetProblems,
} from './settings';
export type { DrainSettings, DrainTarget, DrainTimes } from './settings';
export { shareWords, stickyWayOut } from './wait-idle';
export type { LiveShare, StickyTraffic } from './wait-idle';

export { shiftAccess, shiftAccessByCluster } from './access';
export type { ClusterAccess } from './access';
export type { AwsAccess } from '../aws';
export type { KubernetesSettings } from '../kubernetes';
export type {
  KubernetesLeaseSettings,
  LeaseDuration,
  LeaseSettings,
  SsmLeaseSettings,
} from './lease-settings';
export { leaseProblems, leaseSettingsKeys } from './lease-settings';
export type { LabelHubSettings, LabelSettings } from './label-settings';
export { hasLease, openLease } from './open-lease';
export type { OpenLease } from './open-lease';
export { openRoute } from './open-route';
export type { OpenRoute } from './open-route';
export type {
  CommonSettings,
  Plan,
  PlannedShift,
  PlanSettings,
  SinglePlanSettings,
  WavesPlanSettings,
} from './plan';
export { attachingRouter } from './attaching-router';
export { kubeconfigProblems } from './plan-checks';
export { planProblems } from './plan-problems';
export { parsePlan, readPlan } from './read-plan';
export type { RouterSettings, RouteSettings, SimulatedSettings, SlotSettings } from './route-settings';
export { shiftRights, shiftRoles } from './rights';
export { windowProjectsProblems, windowScopeProblems } from './window-settings';
export type { SyncWindowHubSettings, SyncWindowSettings } from './window-settings';

export type { AwsAccess } from '../../core/aws/arns';
export type { KubernetesSettings } from '../../core/kubernetes/access';
export type { CapacityPreview, CapacitySettings, Scaling, ServiceName, SlotCapacity } from '../capacity';
export type { ApprovalSettings, GitHubApprovalSettings } from '../approvals';
export type { ShiftHistorySettings } from '../history';
export type { ApprovalLinkSettings } from '../page';
export type {
  ShiftAnswer,
  ShiftAnswers,
  ShiftStatus,
  ShiftStatusEnd,
  ShiftStatusSoFar,
  WatchStores,
} from '../watch';
export { hubsSchema, projectsSchema, windowScope } from './hub-settings';
export type {
  LabelHubSettings,
  LabelSettings,
  SyncWindowHubSettings,
  SyncWindowSettings,
} from './hub-settings';
export { openRoute } from './open-route';
export type { OpenRoute } from './open-route';
export { shiftAccess, shiftAccessByCluster, shiftPermissions, shiftRoles } from './permissions';
export type { ClusterAccess } from './permissions';
export { hasLease, leaseOf, planOfRoute } from './plan';
export type {
  CommonSettings,
  CheckedPlanFile,
  PlanSettings,
  PlannedShift,
  SinglePlanSettings,
  WavesPlanSettings,
} from './plan';
export { kubeconfigProblems, planProblems, waveProblems } from './problems';
export { parsePlan, readPlan } from './read-plan';

export {
  argoCdChartVersion,
  argoCdValues,
  clusterServiceAccounts,
  installationProblems,
} from './argo-cd-chart';
export type { ArgoCdDuty, ArgoCdInstallation } from './argo-cd-chart';
export { ArgoCdHub } from './argo-cd-hub';
export type { ArgoCdAccess } from './argo-cd-security';
export { argoCdSizing } from './argo-cd-sharding';
export type { ArgoCdSize, ArgoCdSizing, HubSize } from './argo-cd-sharding';
export type { ArgoCdSso, DexConnector, DexLogin, DexValue, OidcLogin } from './argo-cd-sso';
export { busyApplications } from './handover/busy';
export { hubApplications } from './handover/hub-application';
export type { HubApplication } from './handover/hub-application';
export { handoverObstacles } from './handover/obstacles';
export type { HandoverSettings, HandoverTimes } from './handover/settings';
export { handoverSteps } from './handover/steps';
export type { DueHandover } from './handover/steps';
export type { ArgoCdHubArgs } from './hub-arguments';
export type { HubAddress } from './hub-address';
export { HubIdentity } from './hub-identity';
export type { HubIdentityArgs } from './hub-identity';
export type { HubCluster } from './hub-clusters';
export type { HubCredential, HubCredentialTemplate, HubRepository } from './hub-objects';
export type { InstalledHub } from './installed-hub';
export { ManagedArgoCd } from './managed-argo-cd';
export type { ManagedArgoCdArgs, ManagedArgoCdPeople } from './managed-argo-cd-arguments';
export { standbyApplicationSet } from './standby';
export { TargetAccess } from './target-access';
export type { TargetAccessArgs, TargetRightArgs, TargetRights } from './target-access';

export { HubIdentity, TargetAccess } from './access';
export type { HubIdentityArgs, TargetAccessArgs, TargetRightArgs, TargetRights } from './access';
export { ArgoCdHub } from './argo-cd-hub';
export {
  argoCdChartVersion,
  argoCdValues,
  clusterServiceAccounts,
  installationProblems,
} from './argo-cd/chart';
export type { ArgoCdAccess, ArgoCdRequirements, ArgoCdInstallation } from './argo-cd/chart';
export { argoCdSizing } from './argo-cd/sharding';
export type { ArgoCdSize, ArgoCdSizing, HubSize } from './argo-cd/sharding';
export type { ArgoCdSso, DexConnector, DexLogin, DexValue, OidcLogin } from './argo-cd/sso';
export type { HubAddress, HubCluster, InstalledHub } from './clusters';
export { hubApplications } from './handover/applications';
export type { HubApplication } from './handover/applications';
export { busyApplications, handoverBlockers } from './handover/compare-hubs';
export type { HandoverSettings, HandoverTimes } from './handover/dependencies';
export { handoverSteps } from './handover/handover';
export type { PendingHandover } from './handover/handover';
export type { ArgoCdHubArgs } from './hub-args';
export { standbyApplicationSet } from './hub-objects';
export type { HubCredential, HubCredentialTemplate, HubRepository } from './hub-objects';
export { ManagedArgoCd } from './managed-argo-cd';
export type { ManagedArgoCdArgs, ManagedArgoCdPeople } from './managed-argo-cd-args';

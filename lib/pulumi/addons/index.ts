export { parseClusterArn } from '../../core/aws/arns';
export type { ClusterArn } from '../../core/aws/arns';
export { policyOf } from '../../core/aws/iam';
export type { PolicyCondition, PolicyDocument, PolicyStatement } from '../../core/aws/iam';
export { addonLabel, waveLabel } from '../../core/names';
export { deliveredBy, deliveryOf, deliveries, existingAddon } from './addon';
export type {
  AddonCluster,
  AddonResources,
  AddonSlot,
  AddonState,
  AddonTarget,
  ChartRelease,
  Delivery,
  HelmChart,
} from './addon';
export { Addon } from './addon-kinds';
export * from './catalogue';
export type { CatalogueOptions } from './catalogue/catalogue';
export { argoAddons, comparingPatch, fleetAddonsName } from './delivery/argo';
export type { AddonDestination, ArgoAddonOptions, FleetAddons } from './delivery/argo';
export { addonsHelmfile, helmfileLabel, helmfileValues, moveToPulumiSteps } from './delivery/helmfile';
export { EksAddon } from './eks-addon';
export type { EksAddonOptions, EksAddonResources, EksAddonVersion } from './eks-addon';
export { HelmAddon } from './helm-addon';
export type { ChartOptions, HelmAddonOptions, HelmAddonResources, HelmReleaseArgs } from './helm-addon';
export { mergeValues } from './helm-values';
export type { HelmValues } from './helm-values';
export { checkAddons, checkAddonsFit, installAddons, installOrder } from './install';
export type { Ordered } from './install';
export {
  chartSupport,
  eksKubernetesVersion,
  newestKubernetes,
  supportOf,
  supportWarnings,
  supportedKubernetes,
} from './kubernetes-support';
export type { ChartSupport, SupportVerdict } from './kubernetes-support';
export { ManifestsAddon } from './manifests-addon';
export type { ManifestFile, ManifestsAddonOptions, ManifestsAddonResources } from './manifests-addon';
export { PodIdentityRole, podIdentityTrust, podRoleEntries, serviceAccountRef } from './pod-identity';
export type { AddonIdentity, PodIdentityRoleArgs, ServiceAccountRef } from './pod-identity';
export type { PodSecurityLevel } from './pod-security';
export { removedApi, removedApis } from './removed-apis';
export type { RemovedApi } from './removed-apis';

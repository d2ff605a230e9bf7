export { parseClusterArn } from '../../core/aws/arns';
export type { ClusterArn } from '../../core/aws/arns';
export { policyOf } from '../../core/aws/iam';
export type { PolicyCondition, PolicyDocument, PolicyStatement } from '../../core/aws/iam';
export { addonLabel, waveLabel } from '../../core/names';
export { broughtBy, courierOf, couriers, existingAddon } from './addon';
export type {
  AddonCluster,
  AddonResources,
  AddonSlot,
  AddonState,
  AddonTarget,
  ChartRelease,
  Courier,
  HelmChart,
} from './addon';
export { Addon } from './addon-kinds';
export { argoEvents, argoEventsName } from './catalogue/argo-events';
export type { ArgoEventsOptions } from './catalogue/argo-events';
export { argoRollouts, argoRolloutsName } from './catalogue/argo-rollouts';
export type { ArgoRolloutsOptions, RolloutsRouter } from './catalogue/argo-rollouts';
export { argoWorkflows, argoWorkflowsName } from './catalogue/argo-workflows';
export type { ArgoWorkflowsOptions } from './catalogue/argo-workflows';
export {
  awsLoadBalancerController,
  awsLoadBalancerControllerName,
} from './catalogue/aws-load-balancer-controller/aws-load-balancer-controller';
export type {
  AwsLoadBalancerControllerOptions,
  AwsLoadBalancerControllerResources,
} from './catalogue/aws-load-balancer-controller/aws-load-balancer-controller';
export {
  ingressStatements,
  targetGroupBindingStatements,
} from './catalogue/aws-load-balancer-controller/permissions';
export type { TargetGroupBindingRights } from './catalogue/aws-load-balancer-controller/permissions';
export type { LoadBalancerControllerManages } from './catalogue/aws-load-balancer-controller/values';
export type { CatalogueOptions } from './catalogue/catalogue';
export { certManager, certManagerName } from './catalogue/cert-manager';
export type { CertManagerOptions, CertManagerReplicas } from './catalogue/cert-manager';
export { flagger, flaggerName } from './catalogue/flagger';
export type { FlaggerOptions } from './catalogue/flagger';
export { gatewayApiCrds, gatewayApiCrdsName } from './catalogue/gateway-api-crds';
export type { GatewayApiCrdsOptions } from './catalogue/gateway-api-crds';
export { argoAddons, comparingPatch, fleetAddonsName } from './delivery/argo';
export type { AddonDestination, ArgoAddonOptions, FleetAddons } from './delivery/argo';
export { addonsHelmfile, helmfileLabel, helmfileValues, stepsBack } from './delivery/helmfile';
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
export { PodIdentityRole, podIdentityTrust, serviceAccountRefKeys } from './pod-identity';
export type { AddonIdentity, PodIdentityRoleArgs, ServiceAccountRef } from './pod-identity';
export type { PodSecurityLevel } from './pod-security';
export { removedApi, removedApis } from './removed-apis';
export type { RemovedApi } from './removed-apis';

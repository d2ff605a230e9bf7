export { kubernetesLease, kubernetesLeaseName, shiftRecordAnnotation } from './kubernetes-lease';
export type { KubernetesLease, KubernetesLeaseOptions, KubernetesLeases } from './kubernetes-lease';
export { leaseName } from './lease-name';
export { longestDuration } from './lease-options';
export type { LeaseOptions } from './lease-options';
export { ssmLease, ssmLeaseParameter, ssmLeaseRights } from './ssm-lease';

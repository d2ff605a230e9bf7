export { shiftRecordAnnotation } from '../../core/names';
export { leaseName, longestDuration, userOnMachine } from './document';
export type { LeaseOptions } from './document';
export {
  kubernetesLease,
  kubernetesLeaseAccess,
  kubernetesLeaseName,
  kubernetesLeaseNameOf,
} from './kubernetes';
export type { KubernetesLease, KubernetesLeaseOptions, KubernetesLeases } from './kubernetes';
export { memoryLease, noLease } from './memory';
export type { LeaseMemory, MemoryLeaseOptions } from './memory';
export type { LongPart, RecordKind, SeizedLease } from './record-kind';
export { leaseSchema, neededLeaseSchema, openLease, openLeaseOf } from './settings';
export type {
  KubernetesLeaseSettings,
  LeaseDuration,
  LeaseSettings,
  OpenLease,
  SsmLeaseSettings,
} from './settings';
export { ssmLease, ssmLeaseParameter, ssmLeasePermissions } from './ssm';

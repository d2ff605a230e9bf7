export { accessRuleKeys } from './access-rule';
export type { AccessRule } from './access-rule';
export { CarefulReader } from './careful-reader';
export type {
  ApplyOptions,
  KubernetesApi,
  KubernetesReader,
  ListOptions,
  RemoveOptions,
  WriteOptions,
} from './kubernetes-api';
export { KubernetesError, isKubernetesError } from './kubernetes-error';
export type { KubernetesFailure } from './kubernetes-error';
export type {
  KubernetesObject,
  ObjectMetadata,
  ObjectReference,
  OwnerReference,
  ResourceKind,
} from './kubernetes-object';
export { openKubernetes } from './open';
export { readsPodLogs } from './pod-logs';
export type { PodLogOptions, PodLogs } from './pod-logs';
export type { CallLimits } from './retry';
export type { ServerVersion } from './server-version';
export type { KubernetesSettings, Surroundings } from './settings';

export type { AccessRule } from './access-rule';
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
export type { CallLimits } from './retry';
export type { KubernetesSettings, Surroundings } from './settings';

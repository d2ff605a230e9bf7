import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import type { Manifests } from '../bridge';

/** One Argo CD of the hub. */
export interface InstalledHub {
  /** Whether this one writes. */
  readonly active: boolean;
  /** The Helm release. */
  readonly release: k8s.helm.v3.Release;
  /** Projects, repositories, cluster Secrets and ApplicationSets. */
  readonly objects: Manifests;
  /** What lets it deliver add-ons of the managed fleets, where it delivers any. */
  readonly addons?: Manifests;
  /** Provider of the cluster that it runs on. */
  readonly kubernetes: k8s.Provider;
  /** What is there when this one does its duty: let what relies on that depend on it. */
  readonly ready: readonly pulumi.Resource[];
}

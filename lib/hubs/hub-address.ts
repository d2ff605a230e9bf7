import type * as pulumi from '@pulumi/pulumi';

/** Where an Argo CD is asked: what checks, labels and sync windows of a shift take. */
export interface HubAddress {
  /** Kubeconfig of its cluster as JSON, without credentials. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Namespace of Argo CD. */
  readonly namespace: string;
}

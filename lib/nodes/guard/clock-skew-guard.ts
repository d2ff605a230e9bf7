import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { refuseOptions } from '../../problems';
import { register } from '../register';
import { guardObjects } from './guard-objects';
import type { ClockSkewGuardProps } from './guard-props';
import { clockSkewGuardPropsKeys } from './guard-props';
import { guardSettings } from './guard-settings';

/**
 * Measures the clocks of all nodes and raises alerts, without anything on the nodes: a small Deployment compares what each
 * kubelet writes into its Lease with the API server's time of that write, and offers the skew of every node as a metric.
 * It cordons and taints nothing.
 *
 * With a `gate`, nodes that start with the taint `cluster-canary/clock` take pods only when their clock is right. The guard
 * then runs on such nodes as well. It belongs into each cluster, by the way that the cluster's first software comes: where
 * Argo CD delivers it to its own cluster, whose nodes are all gated, neither of them starts.
 *
 * Needs the Prometheus Operator's definitions, unless `monitoring` is `false`.
 *
 * @example
 * new nodes.ClockSkewGuard(chart, 'clocks', {
 *   namespace: 'clock-guard',
 *   image: 'registry.example.com/cluster-canary@sha256:…',
 *   gate: true,
 * });
 */
export class ClockSkewGuard extends Construct {
  /** The Deployment. */
  public readonly deployment: ApiObject;
  /** The service account of its pod. */
  public readonly serviceAccount: {
    /** Its namespace. */
    readonly namespace: string;
    /** Its name. */
    readonly name: string;
  };

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: ClockSkewGuardProps) {
    refuseOptions(`ClockSkewGuard "${id}"`, props, clockSkewGuardPropsKeys);
    super(scope, id);
    const settings = guardSettings(props);
    const { name, namespace } = settings;
    this.serviceAccount = { namespace, name };
    const objects = register(this, guardObjects(settings));
    this.deployment = objects.find(({ kind }) => kind === 'Deployment')!;
    // Before there is a policy, its account could change anything of a node.
    this.deployment.addDependency(
      ...objects.filter(({ kind }) => /^(Validating|Role|ClusterRole)/.test(kind)),
    );
  }
}

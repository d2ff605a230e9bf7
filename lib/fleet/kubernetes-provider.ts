import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { programLog, watchInterrupts } from '../bridge';
import { kubeconfig } from './kubeconfig';
import { madeClusters } from './made-clusters';
import { waitUntilReachable } from './reachability';
import type { ClusterCredentials } from './slot-arguments';
import type { SlotRef } from './slot-ref';

/** A Kubernetes provider and the kubeconfig in it. */
export interface ClusterConnection {
  /** The provider of the slot's cluster. */
  readonly provider: k8s.Provider;
  /** The kubeconfig as JSON, without credentials: `aws eks get-token` runs whenever a token is needed. */
  readonly kubeconfig: pulumi.Output<string>;
}

/** How a cluster is connected to. */
export interface ConnectionOptions extends pulumi.CustomResourceOptions {
  /**
   * Whether the API server may be gone: a warning then, and what has to be changed there fails by itself.
   * @default false - the deployment ends before it changes anything that needs it
   */
  readonly mayBeGone?: boolean;
}

/** The kubeconfig of a slot's cluster as JSON, without credentials. */
export function kubeconfigText(
  ref: pulumi.Input<SlotRef>,
  credentials: ClusterCredentials | undefined,
): pulumi.Output<string> {
  return pulumi
    .all([ref, credentials?.roleArn])
    .apply(([slot, roleArn]) =>
      JSON.stringify(kubeconfig({ ...slot, roleArn, profile: credentials?.profile }), undefined, 2),
    );
}

/**
 * Connects to a slot's cluster, from plain values: the slot may be of this stack or of another.
 *
 * The provider is identified by the cluster's ARN, so a changed endpoint or certificate authority replaces none
 * of the cluster's objects. During a deployment the API server must answer before anything is asked of it: within 30 s,
 * or within 10 minutes where this run has made the cluster.
 */
export function connectToCluster(
  name: string,
  ref: pulumi.Output<SlotRef>,
  credentials: ClusterCredentials | undefined,
  { mayBeGone = false, ...opts }: ConnectionOptions,
): ClusterConnection {
  const config = kubeconfigText(ref, credentials);
  const made = madeClusters();
  const reachable = pulumi.all([ref, config]).apply(async ([slot, text]) => {
    if (deploys()) {
      await reached(slot, { mayBeGone, isNew: made.has(slot.clusterArn), component: opts.parent });
    }
    return text;
  });
  const provider = new k8s.Provider(
    name,
    { kubeconfig: reachable, clusterIdentifier: ref.apply(({ clusterArn }) => clusterArn) },
    opts,
  );
  return { provider, kubeconfig: config };
}

async function reached(
  slot: SlotRef,
  {
    mayBeGone,
    isNew,
    component,
  }: { mayBeGone: boolean; isNew: boolean; component: pulumi.Resource | undefined },
): Promise<void> {
  const interrupts = watchInterrupts();
  try {
    const say = (line: string): void => programLog.info(line, component);
    await waitUntilReachable(slot, { isNew, say, signal: interrupts.signal });
  } catch (error) {
    if (!mayBeGone || interrupts.signal.aborted) {
      throw error;
    }
    programLog.warn((error as Error).message, component);
  } finally {
    interrupts.stop();
  }
}

/** Whether a real deployment runs: not a preview, and not a program under mocks. */
function deploys(): boolean {
  return !pulumi.runtime.isDryRun() && pulumi.runtime.getEngine() !== undefined;
}

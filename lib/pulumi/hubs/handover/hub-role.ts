import * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import type { HubCluster } from '../clusters';
import type { HubRole, Handover } from './handover';

/** What the ConfigMaps that tell a hub's duty are made of. */
export interface DutyObjectsArgs {
  /** Name of the hub. */
  readonly hub: string;
  readonly cluster: HubCluster;
  /** Namespace of Argo CD. */
  readonly namespace: string;
  readonly duty: HubRole;
  readonly handover: Handover;
  readonly parent: pulumi.Resource;
}

/**
 * Two ConfigMaps on each hub, for people and for the order of a handover: one says what the hub is to do and is changed
 * before anything else there, the other one says that it does so and is changed after all else.
 *
 * They are updated, not replaced, and never go because of a handover: the engine calls a hook for an update alone by
 * its name in this program, while one for a deletion would have to be known to every later program as well.
 */
export class HubRoleObjects {
  public constructor(private readonly args: DutyObjectsArgs) {}

  /** What the hub is to do. */
  public asked(dependsOn: readonly pulumi.Resource[]): k8s.core.v1.ConfigMap {
    const { hub, cluster, handover } = this.args;
    const name = `${hub}-${cluster.slot}-duty`;
    return this.configMap(name, 'cluster-canary-duty', dependsOn, handover.beforeDuty(cluster.slot, name));
  }

  /** That the hub does it: what it did before has ended. */
  public done(dependsOn: readonly pulumi.Resource[]): k8s.core.v1.ConfigMap {
    const { hub, cluster, handover } = this.args;
    const name = `${hub}-${cluster.slot}-duty-done`;
    return this.configMap(
      name,
      'cluster-canary-duty-done',
      dependsOn,
      handover.beforeDone(cluster.slot, name),
    );
  }

  private configMap(
    resource: string,
    name: string,
    dependsOn: readonly pulumi.Resource[],
    hooks: pulumi.ResourceHookBinding | undefined,
  ): k8s.core.v1.ConfigMap {
    const { cluster, namespace, duty, parent } = this.args;
    return new k8s.core.v1.ConfigMap(
      resource,
      { metadata: { name, namespace }, data: { duty } },
      {
        parent,
        provider: cluster.kubernetes,
        deletedWith: cluster.cluster,
        dependsOn: [...dependsOn],
        ...(hooks && { hooks }),
      },
    );
  }
}

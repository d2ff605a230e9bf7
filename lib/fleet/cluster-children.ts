import type * as pulumi from '@pulumi/pulumi';
import { keptVersion } from './eks-addon-versions';
import { fixedAtCreation } from './replacement';

/** Type of the cluster inside the component. */
export const clusterType = 'aws:eks/cluster:Cluster';

/** Type of the add-ons inside the component. */
export const addonType = 'aws:eks/addon:Addon';

/** What is known of the resources inside the cluster component, which is in a process of its own. */
export interface ClusterChildren {
  /** Hooks of the cluster. */
  readonly clusterHooks?: pulumi.ResourceHookBinding;
  /** Hooks of the add-ons, by the name that EKS knows them by. */
  readonly addonHooks: Readonly<Record<string, pulumi.ResourceHookBinding | undefined>>;
  /** Versions that somebody asks for, likewise. */
  readonly askedVersions: Readonly<Record<string, unknown>>;
}

/**
 * Keeps what runs inside the remote component. AWS's provider must not replace the cluster: what is fixed at creation is not
 * compared there (the slot compares it and refuses the change), and should anything else ask for a replacement, the new
 * cluster would have to be created first, which EKS refuses while the name is taken. And the component looks for the newest
 * version of each add-on on every run, which would update the network of a cluster with traffic one day.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts
 */
export function keepChildren(children: ClusterChildren): pulumi.ResourceTransform {
  return ({ type, props, opts }) => {
    if (type === clusterType) {
      return changed(props, opts, children.clusterHooks, {
        ignoreChanges: fixedIn(props),
        deleteBeforeReplace: false,
      });
    }
    if (type === addonType) {
      const addon = String((props as Readonly<Record<string, unknown>>).addonName);
      return changed(props, opts, children.addonHooks[addon], keptVersion(children.askedVersions[addon]));
    }
    return undefined;
  };
}

/**
 * Where the network's configuration says only what is fixed, all of it is ignored: of a part that is ignored in a block that the
 * cluster was created without, the engine would leave an empty block.
 */
function fixedIn({ kubernetesNetworkConfig }: pulumi.Inputs): string[] {
  const says = (kubernetesNetworkConfig ?? {}) as Readonly<Record<string, unknown>>;
  const isFixed = Object.keys(says).every((key) =>
    fixedAtCreation.includes(`kubernetesNetworkConfig.${key}`),
  );
  return isFixed
    ? [
        ...fixedAtCreation.filter((path) => !path.startsWith('kubernetesNetworkConfig.')),
        'kubernetesNetworkConfig',
      ]
    : [...fixedAtCreation];
}

function changed(
  props: pulumi.Inputs,
  given: pulumi.ResourceOptions,
  hooks: pulumi.ResourceHookBinding | undefined,
  more: pulumi.CustomResourceOptions,
): pulumi.ResourceTransformResult {
  const opts: pulumi.CustomResourceOptions = {
    ...given,
    ...more,
    ignoreChanges: [...(given.ignoreChanges ?? []), ...(more.ignoreChanges ?? [])],
    ...(hooks && { hooks: { ...given.hooks, ...hooks } }),
  };
  return { props, opts };
}

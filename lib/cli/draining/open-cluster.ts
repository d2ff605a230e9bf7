import type { DescribedCluster } from '../../drain';
import type * as Fleet from '../../fleet';
import type { KubernetesApi } from '../../kubernetes';
import { openKubernetes } from '../../kubernetes';
import { InvalidInput } from '../../problems';
import type { DrainFlags } from './drain-flags';

/**
 * Opens the API server of a cluster: by the kubeconfig that was given, else by what EKS says.
 *
 * @throws InvalidInput where a kubeconfig leads to another cluster
 */
export async function openCluster(flags: DrainFlags, cluster: DescribedCluster): Promise<KubernetesApi> {
  const { kubeconfig: file, context } = flags;
  if (file !== undefined || context !== undefined) {
    const api = await openKubernetes({ kubeconfig: file, context });
    if (flags.tunnel !== true && !isSame(api.server, cluster.endpoint)) {
      api.close();
      const allowed =
        `a kubeconfig of EKS cluster ${cluster.name}, whose address is ${cluster.endpoint ?? 'not known yet'}; ` +
        'with --tunnel it may lead there by another address';
      throw new InvalidInput('drain', [{ path: '--kubeconfig', value: api.server, allowed }]);
    }
    return api;
  }
  const { kubeconfig } = await fleetRoom('--kubeconfig', 'given');
  const { name, endpoint, certificateAuthority, arn } = cluster;
  if (endpoint === undefined || certificateAuthority === undefined) {
    throw new InvalidInput('drain', [
      { path: '--kubeconfig', allowed: `given: EKS cluster ${name} is ${cluster.status} and has no address` },
    ]);
  }
  const region = arn.split(':')[3] ?? '';
  return openKubernetes({
    kubeconfigText: JSON.stringify(kubeconfig({ clusterName: name, region, endpoint, certificateAuthority })),
  });
}

/**
 * What this command shares with the slots of a program. It loads Pulumi, which is there where a program is.
 *
 * @param option what does without it
 * @throws InvalidInput where Pulumi is not installed
 */
export async function fleetRoom(option: string, allowed: string): Promise<typeof Fleet> {
  try {
    return await import('../../fleet');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') {
      throw new InvalidInput('drain', [
        {
          path: option,
          allowed: `${allowed} where Pulumi is not installed (@pulumi/pulumi, aws, eks, kubernetes)`,
        },
      ]);
    }
    throw error;
  }
}

function isSame(one: string, other: string | undefined): boolean {
  return other !== undefined && new URL(one).host.toLowerCase() === new URL(other).host.toLowerCase();
}

import type { DescribedCluster } from '../../drain';
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
    const api = await openKubernetes({
      ...(file === undefined ? {} : { kubeconfig: file }),
      ...(context === undefined ? {} : { context }),
    });
    if (flags.tunnel !== true && !isSame(api.server, cluster.endpoint)) {
      api.close();
      const allowed =
        `a kubeconfig of EKS cluster ${cluster.name}, whose address is ${cluster.endpoint ?? 'not known yet'}; ` +
        'with --tunnel it may lead there by another address';
      throw new InvalidInput('drain', [{ path: '--kubeconfig', value: api.server, allowed }]);
    }
    return api;
  }
  // Loads Pulumi, which not every command needs.
  const { kubeconfig } = await import('../../fleet');
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

function isSame(one: string, other: string | undefined): boolean {
  return other !== undefined && new URL(one).host.toLowerCase() === new URL(other).host.toLowerCase();
}

import type { ArgoCdInstallation } from './argo-cd-chart';
import type { ArgoCdHubArgs } from './hub-arguments';

/**
 * How Argo CD is installed on a hub.
 *
 * @param clusters how many the hub manages
 */
export function installationOf(
  { size, ...installation }: ArgoCdHubArgs,
  clusters: number,
): ArgoCdInstallation {
  return size === undefined
    ? installation
    : { ...installation, size: { ...size, clusters: size.clusters ?? clusters } };
}

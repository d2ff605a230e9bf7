import { standIn } from './stand-in';
import type { ArgoCdInstallation } from './argo-cd-chart';
import { deliveredAddons } from './fleet-addons';
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

/** Whether an ApplicationSet has a strategy that the controller only follows when it is told to. */
export function stepsThroughApplications(args: ArgoCdHubArgs): boolean {
  const { applicationSets = [], addonSteps } = args;
  const { fleets } = deliveredAddons({ ...args, steps: addonSteps }, standIn);
  return [...applicationSets, ...[...fleets.values()].map(({ applicationSet }) => applicationSet)].some(
    ({ strategy }) => strategy?.type === 'RollingSync',
  );
}

import {
  evacuationPermissions,
  evacuationRoles,
  searchedEvacuationPermissions,
} from '../../../shift/evacuate';
import { readPlan, shiftAccessByCluster } from '../../../shift/plan-file';
import { chosenRoutes } from '../shift/flags';
import { policiesOf, rolesOf, writeRights } from '../shift/rights';
import type { EvacuateFlags } from './flags';

/**
 * Prints the rights that an evacuation needs. Nothing is asked.
 *
 * @throws InvalidInput for a plan that has problems
 */
export async function showRights(flags: EvacuateFlags): Promise<void> {
  const { plan: file, route, region, hostedZone, records } = flags;
  if (file === undefined) {
    const statements = searchedEvacuationPermissions({
      ...(region !== undefined && { region }),
      ...(hostedZone && { hostedZoneIds: hostedZone }),
      ...(records !== undefined && { records }),
    });
    await writeRights({ aws: policiesOf([], () => statements), kubernetes: [] }, flags.json === true);
    return;
  }
  const plan = chosenRoutes(readPlan(file), route);
  // Neither checks nor labels, sync windows and notifications are an evacuation's.
  const { labels: _labels, syncWindow: _window, ...rest } = plan;
  const clusters = shiftAccessByCluster({ ...rest, checks: [], notify: [], watch: false });
  await writeRights(
    {
      aws: policiesOf(evacuationRoles(plan), (role) => evacuationPermissions(plan, role)),
      kubernetes: clusters.map(({ cluster, rules }) => ({
        cluster,
        roles: rolesOf(rules, 'cluster-canary-evacuate'),
      })),
    },
    flags.json === true,
  );
}

import { InvalidInput } from '../../../core/validation/problems';
import { swapRoles, swapWavesAccess, swapWavesPermissions } from '../../../operate/swap';
import type { CheckedSwapWaves, PlacedSwap, SwapClusterAccess } from '../../../operate/swap';
import { writeNotes } from '../../output';
import { policiesOf, rolesOf, writeRights } from '../shift/rights';

/**
 * Prints the rights that the swaps themselves need. Nothing is asked.
 *
 * @throws InvalidInput where no region is known: the name of the lease has it
 */
export async function showRights(all: CheckedSwapWaves, asJson: boolean): Promise<void> {
  const swaps = placedSwaps(all);
  const roles = [...new Set(swaps.flatMap(({ swap }) => swapRoles(swap)))];
  await writeRights(
    {
      aws: policiesOf(roles, (of) => swapWavesPermissions(swaps, of)),
      kubernetes: swapWavesAccess(swaps).map((access) => ({
        cluster: access.cluster,
        ...(access.cluster.clusterName !== undefined && { of: clusterText(access, swaps.length > 1) }),
        roles: rolesOf(access.rules, 'cluster-canary-swap'),
      })),
    },
    asJson,
  );
  writeNotes(
    'The deployment by the program needs rights of its own: those of its clusters, and of the shift that runs in it.',
  );
}

function placedSwaps({ file, isSeveral, fleets }: CheckedSwapWaves): readonly PlacedSwap[] {
  const own = process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  const allowed = 'an AWS region, here or in AWS_REGION: the name of the lease has it';
  const all = Object.entries(fleets).map(([name, swap]) => ({ name, swap, region: swap.region ?? own }));
  const lacking = all.filter(({ region }) => region === undefined);
  if (lacking.length > 0) {
    throw new InvalidInput(
      file,
      lacking.map(({ name }) => ({
        path: isSeveral ? `fleets.${name}.region` : 'region',
        kind: 'required' as const,
        allowed,
      })),
    );
  }
  return all.map(({ swap, region }) => ({ swap, region: region! }));
}

function clusterText({ cluster, region }: SwapClusterAccess, isSeveral: boolean): string {
  return `EKS cluster ${cluster.clusterName!}${isSeveral ? ` in ${region!}` : ''}`;
}

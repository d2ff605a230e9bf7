import { InvalidInput } from '../../../core/validation/problems';
import { swapAccess, swapLeaseRole, swapPermissions } from '../../../operate/swap';
import type { CheckedSwapFile } from '../../../operate/swap';
import { writeNotes } from '../../output';
import { policiesOf, rolesOf, writeRights } from '../shift/rights';

/**
 * Prints the rights that the swap itself needs. Nothing is asked.
 *
 * @throws InvalidInput where no region is known: the name of the lease has it
 */
export async function showRights(swap: CheckedSwapFile, asJson: boolean): Promise<void> {
  const region = swap.region ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  if (region === undefined) {
    const allowed = 'an AWS region, here or in AWS_REGION: the name of the lease has it';
    throw new InvalidInput(swap.file, [{ path: 'region', kind: 'required', allowed }]);
  }
  const role = swapLeaseRole(swap);
  await writeRights(
    {
      aws: policiesOf(role === undefined ? [] : [role], (of) => swapPermissions(swap, region, of)),
      kubernetes: swapAccess(swap, region).map(({ cluster, rules }) => ({
        cluster,
        ...(cluster.clusterName !== undefined && { of: `EKS cluster ${cluster.clusterName}` }),
        roles: rolesOf(rules, 'cluster-canary-swap'),
      })),
    },
    asJson,
  );
  writeNotes(
    'The deployment by the program needs rights of its own: those of its clusters, and of the shift that runs in it.',
  );
}

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { unitedStatements, withOwnSids } from '../../../core/aws/iam';
import type { AllowStatement } from '../../../core/aws/iam';
import { InvalidInput } from '../../../core/validation/problems';
import { swapRoles, swapWavesAccess, swapWavesPermissions } from '../../../operate/swap';
import type { CheckedSwapWaves, PlacedSwap, SwapClusterAccess } from '../../../operate/swap';
import { readPlan, shiftAccessByCluster, shiftPermissions, shiftRoles } from '../../../shift/plan-file';
import type { CheckedPlanFile } from '../../../shift/plan-file';
import { writeNotes } from '../../output';
import { policiesOf, rolesOf, writeRights } from '../shift/rights';

/**
 * Prints the rights that the swaps themselves need. Nothing is asked.
 *
 * @throws InvalidInput where no region is known: the name of the lease has it
 */
export async function showRights(all: CheckedSwapWaves, asJson: boolean): Promise<void> {
  const swaps = placedSwaps(all);
  const { plans, missing } = plansOf(swaps);
  const roles = [...swaps.flatMap(({ swap }) => swapRoles(swap)), ...plans.flatMap(shiftRoles)];
  // A shift by its plan runs in the swap itself.
  const statementsOf = (of: string | undefined): readonly AllowStatement[] =>
    withOwnSids(
      unitedStatements([
        ...swapWavesPermissions(swaps, of),
        ...plans.flatMap((plan) => shiftPermissions(plan, of)),
      ]),
    );
  await writeRights(
    {
      aws: policiesOf([...new Set(roles)], statementsOf),
      kubernetes: [
        ...swapWavesAccess(swaps).map((access) => ({
          cluster: access.cluster,
          ...(access.cluster.clusterName !== undefined && { of: clusterText(access, swaps.length > 1) }),
          roles: rolesOf(access.rules, 'cluster-canary-swap'),
        })),
        ...plans.flatMap(shiftAccessByCluster).map(({ cluster, rules }) => ({
          cluster,
          roles: rolesOf(rules, 'cluster-canary-shift'),
        })),
      ],
    },
    asJson,
  );
  const isMoved = swaps.every(({ swap }) => swap.phases.shift?.plan !== undefined);
  const shift = isMoved ? '' : ', and of the shift that runs in it';
  writeNotes(
    `The deployment by the program needs rights of its own: those of its clusters${shift}.`,
    ...missing.map(
      (file) => `${file} is not there yet: add what cluster-canary shift ${file} --rights prints.`,
    ),
  );
}

/** Plan files that swaps run the shift by, and those that the program has not written yet. */
function plansOf(swaps: readonly PlacedSwap[]): {
  readonly plans: readonly CheckedPlanFile[];
  readonly missing: readonly string[];
} {
  const files = swaps.flatMap(({ swap: { file, phases } }) =>
    phases.shift?.plan === undefined ? [] : [resolve(dirname(file), phases.shift.plan)],
  );
  const there = files.filter((file) => existsSync(file));
  return {
    plans: there.map((file) => readPlan(file)),
    missing: files.filter((file) => !there.includes(file)),
  };
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

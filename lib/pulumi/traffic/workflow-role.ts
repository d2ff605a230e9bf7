import type * as pulumi from '@pulumi/pulumi';
import { plainData, refuseArguments } from '../../core/validation/arguments';
import { object } from '../../core/validation/collections';
import { InvalidInput } from '../../core/validation/problems';
import { placedBelow } from '../../core/validation/schema';
import { parsePlan, planProblems, shiftPermissions } from '../../shift/plan-file';
import type { PlanSettings } from '../../shift/plan-file';
import { PodIdentityRole, podRoleEntries, serviceAccountRef } from '../addons';
import type { PodIdentityRoleArgs, ServiceAccountRef } from '../addons';

/** What a `shiftWorkflowRole` is for. */
export interface ShiftWorkflowRoleArgs extends Pick<
  PodIdentityRoleArgs,
  'clusterName' | 'clusterArn' | 'tags' | 'permissionsBoundaryArn' | 'roleArgs' | 'associationArgs'
> {
  /** The plan, with ARNs as plain text. */
  readonly plan: PlanSettings;
  /** Service account of the workflow: `serviceAccount` of a `workflows.ShiftWorkflow`. */
  readonly serviceAccount: ServiceAccountRef;
}

const shiftWorkflowRoleArgs = object<ShiftWorkflowRoleArgs>({
  plan: plainData('a plan, as a plan file has it'),
  serviceAccount: serviceAccountRef,
  ...podRoleEntries,
});

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const longestPolicy = 10_240;

/**
 * The role of the pods that run a plan as a workflow, by EKS Pod Identity: with the rights of the plan's routers, leases and
 * checks, and no others. Where the plan names roles, it may take them on; their rights are theirs.
 *
 * @throws InvalidInput with everything that is wrong with the arguments and the plan, and for a plan whose rights don't fit one
 * policy
 */
export function shiftWorkflowRole(
  name: string,
  args: ShiftWorkflowRoleArgs,
  opts?: pulumi.ComponentResourceOptions,
): PodIdentityRole {
  refuseArguments(`shiftWorkflowRole "${name}"`, shiftWorkflowRoleArgs, args, (sound) =>
    sound.plan === undefined ? [] : placedBelow(['plan'], planProblems(sound.plan)),
  );
  const { plan, serviceAccount, ...role } = args;
  const Statement = shiftPermissions(parsePlan(JSON.stringify(plan), 'plan'));
  const policy = { Version: '2012-10-17' as const, Statement };
  const length = JSON.stringify(policy).length;
  if (length > longestPolicy) {
    throw new InvalidInput(`shiftWorkflowRole "${name}"`, [
      {
        path: 'plan.routes',
        value: Object.keys('routes' in plan ? plan.routes : {}).length,
        allowed:
          `so few that their rights fit the ${longestPolicy} characters of a role's policies (they have ${length}): ` +
          'split the plan, or give routes a "roleArn"',
      },
    ]);
  }
  return new PodIdentityRole(name, { ...role, policy, serviceAccounts: [serviceAccount] }, opts);
}

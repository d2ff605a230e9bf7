import { isDeepStrictEqual } from 'node:util';
import { unitedStatements } from '../../../core/aws/iam';
import type { AllowStatement } from '../../../core/aws/iam';
import type { AccessRule } from '../../../core/kubernetes/api';
import { Problems } from '../../../core/validation/problems';
import { historyAccess, historyOfLease, historyPermissions } from '../../../operate/history';
import { swapStoreAccess, swapStorePermissions } from '../../../operate/swap';
import { shiftHistoryAccess, shiftHistoryPermissions } from '../../../shift/history';
import { shiftAccessByCluster, shiftPermissions, shiftRoles } from '../../../shift/plan-file';
import type { CheckedPlanFile, ClusterAccess } from '../../../shift/plan-file';
import { policiesOf, rolesOf, writeRights } from '../shift/rights';
import type { Sources, SwapFile } from './sources';

/** Statements by the role that needs them: `undefined` is the identity that runs the command. */
type StatementsByRole = ReadonlyMap<string | undefined, readonly AllowStatement[]>;

/** Rules by the cluster that they are for. */
type RulesAt = readonly [at: ClusterAccess['cluster'], rules: readonly AccessRule[]];

/**
 * Prints the rights that a history needs: to read, and nothing else. Nothing is asked.
 *
 * @throws InvalidInput for a swap file without a region: the name of its lease has it
 */
export async function showRights(sources: Sources, asJson: boolean): Promise<void> {
  const byRole = statementsOf(sources);
  const roles = [...byRole.keys()].filter((role) => role !== undefined);
  await writeRights(
    {
      aws: policiesOf(roles, (role) => [
        ...unitedStatements(byRole.get(role) ?? []),
        ...(role === undefined && roles.length > 0 ? [takeOn(roles)] : []),
      ]),
      kubernetes: rulesOf(sources).map(([cluster, rules]) => ({
        cluster,
        roles: rolesOf(rules, 'cluster-canary-history'),
      })),
    },
    asJson,
  );
}

function takeOn(roles: readonly string[]): AllowStatement {
  // The tags of a session by EKS Pod Identity go with it.
  const actions = ['sts:AssumeRole', 'sts:TagSession'];
  return { Sid: 'TakeOnRoles', Effect: 'Allow', Action: actions, Resource: roles };
}

function statementsOf({ histories, swaps, shifts }: Sources): StatementsByRole {
  const byRole = new Map<string | undefined, AllowStatement[]>();
  const add = (role: string | undefined, statements: readonly AllowStatement[]): void => {
    if (statements.length > 0) {
      byRole.set(role, [...(byRole.get(role) ?? []), ...statements]);
    }
  };
  for (const { place, fleet } of histories) {
    if (place.swaps && 'ssm' in place.swaps) {
      const use = { use: 'list', ...(fleet !== undefined && { fleet }) } as const;
      add(place.swaps.ssm.roleArn, historyPermissions(place.swaps, use));
    }
    shiftHistoryPermissions(place.shifts, 'read').forEach(({ role, statement }) => add(role, [statement]));
  }
  for (const swap of swaps) {
    const lease = leaseOf(swap);
    const role = lease !== 'none' && 'ssm' in lease ? lease.ssm?.roleArn : undefined;
    add(role, toRead(swapStorePermissions(lease, fleetOf(swap))));
  }
  if (shifts) {
    const plan = onlyLeases(shifts);
    for (const role of [undefined, ...shiftRoles(plan)]) {
      const held = shiftPermissions(plan, role).filter(({ Sid }) => Sid.startsWith('HoldLease'));
      add(role, toRead(held));
    }
  }
  return byRole;
}

function rulesOf({ histories, swaps, shifts }: Sources): readonly RulesAt[] {
  const found = new Map<string, RulesAt>();
  const add = (cluster: ClusterAccess['cluster'], rules: readonly AccessRule[]): void => {
    const key = JSON.stringify(cluster);
    const [, before = []] = found.get(key) ?? [];
    const each = new Map([...before, ...rules].map((rule) => [JSON.stringify(rule), rule]));
    found.set(key, [cluster, [...each.values()]]);
  };
  for (const { place } of histories) {
    const { swaps: ended } = place;
    if (ended && 'kubernetes' in ended) {
      const { namespace: _namespace, ...cluster } = ended.kubernetes;
      const kept = swaps.filter((swap) => isDeepStrictEqual(historyOfLease(leaseOf(swap), swap), ended));
      const leases = kept.flatMap((swap) => swapStoreAccess(leaseOf(swap), fleetOf(swap)));
      add(cluster, [...historyAccess(ended, { use: 'list' }), ...toLook(leases)]);
    }
    shiftHistoryAccess(place.shifts, 'read').forEach(([cluster, rule]) => add(cluster, [rule]));
  }
  if (shifts) {
    for (const { cluster, rules } of shiftAccessByCluster(onlyLeases(shifts))) {
      add(cluster, toLook(rules));
    }
  }
  return [...found.values()];
}

function leaseOf({ lease = { ssm: {} } }: SwapFile): NonNullable<SwapFile['lease']> {
  return lease;
}

function fleetOf({ fleet, region }: SwapFile): { readonly fleet: string; readonly region: string } {
  const problems = new Problems('history');
  if (region === undefined) {
    problems.require(
      'region',
      `the AWS region of the fleet ${fleet}, in the swap file: its lease has it in its name`,
    );
  }
  problems.throwIfAny();
  return { fleet, region: region! };
}

/** Of a shift's plan, its leases are read, and nothing else. */
function onlyLeases(plan: CheckedPlanFile): CheckedPlanFile {
  const { labels: _labels, syncWindow: _window, capacity: _capacity, history: _history, ...rest } = plan;
  return { ...rest, checks: [], notify: [], watch: false };
}

function toRead(held: readonly AllowStatement[]): readonly AllowStatement[] {
  return held.map((statement) => ({ ...statement, Sid: 'ReadLease', Action: ['ssm:GetParameter'] }));
}

/** Rules of Leases without those to write them. */
function toLook(rules: readonly AccessRule[]): readonly AccessRule[] {
  return rules.filter(({ verbs }) => verbs.includes('get')).map((rule) => ({ ...rule, verbs: ['get'] }));
}

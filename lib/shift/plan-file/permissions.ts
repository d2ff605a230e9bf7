import { parseArn } from '../../core/aws/arns';
import { withOwnSids } from '../../core/aws/iam';
import type { AllowStatement } from '../../core/aws/iam';
import { isOwnCluster } from '../../core/kubernetes/access';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { AccessRule } from '../../core/kubernetes/api';
import { capacityAccess } from '../capacity';
import { checkAccess, checkRights } from '../checks';
import type { ClusterAccessRule } from '../checks';
import { shiftHistoryAccess, shiftHistoryPermissions } from '../history';
import { kubernetesLeaseAccess, kubernetesLeaseName, ssmLeasePermissions } from '../leases';
import { notifyAccess, notifyPermissions } from '../notify';
import { watchLeaseNames, watchPermissions } from '../watch';
import { isInProcess, isOfAws, routerPermissions, subjectOf } from '../routers';
import type { RouteSettings } from '../routers';
import { routerId } from './plan';
import type { CheckedPlanFile } from './plan';

/** A statement, and the role that needs it: `undefined` is the identity that runs the plan. */
interface NeededStatement {
  readonly role: string | undefined;
  readonly statement: AllowStatement;
}

/**
 * The least rights at AWS that a plan's routers, leases and checks need, as statements with Sids of their own. Simulated
 * routes need none.
 *
 * @param role ARN of a role that the plan names, for the rights of that one. @default - the identity that runs the plan: its
 * own rights, and to take on the roles that the plan names
 */
export function shiftPermissions(plan: CheckedPlanFile, role?: string): readonly AllowStatement[] {
  const needed = planRights(plan);
  const others = shiftRoles(plan);
  const assume: AllowStatement[] =
    role === undefined && others.length > 0
      ? [
          {
            Sid: 'TakeOnRoles',
            Effect: 'Allow',
            // The tags of a session by EKS Pod Identity go with it.
            Action: ['sts:AssumeRole', 'sts:TagSession'],
            Resource: others,
          },
        ]
      : [];
  const own = needed.filter((each) => each.role === role).map(({ statement }) => statement);
  return withOwnSids([...merged(own), ...assume]);
}

/** ARNs of the roles that a plan names, for which {@link shiftPermissions} says what each needs. */
export function shiftRoles(plan: CheckedPlanFile): readonly string[] {
  return [...new Set(planRights(plan).flatMap(({ role }) => role ?? []))];
}

function planRights(plan: CheckedPlanFile): readonly NeededStatement[] {
  const routes = Object.values(plan.routes)
    .filter(({ router }) => !isInProcess(router))
    .flatMap((route) => routeRights(plan, route));
  return [...routes, ...notifyPermissions(plan.notify), ...shiftHistoryPermissions(plan.history, 'keep')];
}

function routeRights(plan: CheckedPlanFile, route: RouteSettings): readonly NeededStatement[] {
  const subject = subjectOf(route);
  const router = routerPermissions(route.router);
  const checks = checkRights(plan.checks, subject).map(({ actions, resources }): AllowStatement => ({
    Sid: 'RunChecks',
    Effect: 'Allow',
    Action: actions,
    Resource: resources,
  }));
  const { roleArn: role } = subject;
  return [
    ...[...router, ...checks].map((statement) => ({ role, statement })),
    ...leaseRights(plan, route, role),
  ];
}

/** A lease with a region or a role of its own is asked for apart from the router. */
function leaseRights(
  plan: CheckedPlanFile,
  route: RouteSettings,
  routerRole: string | undefined,
): readonly NeededStatement[] {
  const { lease } = plan;
  const isNone = lease === 'none' || (lease === undefined && !isOfAws(route.router));
  if (isNone || (lease !== undefined && 'kubernetes' in lease)) {
    return [];
  }
  const { region, roleArn } = lease?.ssm ?? {};
  const apart = region !== undefined || roleArn !== undefined;
  const id = routerId(plan, route);
  const role = apart ? roleArn : routerRole;
  const place = {
    region: region ?? subjectOf(route).region,
    // Two identities may belong to two accounts.
    account: role === routerRole ? parseArn(id)?.account : undefined,
  };
  const statements = [...ssmLeasePermissions(id, place), ...(plan.watch ? watchPermissions(id, place) : [])];
  return statements.map((statement) => ({ role, statement }));
}

/** Statements that differ in their resources alone are one; so are the checks' that differ in their actions alone. */
function merged(statements: readonly AllowStatement[]): readonly AllowStatement[] {
  const byActions = union(
    statements,
    ({ Sid, Action, Condition }) => [Sid, Action, Condition],
    (one, other) => ({ ...one, Resource: together(listOf(one.Resource), listOf(other.Resource)) }),
  );
  return union(
    byActions,
    ({ Sid, Action, Resource, Condition }) => [Sid, Sid === 'RunChecks' ? '' : Action, Resource, Condition],
    (one, other) => ({ ...one, Action: together(one.Action, other.Action) }),
  );
}

function union(
  statements: readonly AllowStatement[],
  keyOf: (statement: AllowStatement) => unknown,
  join: (one: AllowStatement, other: AllowStatement) => AllowStatement,
): readonly AllowStatement[] {
  const found = new Map<string, AllowStatement>();
  for (const statement of statements) {
    const key = JSON.stringify(keyOf(statement));
    const known = found.get(key);
    found.set(key, known ? join(known, statement) : statement);
  }
  return [...found.values()];
}

function listOf(resources: string | readonly string[]): readonly string[] {
  return typeof resources === 'string' ? [resources] : resources;
}

function together(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}

/** Rights on the API server of one cluster. */
export interface ClusterAccess {
  /** The kubeconfig and the context that the plan asks; empty for the cluster that it runs in. */
  readonly cluster: Pick<KubernetesSettings, 'kubeconfig' | 'context'>;
  /** Each once. */
  readonly rules: readonly AccessRule[];
}

/**
 * The rights that a plan needs on the API server of the cluster that it runs in: those of its checks, its lease, its labels
 * and its sync window that name no kubeconfig, where that cluster is the one of Argo CD. Each is needed once.
 */
export function shiftAccess(plan: CheckedPlanFile): readonly AccessRule[] {
  return shiftAccessByCluster(plan).find(({ cluster }) => isOwnCluster(cluster))?.rules ?? [];
}

/** The rights that a plan needs on the API server of each cluster that it asks. */
export function shiftAccessByCluster(plan: CheckedPlanFile): readonly ClusterAccess[] {
  const clusters = new Map<string, { cluster: ClusterAccess['cluster']; rules: AccessRule[] }>();
  const needed = [
    ...checksAccess(plan),
    ...capacityOfSlotsAccess(plan),
    ...leaseAccess(plan),
    ...labelAccess(plan),
    ...windowAccess(plan),
    ...notifyAccess(plan.notify),
    ...shiftHistoryAccess(plan.history, 'keep'),
  ];
  for (const [{ kubeconfig, context }, rule] of needed) {
    const key = JSON.stringify([kubeconfig, context]);
    const cluster = {
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    };
    const known = clusters.get(key) ?? { cluster, rules: [] };
    known.rules.push(rule);
    clusters.set(key, known);
  }
  return [...clusters.values()].map(({ cluster, rules }) => ({ cluster, rules: distinct(rules) }));
}

type NeededAccess = readonly [at: KubernetesSettings, rule: AccessRule];

function checksAccess({ routes, checks }: CheckedPlanFile): readonly NeededAccess[] {
  return Object.values(routes).flatMap((route) => placed(checkAccess(checks, subjectOf(route))));
}

function capacityOfSlotsAccess({ routes, capacity }: CheckedPlanFile): readonly NeededAccess[] {
  return capacity === undefined
    ? []
    : Object.values(routes).flatMap((route) => placed(capacityAccess(capacity, subjectOf(route))));
}

function placed(rules: readonly ClusterAccessRule[]): readonly NeededAccess[] {
  return rules.flatMap(({ at, rule }) => at.map((each): NeededAccess => [each, rule]));
}

function leaseAccess(plan: CheckedPlanFile): readonly NeededAccess[] {
  const { lease, routes } = plan;
  if (lease === undefined || lease === 'none' || !('kubernetes' in lease)) {
    return [];
  }
  const ids = Object.values(routes).map((route) => routerId(plan, route));
  const names = ids.flatMap((id) => [kubernetesLeaseName(id), ...(plan.watch ? watchLeaseNames(id) : [])]);
  return kubernetesLeaseAccess(lease.kubernetes.namespace, names).map((rule) => [lease.kubernetes, rule]);
}

/** Argo CD's cluster Secrets can't be told from others by a Role: `ShiftWorkflow` adds a policy. */
function labelAccess({ labels }: CheckedPlanFile): readonly NeededAccess[] {
  return (labels?.hubs ?? []).map((hub) => [
    hub,
    {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['list', 'patch'],
      namespace: hub.namespace ?? 'argocd',
    },
  ]);
}

function windowAccess({ syncWindow }: CheckedPlanFile): readonly NeededAccess[] {
  return (syncWindow?.hubs ?? []).map((hub) => [
    hub,
    {
      apiGroups: ['argoproj.io'],
      resources: ['appprojects'],
      resourceNames: hub.projects,
      verbs: ['get', 'patch'],
      namespace: hub.namespace ?? 'argocd',
    },
  ]);
}

function distinct(rules: readonly AccessRule[]): readonly AccessRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

import { arnParts } from '../aws';
import type { RightsStatement } from '../aws';
import { checkRights } from '../checks';
import { ssmLeaseRights } from '../leases';
import { awsRouter, awsRouterRights } from '../routers';
import { awsRouterSettings } from './aws-router-settings';
import type { Plan } from './plan';
import type { RouteSettings } from './route-settings';
import { subjectOf } from './route-subject';

/** A statement, and the role that needs it: `undefined` is the identity that runs the plan. */
interface Needed {
  readonly role: string | undefined;
  readonly statement: RightsStatement;
}

/**
 * The least rights at AWS that a plan's routers, leases and checks need, as statements with Sids of their own. Simulated
 * routes need none.
 *
 * @param role ARN of a role that the plan names, for the rights of that one. @default - the identity that runs the plan: its
 * own rights, and to take on the roles that the plan names
 */
export function shiftRights(plan: Plan, role?: string): readonly RightsStatement[] {
  const needed = planRights(plan);
  const others = shiftRoles(plan);
  const assume: RightsStatement[] =
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

/** ARNs of the roles that a plan names, for which {@link shiftRights} says what each needs. */
export function shiftRoles(plan: Plan): readonly string[] {
  return [...new Set(planRights(plan).flatMap(({ role }) => role ?? []))];
}

function planRights(plan: Plan): readonly Needed[] {
  return Object.values(plan.routes)
    .filter(({ router }) => !('simulated' in router))
    .flatMap((route) => routeRights(plan, route));
}

function routeRights(plan: Plan, route: RouteSettings): readonly Needed[] {
  const settings = awsRouterSettings(route);
  const subject = subjectOf(route);
  const router = awsRouterRights(settings);
  const checks = checkRights(plan.checks, subject).map(({ actions, resources }): RightsStatement => ({
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
  { lease }: Plan,
  route: RouteSettings,
  routerRole: string | undefined,
): readonly Needed[] {
  if (lease === 'none' || (lease !== undefined && 'kubernetes' in lease)) {
    return [];
  }
  const { region, roleArn } = lease?.ssm ?? {};
  const apart = region !== undefined || roleArn !== undefined;
  const { id } = awsRouter(awsRouterSettings(route));
  const role = apart ? roleArn : routerRole;
  const place = {
    region: region ?? subjectOf(route).region,
    // Two identities may belong to two accounts.
    account: role === routerRole ? arnParts(id)?.account : undefined,
  };
  return ssmLeaseRights(id, place).map((statement) => ({ role, statement }));
}

/** Statements that differ in their resources alone are one; so are the checks' that differ in their actions alone. */
function merged(statements: readonly RightsStatement[]): readonly RightsStatement[] {
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
  statements: readonly RightsStatement[],
  keyOf: (statement: RightsStatement) => unknown,
  join: (one: RightsStatement, other: RightsStatement) => RightsStatement,
): readonly RightsStatement[] {
  const found = new Map<string, RightsStatement>();
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

/** A policy may have each Sid once. */
function withOwnSids(statements: readonly RightsStatement[]): readonly RightsStatement[] {
  const counts = new Map<string, number>();
  return statements.map((statement) => {
    const count = (counts.get(statement.Sid) ?? 0) + 1;
    counts.set(statement.Sid, count);
    return count === 1 ? statement : { ...statement, Sid: `${statement.Sid}${count}` };
  });
}

import type { WatchedRouter } from '../../drain';
import type { OpenLease } from '../../plans';
import type { AwsRouter } from '../../routers';
import type { Router, ShiftObserver, ShiftOutcome, ShiftPlan, Weights } from '../../shift';
import { routerGroup, shiftPlan } from '../../shift';
import { checksOfRules } from './checks-of-rules';
import { leaseGroup } from './lease-group';
import type { LiveMember } from './live-members';
import { liveMembers, slotsOfMembers } from './live-members';
import type { Surroundings } from './parts';
import type { DueRule, NewRule, RuleShift } from './rule-shift';

/** What has to be there for a shift over live rules. */
export interface PreparedShift {
  /** The live rules that are shifted. */
  readonly members: readonly LiveMember[];
  /** One for each rule. */
  readonly routers: readonly AwsRouter[];
  readonly plan: ShiftPlan;
  /** Weights in Pulumi's state, as far as they are whole percents of these slots. */
  readonly origin: Weights | undefined;
}

/** What is around a run. */
export interface ShiftControl {
  readonly signal: AbortSignal;
  readonly observer: ShiftObserver;
  /** Makes the router and the observer what they have to be. @default - they stay as they are */
  readonly around?: (watched: WatchedRouter) => WatchedRouter;
}

/** Five seconds after an interrupt the engine kills the program. */
const interruptGraceMs = 3_000;

/**
 * Finds the live rules of a shift, and the slots that they have.
 *
 * @returns undefined where nothing can be shifted: no rule is live, or one slot has all of the traffic and stays alone
 * @throws Error where traffic goes to target groups of no slot
 */
export async function prepareShift(
  shift: RuleShift,
  due: DueRule | NewRule,
  { parts, clients, live }: Surroundings,
  signal?: AbortSignal,
): Promise<PreparedShift | undefined> {
  const members = await liveMembers(shift, due, live, signal);
  const slots = await slotsOfMembers(shift, members, live, signal);
  if (members.length === 0 || slots.names.length < 2) {
    return undefined;
  }
  const targetsOf = (id: string) => slots.targets.get(id) ?? {};
  const { kind, roleArn } = shift;
  const { region } = clients;
  const routers = members.map(({ rule }) =>
    parts.router(kind.router(rule, targetsOf(rule.id), { region, roleArn }), clients),
  );
  const waits = await Promise.all(routers.map((router) => router.leastWait(signal)));
  const longest = Math.max(...waits.map(({ milliseconds }) => milliseconds));
  // Rules are written one after the other.
  const write = waits.reduce((sum, { writeMilliseconds }) => sum + writeMilliseconds, 0);
  return {
    members,
    routers,
    plan: shiftPlan(slots.names, shift.wanted, shift.settings, longest, write),
    origin: 'id' in due && due.before ? kind.origin(due.before, targetsOf(due.id)) : undefined,
  };
}

/** Runs a prepared shift to its end. */
export async function runPrepared(
  shift: RuleShift,
  { members, routers, plan, origin }: PreparedShift,
  { parts, clients }: Surroundings,
  control: ShiftControl,
): Promise<ShiftOutcome> {
  const [first, ...others] = routers.map((router, index): Router => {
    const { rule, wanted } = members[index]!;
    return shift.kind.attaching(router, rule, wanted, plan.wanted, clients);
  });
  const checks = checksOfRules(shift, routers, (settings, subject) => parts.checks(settings, subject));
  const { around = (watched) => watched } = control;
  const watched = around({ router: routerGroup([first!, ...others]), observer: control.observer });
  const opened = await openLeases(shift, routers, parts, clients);
  try {
    return await parts.run({
      plan,
      ...watched,
      checks,
      lease: leaseGroup(opened.map(({ lease }) => lease)),
      ...(origin && { origin }),
      ...(shift.resumedTo !== undefined && { resumedTo: shift.resumedTo }),
      signal: control.signal,
      interruptGraceMs,
      runAgain: 'pulumi up',
      runBeyond: (place) => `set resumedTo: ${place} in the settings of the shift, and run pulumi up`,
    });
  } finally {
    opened.forEach((each) => each.close());
  }
}

/** A lease for every rule, in the order of their ids: two groups that share a rule ask for it in the same order. */
async function openLeases(
  { lease, holder }: RuleShift,
  routers: readonly AwsRouter[],
  parts: Surroundings['parts'],
  clients: Surroundings['clients'],
): Promise<readonly OpenLease[]> {
  const opened: OpenLease[] = [];
  try {
    for (const routerId of routers.map(({ id }) => id).sort()) {
      opened.push(await parts.lease(lease, { routerId, holder, clients }));
    }
  } catch (error) {
    opened.forEach((each) => each.close());
    throw error;
  }
  return opened;
}

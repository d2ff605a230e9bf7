import type { AwsRouter } from '../../routers';
import type { ShiftObserver, ShiftOutcome, ShiftPlan, Weights } from '../../shift';
import { routerGroup, shiftPlan } from '../../shift';
import { checksOfRules } from './checks-of-rules';
import { liveMembers, slotsOfMembers } from './live-members';
import type { Surroundings } from './parts';
import type { DueRule, NewRule, RuleShift } from './rule-shift';
import { slotWeights } from './rule-slots';

/** What has to be there for a shift over live rules. */
export interface PreparedShift {
  /** ARNs of the live rules that are shifted. */
  readonly ruleArns: readonly string[];
  /** One for each rule. */
  readonly routers: readonly [AwsRouter, ...AwsRouter[]];
  readonly plan: ShiftPlan;
  /** Weights in Pulumi's state, as far as they are whole percents of these slots. */
  readonly origin: Weights | undefined;
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
  if (slots.names.length < 2) {
    return undefined;
  }
  const arnsOf = (ruleArn: string) => slots.targetGroupArns.get(ruleArn) ?? {};
  const [first, ...others] = members.map(({ rule }) =>
    parts.router({ ruleArn: rule.arn, targetGroupArns: arnsOf(rule.arn), roleArn: shift.roleArn }, clients),
  );
  if (first === undefined) {
    return undefined;
  }
  const waits = await Promise.all([first, ...others].map((router) => router.leastWait(signal)));
  const longest = Math.max(...waits.map(({ milliseconds }) => milliseconds));
  return {
    ruleArns: members.map(({ rule }) => rule.arn),
    routers: [first, ...others],
    plan: shiftPlan(slots.names, shift.wanted, shift.settings, longest),
    origin: 'ruleArn' in due && due.before ? slotWeights(due.before, arnsOf(due.ruleArn)) : undefined,
  };
}

/** Runs a prepared shift to its end. */
export async function runPrepared(
  shift: RuleShift,
  { routers, plan, origin }: PreparedShift,
  { parts, clients }: Surroundings,
  control: { readonly signal: AbortSignal; readonly observer: ShiftObserver },
): Promise<ShiftOutcome> {
  for (const router of routers) {
    await attachMissing(router, control.signal);
  }
  const checks = checksOfRules(shift, routers, (settings, subject) => parts.checks(settings, subject));
  const needs = { routerId: routers[0].id, holder: shift.holder, clients };
  const opened = await parts.lease(shift.lease, needs);
  try {
    return await parts.run({
      plan,
      router: routerGroup(routers),
      checks,
      lease: opened.lease,
      ...(origin && { origin }),
      ...(shift.resumedTo !== undefined && { resumedTo: shift.resumedTo }),
      observer: control.observer,
      signal: control.signal,
      interruptGraceMs,
      runAgain: 'pulumi up',
      runBeyond: (place) => `set resumedTo: ${place} in the settings of the shift, and run pulumi up`,
    });
  } finally {
    opened.close();
  }
}

/** A target group that is on no rule has no health: it is put there with weight 0 first. That changes no weights. */
async function attachMissing(router: AwsRouter, signal: AbortSignal): Promise<void> {
  const { weights, missing } = await router.describe(signal);
  if (weights && missing.length > 0) {
    await router.write(weights, signal);
  }
}

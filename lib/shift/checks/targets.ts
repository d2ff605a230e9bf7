import type { AwsClients } from '../../core/aws/clients';
import { optional } from '../../core/validation/collections';
import { combinedResult } from '../engine';
import type { Check, CheckResult, CheckWindow } from '../engine';
import {
  defaultCapacity,
  defaultHealthyShare,
  evaluateCapacity,
  evaluateTargets,
  referenceSlots,
  slotsToEvaluate,
} from '../evaluation';
import type { TargetCounts } from '../evaluation';
import type { TargetHealthSource, TargetState } from './check-context';
import { checkArgs, checkKind, checkedTargetGroups } from './check-kind';
import type { IamStatement, CommonCheckArgs } from './check-kind';
import { askAwsSource } from './cloudwatch/source';
import { share } from './shared/schemas';

/** For both, AWS takes nothing narrower than `*`; for alarms, because composite ones are not found otherwise. */
const mayDescribeTargetHealth: readonly IamStatement[] = [
  { actions: ['elasticloadbalancing:DescribeTargetHealth'], resources: ['*'] },
];

/** Health of targets as Elastic Load Balancing knows it. */
export function awsTargetHealth(clients: AwsClients): TargetHealthSource {
  return {
    targets: async (targetGroupArn, signal) => {
      const call = { action: 'elasticloadbalancing:DescribeTargetHealth', subject: targetGroupArn };
      const { TargetHealthDescriptions = [] } = await askAwsSource(clients, call, signal, async () => {
        const client = await clients.elasticLoadBalancing();
        return client.describeTargetHealth({ TargetGroupArn: targetGroupArn }, { abortSignal: signal });
      });
      return TargetHealthDescriptions.map(({ TargetHealth }) => ({
        state: TargetHealth?.State ?? 'unknown',
        ...(TargetHealth?.Reason === undefined ? {} : { reason: TargetHealth.Reason }),
      }));
    },
  };
}

/** Counts targets by what their state means for traffic. */
export function countTargets(targets: readonly TargetState[]): TargetCounts {
  const count = (...states: readonly string[]): number =>
    targets.filter(({ state }) => states.includes(state)).length;
  const known = ['healthy', 'unhealthy', 'draining', 'unhealthy.draining', 'unused'];
  const unclear = targets.filter(({ state }) => state === 'unused' || !known.includes(state));
  return {
    healthy: count('healthy'),
    unhealthy: count('unhealthy'),
    // `initial`, `unavailable`, and whatever AWS adds.
    undecided: targets.filter(({ state }) => !known.includes(state)).length,
    draining: count('draining', 'unhealthy.draining'),
    unused: count('unused'),
    reasons: [...new Set(unclear.flatMap(({ reason }) => reason ?? []))].sort(),
  };
}

/** What {@link targetHealth} takes. */
export interface TargetHealthArgs extends CommonCheckArgs {
  /**
   * Least share of healthy targets among those that get traffic, of each slot.
   *
   * @default 0.9 - one of ten may be on its way to be replaced; of two, none may be unhealthy
   */
  readonly min?: number;
}

/**
 * The share of healthy targets of each slot that gains weight, before and after every step.
 *
 * Targets whose first health checks are under way, or that have none, may turn out either way: the check passes or fails
 * only where they can't change the outcome. Targets on their way out count for nothing. No target at all, or a target
 * group that is on no listener (all `unused`), is inconclusive.
 */
export const targetHealth = checkKind('targetHealth', {
  asks: 'Elastic Load Balancing: are the targets healthy?',
  stages: ['before', 'after'],
  perRouter: true,
  beforeTraffic: false,
  needs: 'targetGroups',
  args: checkArgs<TargetHealthArgs>({ min: optional(share) }),
  create: (name, { min = defaultHealthyShare }, { subject, targetHealth: source }): Check => {
    const targetGroups = checkedTargetGroups(subject);
    return {
      name,
      stages: ['before', 'after'],
      evaluate: (window, signal) => evaluate(window, targetGroups, source, min, signal),
    };
  },
  permissions: () => mayDescribeTargetHealth,
  simulated: ({ min = defaultHealthyShare }) => ({ healthyTargets: min }),
});

async function evaluate(
  window: CheckWindow,
  targetGroups: Readonly<Record<string, string>>,
  source: TargetHealthSource,
  min: number,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const findings = await Promise.all(
    slotsToEvaluate(window).map(async (slot) => {
      const targets = await source.targets(targetGroups[slot]!, signal);
      return evaluateTargets(slot, countTargets(targets), min);
    }),
  );
  return combinedResult(findings);
}

/** What {@link capacity} takes. */
export interface CapacityArgs extends CommonCheckArgs {
  /**
   * Least ratio of a gaining slot's healthy targets a percent to the old slots'.
   *
   * @default 0.8 - a little less than before does no harm, since most services run with room to spare
   */
  readonly min?: number;
}

/**
 * Before every step: whether each slot that gains weight has enough healthy targets for the weight it is about to get, by
 * the measure of the slots that lose it. So two cold pods don't get half the traffic.
 *
 * The measure is the old slots' healthy targets for each percent that they carried before the shift. Their live weight
 * would be no measure: near the end, ten pods that serve a last percent would demand a thousand of the new slot.
 *
 * Too few is inconclusive, since a slot may still grow: the shift waits, and the plan's `inconclusiveLimit` makes it a
 * failure. Where the old slots have no healthy target left, any healthy target of the new one is more.
 */
export const capacity = checkKind('capacity', {
  asks: 'Elastic Load Balancing: enough healthy targets for the next weight?',
  stages: ['before'],
  perRouter: true,
  beforeTraffic: false,
  needs: 'targetGroups',
  args: checkArgs<CapacityArgs>({ min: optional(share) }),
  create: (name, { min = defaultCapacity }, { subject, targetHealth: source }): Check => {
    const targetGroups = checkedTargetGroups(subject);
    return {
      name,
      stages: ['before'],
      evaluate: async (window, signal) => {
        const slots = [...slotsToEvaluate(window), ...referenceSlots(window)];
        const counted = await Promise.all(
          slots.map(async (slot): Promise<[string, TargetCounts]> => {
            return [slot, countTargets(await source.targets(targetGroups[slot]!, signal))];
          }),
        );
        return evaluateCapacity(window, Object.fromEntries(counted), min);
      },
    };
  },
  permissions: () => mayDescribeTargetHealth,
  simulated: ({ min = defaultCapacity }) => ({ capacity: min }),
});

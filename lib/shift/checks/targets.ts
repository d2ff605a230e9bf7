import type { AwsClients } from '../../core/aws/clients';
import { parseDuration } from '../../core/durations';
import { optional } from '../../core/validation/collections';
import { number } from '../../core/validation/values';
import { combinedResult } from '../engine';
import type { Check, CheckResult, CheckWindow } from '../engine';
import {
  defaultFollow,
  defaultHealthyShare,
  defaultMaxLoad,
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
import { share, timeSpan } from './shared/schemas';

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
   * How full a target of a gaining slot may get by a write: its load, relative to that of the old slots' targets before the
   * shift.
   *
   * @default 1.5 - 99 % for autoscalers that aim at 60 %, where they have let the old slot get a tenth over that
   */
  readonly maxLoad?: number;
  /**
   * How long an autoscaler may take to add targets. A step that would be a small one waits for them that long. If none
   * have come by then, and the live weights ask for none, the next step may be of one percent although targets get more
   * than `maxLoad` by it: half more at most.
   *
   * @default '5m' - metrics, a start of three minutes, and the target's health checks
   */
  readonly follow?: string;
}

/**
 * Before every step: how much weight the healthy targets of each gaining slot can carry, by the measure of the slots that
 * lose it. So two cold pods don't get half the traffic, and an autoscaler that adds pods for load gets load to see.
 *
 * The step goes as far as the targets can carry, and no further; the rest of it follows as targets come. The measure is
 * the targets that the old slots had for each percent before the shift: that count is kept in the shift's record, since
 * autoscalers take the old slots' targets away while the shift goes on.
 *
 * Where the targets can carry no more than they have, it is inconclusive, and the shift waits. That, for as long as
 * `inconclusiveLimit`, holds the shift where it is, whatever `onFailure` says: nothing is wrong with the traffic that has
 * moved, and the old slot may have shrunk by then. A rollback for another reason says so.
 */
export const capacity = checkKind('capacity', {
  asks: 'Elastic Load Balancing: how much weight can the healthy targets carry?',
  stages: ['before', 'after'],
  perRouter: true,
  beforeTraffic: false,
  needs: 'targetGroups',
  args: checkArgs<CapacityArgs>({
    maxLoad: optional(number('a number from 0.1 to 10', { min: 0.1, max: 10 })),
    follow: optional(timeSpan),
  }),
  create: (name, args, { subject, targetHealth: source }): Check => {
    const targetGroups = checkedTargetGroups(subject);
    const { maxLoad, followMs } = capacitySettings(args);
    return {
      name,
      stages: ['before', 'after'],
      bounds: true,
      evaluate: async (window, signal) => {
        const slots = [...slotsToEvaluate(window), ...referenceSlots(window)];
        const counted = await Promise.all(
          slots.map(async (slot): Promise<[string, TargetCounts]> => {
            return [slot, countTargets(await source.targets(targetGroups[slot]!, signal))];
          }),
        );
        return evaluateCapacity(window, Object.fromEntries(counted), maxLoad, followMs);
      },
    };
  },
  permissions: () => mayDescribeTargetHealth,
  simulated: (args) => ({ capacity: capacitySettings(args) }),
});

function capacitySettings({ maxLoad = defaultMaxLoad, follow = defaultFollow }: CapacityArgs): {
  readonly maxLoad: number;
  readonly followMs: number;
} {
  return { maxLoad, followMs: parseDuration(follow)! };
}

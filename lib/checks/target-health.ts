import { Problems } from '../problems';
import type { Problem } from '../problems';
import type { Check, CheckResult, CheckWindow } from '../shift';
import { combinedResult, defaultHealthyShare, judgeTargets, slotsToJudge } from '../shift';
import { checkArguments, share, targetGroupsOf } from './argument-rules';
import { mayDescribeTargetHealth } from './aws-health';
import type { CheckKind, NamedCheck } from './check-kind';
import type { TargetHealthSource } from './target-states';
import { countTargets } from './target-states';

/** What {@link targetHealth} takes. */
export interface TargetHealthArgs extends NamedCheck {
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
export const targetHealth: CheckKind<TargetHealthArgs> = {
  problems: (args: Readonly<Record<string, unknown>>): readonly Problem[] => {
    const problems = new Problems('targetHealth');
    checkArguments(problems, args, { min: share });
    return problems.all;
  },
  create: (name, { min = defaultHealthyShare }, { subject, targetHealth: source }): Check => {
    const targetGroups = targetGroupsOf(subject);
    return {
      name,
      stages: ['before', 'after'],
      evaluate: (window, signal) => evaluate(window, targetGroups, source, min, signal),
    };
  },
  rights: () => mayDescribeTargetHealth,
};

async function evaluate(
  window: CheckWindow,
  targetGroups: Readonly<Record<string, string>>,
  source: TargetHealthSource,
  min: number,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const findings = await Promise.all(
    slotsToJudge(window).map(async (slot) => {
      const targets = await source.targets(targetGroups[slot]!, signal);
      return judgeTargets(slot, countTargets(targets), min);
    }),
  );
  return combinedResult(findings);
}

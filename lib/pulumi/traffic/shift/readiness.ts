import { kindOf } from '../../../shift/checks';
import type { CheckSettings } from '../../../shift/checks';
import { runChecks, formatResult, shiftPlan } from '../../../shift/engine';
import type { CheckWindow, ShiftSubject, Weights } from '../../../shift/engine';
import { routerFacts } from '../../../shift/routers';
import { HookError } from '../../hooks';
import type { SplitEnvironment } from './dependencies';
import { slotOf } from './split-kind';
import type { NewSplit, SplitShift } from './split-kind';

/**
 * The checks that a rule that is to be created can be asked for: of slots before their target groups are on a rule. The health
 * of a target group that is on no rule reads `unused`.
 */
export function readinessChecks(checks: readonly CheckSettings[]): readonly CheckSettings[] {
  return checks.filter((check) => Object.keys(check).some((word) => kindOf(word)?.beforeTraffic));
}

const pollMs = 5_000;

/**
 * Waits until every slot that a new rule gives traffic to is ready.
 *
 * @throws HookError where one is not ready in time
 */
export async function waitUntilReady(
  shift: SplitShift,
  rule: NewSplit,
  { parts, clients }: SplitEnvironment,
  log: { info(text: string): void },
  signal: AbortSignal,
): Promise<void> {
  const { clock } = parts;
  const settings = readinessChecks(shift.checks);
  const carrying = Object.keys(shift.wanted).filter((slot) => (shift.wanted[slot] ?? 0) > 0);
  if (settings.length === 0) {
    log.info(
      `${shift.what}: a new rule takes traffic to ${carrying.join(', ')} at once: no check says whether its pods are ready`,
    );
    return;
  }
  const checks = parts.checks(settings, subjectOf(shift, rule, clients.region));
  const { inconclusiveLimitMs } = shiftPlan(Object.keys(shift.wanted), shift.wanted, shift.settings);
  const startedAt = clock.now();
  let missing = 'the checks to answer';
  for (;;) {
    const window = windowAt(shift, startedAt, clock.now());
    const results = await runChecks(checks, window, signal);
    if (signal.aborted) {
      throw new HookError(
        `${shift.what}: interrupted before a new rule was created; it was waiting for ${missing}`,
      );
    }
    const unready = results.filter(({ status }) => status !== 'pass');
    if (unready.length === 0) {
      return;
    }
    const words = unready.map(formatResult).join('; ');
    if (clock.now() - startedAt >= inconclusiveLimitMs) {
      throw new HookError(
        `${shift.what}: a new rule would take traffic to slots that are not ready: ${words}`,
      );
    }
    if (words !== missing) {
      log.info(`${shift.what}: waits before the rule is created: ${words}`);
      missing = words;
    }
    await clock.sleep(Math.min(pollMs, inconclusiveLimitMs), signal);
  }
}

/** Nothing carries traffic yet, and the wanted weights are about to. */
function windowAt({ wanted }: SplitShift, startedAt: number, to: number): CheckWindow {
  const none: Weights = Object.fromEntries(Object.keys(wanted).map((slot) => [slot, 0]));
  return {
    stage: 'before',
    from: startedAt,
    to,
    startedAt,
    origin: none,
    live: none,
    wanted,
    next: wanted,
    writes: [],
  };
}

function subjectOf(
  { kind, rules, clusterNames }: SplitShift,
  { tag, place }: NewSplit,
  region: string | undefined,
): ShiftSubject {
  const { targets = {}, previews = {} } = rules.find((each) => each.tag === tag) ?? {};
  const slots = Object.entries(targets).map(([slot, target]) => {
    const { targetGroupArn } = slotOf(kind, place, target);
    const clusterName = clusterNames[slot];
    const preview = previews[slot];
    return [
      slot,
      {
        ...(targetGroupArn !== undefined && { targetGroupArn }),
        ...(clusterName !== undefined && { clusterName }),
        ...(preview && { preview }),
      },
    ];
  });
  return {
    layer: routerFacts(kind.routerAt(place)).layer,
    slots: Object.fromEntries(slots) as ShiftSubject['slots'],
    ...(region !== undefined && { region }),
  };
}

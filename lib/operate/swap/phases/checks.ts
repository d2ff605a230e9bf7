import { checkContext, createChecks, namedChecks } from '../../../shift/checks';
import type { CheckContext, CheckSettings } from '../../../shift/checks';
import { runChecks } from '../../../shift/engine';
import type {
  Check,
  CheckStage,
  CheckWindow,
  NamedResult,
  ShiftSubject,
  Weights,
} from '../../../shift/engine';
import type { PhaseAnswer, PhaseRun, PhaseRunner } from '../runner';
import { fleetSubjects } from './routes';
import type { FleetRoutes } from './routes';

/** What {@link checksPhase} asks. */
export interface ChecksPhase extends FleetRoutes {
  readonly phase: 'deliver' | 'try' | 'soak';
  readonly checks: readonly CheckSettings[];
  /** What checks are made with, for tests. @default - what is outside of this process */
  readonly context?: (subject: ShiftSubject) => CheckContext;
  /** Milliseconds since 1970. @default - this machine's time */
  readonly now?: () => number;
}

/** How far back a soak's figures go, in milliseconds: those of a shorter time are too few, and a shift's last step stood that long. */
const soakLooksBackMs = 10 * 60_000;

/** Checks that were made, and since when they are asked the same question. */
interface MadeChecks {
  readonly checks: readonly Check[];
  startedAt?: number | undefined;
}

/**
 * `deliver`, `try` and `soak`: every check passes. In `deliver` and `try` they are asked as before the first step of a shift, in
 * `soak` as after the last one; a check that has not that stage is asked in its other one.
 *
 * Inconclusive is no pass. A failure of `try` or `soak` is final; an application that is Degraded while it is delivered may
 * still come up.
 */
export function checksPhase(settings: ChecksPhase): PhaseRunner {
  const made = new Map<string, MadeChecks>();
  return {
    phase: settings.phase,
    run: async (run, signal): Promise<PhaseAnswer> => {
      const { phase, checks } = settings;
      if (checks.length === 0) {
        run.say(`${phase}: no checks: nothing is asked`);
        return { passed: true };
      }
      const { subjects, problems } = await fleetSubjects(settings, [run.slot, run.other], signal);
      problems.forEach((line) => run.say(`${phase}: ${line}`));
      // Checks keep what they have begun, a Job say: they are made once.
      const key = JSON.stringify([run.slot.name, run.other.name, subjects]);
      const all = made.get(key) ?? { checks: checksOf(settings, subjects) };
      made.set(key, all);
      // A Job whose verdict is known is not run again while another check is inconclusive; a soak's next round runs it.
      all.startedAt ??= (settings.now ?? Date.now)();
      const results = await askedOnce(all.checks, windowOf(settings, run, all.startedAt), signal);
      signal.throwIfAborted();
      if (!results.some(({ status }) => status === 'inconclusive')) {
        all.startedAt = undefined;
      }
      return answerOf(phase, results, all.checks.length);
    },
  };
}

/** Checks whose answer is another for each route are made for each of them. */
function checksOf(
  { checks, context = checkContext }: ChecksPhase,
  subjects: readonly ShiftSubject[],
): readonly Check[] {
  const named = namedChecks(checks);
  return subjects.flatMap((subject, index) => {
    const chosen = checks.filter((_, at) => index === 0 || named[at]?.kind.perRouter === true);
    return chosen.length === 0 ? [] : createChecks(chosen, context(subject));
  });
}

function windowOf(
  { phase, now = Date.now }: ChecksPhase,
  { slot, other }: PhaseRun,
  startedAt: number,
): CheckWindow {
  const to = now();
  const before: Weights = { [other.name]: 100, [slot.name]: 0 };
  const after: Weights = { [other.name]: 0, [slot.name]: 100 };
  const from = phase === 'soak' ? to - soakLooksBackMs : to;
  const times = { from, to, startedAt, origin: before, wanted: after, writes: [] };
  return phase === 'soak'
    ? { stage: 'after', ...times, live: after }
    : { stage: 'before', ...times, live: before, next: after };
}

/** Each in the window's stage, or in the one that it has: none is left out unsaid. */
async function askedOnce(
  checks: readonly Check[],
  window: CheckWindow,
  signal: AbortSignal,
): Promise<readonly NamedResult[]> {
  const stageOf = ({ stages }: Check): CheckStage =>
    stages.includes(window.stage) ? window.stage : stages[0]!;
  const rounds = (['before', 'after'] as const).map((stage) =>
    runChecks(
      checks.filter((check) => stageOf(check) === stage),
      { ...window, stage },
      signal,
    ),
  );
  return (await Promise.all(rounds)).flat();
}

/** What results amount to; those that failed come first. */
function answerOf(phase: ChecksPhase['phase'], results: readonly NamedResult[], count: number): PhaseAnswer {
  const failed = results.filter(({ status }) => status === 'fail');
  const open = results.filter(({ status }) => status === 'inconclusive');
  if (failed.length + open.length === 0 && results.length === count) {
    return { passed: true };
  }
  const reason = [...failed, ...open]
    .map(
      ({ name, status, reason: why }) => `${name} ${status === 'fail' ? 'fails' : 'is inconclusive'}: ${why}`,
    )
    .join('; ');
  return {
    passed: false,
    reason: reason || `${count - results.length} checks did not answer`,
    final: failed.length > 0 && phase !== 'deliver',
  };
}

import { parseDuration } from '../durations';
import type { ComparisonCheckSettings, ShareSettings } from '../shift';
import type { Counting } from './metric-checks';
import { comparison, share } from './metric-checks';
import type { CheckOfPlan, SimulatedCheck } from './simulated-check';
import { capacity, targetHealth } from './target-checks';
import { minuteMs } from './traffic';

/** The checks of a plan, as far as they can be simulated. */
export interface SimulatedChecks {
  readonly checks: readonly SimulatedCheck[];
  /** Names of the others: they are taken to pass. */
  readonly notSimulated: readonly string[];
  /** How much of the time before the shift they look at, in minutes. */
  readonly historyMinutes: number;
}

/** What comparisons fetch of the time before a shift. */
const defaultHistory = '30m';

type Settings = Readonly<Record<string, unknown>>;

/** From the end of a minute until the checks of a source take its figures, in milliseconds: the defaults of real ones. */
export const simulatedDelays: Readonly<Record<string, number>> = {
  cloudWatch: 120_000,
  datadog: 30_000,
  prometheus: 15_000,
};

/** What can be simulated, by the last word of the kind. The words before it name the source of the figures. */
const kinds: Readonly<Record<string, (name: string, settings: Settings, source: string) => SimulatedCheck>> =
  {
    errorShare: (name, settings, source) =>
      share(name, { ...counting(source), ...shareSettings(settings), counted: 'errors' }),
    slowShare: (name, settings, source) =>
      share(name, { ...counting(source), ...shareSettings(settings), counted: 'slow' }),
    comparison: (name, settings, source) =>
      comparison(name, { ...counting(source), ...comparisonSettings(settings) }),
    targetHealth,
    capacity,
  };

function counting(source: string): Counting {
  return { delayMs: simulatedDelays[source] ?? 0, isSkewed: source === 'cloudWatch' };
}

/** Makes the checks of a plan; their names are those of the plan. */
export function simulatedChecks(checks: readonly CheckOfPlan[]): SimulatedChecks {
  const names = new Map<string, number>();
  const simulated: SimulatedCheck[] = [];
  const notSimulated: string[] = [];
  let historyMinutes = 0;
  for (const check of checks) {
    for (const [kind, value] of Object.entries(check)) {
      const settings = (value ?? {}) as Settings;
      const count = (names.get(kind) ?? 0) + 1;
      names.set(kind, count);
      const name = (settings.name as string | undefined) ?? (count > 1 ? `${kind} ${count}` : kind);
      const word = kind.split('.').at(-1)!;
      if (Object.hasOwn(kinds, word)) {
        simulated.push(kinds[word]!(name, settings, kind.split('.')[0]!));
        const history = parseDuration((settings.history as string | undefined) ?? defaultHistory)!;
        historyMinutes =
          word === 'comparison' ? Math.max(historyMinutes, history / minuteMs) : historyMinutes;
      } else {
        notSimulated.push(name);
      }
    }
  }
  return { checks: simulated, notSimulated, historyMinutes };
}

function shareSettings(settings: Settings): ShareSettings {
  return inMilliseconds(settings, { over: 'overMs', delay: 'delayMs' }) as unknown as ShareSettings;
}

/** What says how slow requests are counted says that they are. */
function comparisonSettings(settings: Settings): ComparisonCheckSettings {
  const isSlowCounted = settings.slowAbove !== undefined || settings.slow !== undefined;
  return {
    ...inMilliseconds(settings, { warmUp: 'warmUpMs', delay: 'delayMs' }),
    counted: isSlowCounted ? ['errors', 'slow'] : ['errors'],
  };
}

/** The settings with their durations in milliseconds, under the names that the judgement has for them. */
function inMilliseconds(settings: Settings, names: Readonly<Record<string, string>>): Settings {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) =>
      Object.hasOwn(names, key) ? [names[key]!, parseDuration(value as string)] : [key, value],
    ),
  );
}

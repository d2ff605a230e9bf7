import { setMaxListeners } from 'node:events';
import { systemClock, within } from '../../../core/async';
import type { Clock } from '../../../core/async';
import { oneLine } from '../../../core/printable-text';
import { InvalidInput } from '../../../core/validation/problems';
import type { SwapEnd } from '../machine/states';
import type { SwapPlan } from '../plan';
import type { SwapStore } from '../store';
import { storeProblem } from '../store-keeper';
import type { SwapLine, SwapOutcome, SwapRun } from '../swap-run';
import { endOfWaves } from './end';
import type { WavesStop } from './end';
import { nextSwapWave, nextWaveBack, swapWavesPlanProblems, waveStateAfter, waveStateOf } from './next';
import type { SwapWavesPlan, SwapWavesStep, WaveRun, WaveSwapState } from './next';

/** One of the swaps. */
export interface WaveSwap {
  readonly plan: SwapPlan;
  /** Where its record is. */
  readonly store: Pick<SwapStore, 'name' | 'look'>;
  /** Runs it, with a lease and a record of its own. */
  readonly run: (how: Pick<SwapRun, 'plan' | 'ask' | 'waits' | 'signal'>) => Promise<SwapOutcome>;
}

/** What `runSwapWaves` takes. */
export interface SwapWavesRun extends SwapWavesPlan, Pick<SwapRun, 'ask' | 'waits' | 'signal' | 'clock'> {
  /** Every swap by its name. */
  readonly swaps: Readonly<Record<string, WaveSwap>>;
  /** Hears of what is done between the swaps. */
  readonly log?: (line: SwapLine) => void;
}

/** How swaps in waves ended. */
export interface SwapWavesOutcome extends SwapEnd {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** Names of swaps, wave by wave. */
  readonly waves: readonly (readonly string[])[];
  /** Outcome of every swap; `null` for one that this run did not begin. */
  readonly swaps: Readonly<Record<string, SwapOutcome | null>>;
  /** When this run began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Swaps several fleets in waves, or goes on with that. A swap that does not complete keeps later waves from their begin; those
 * that run beside it go on. A wave that has completed is not taken back: its old clusters are gone.
 *
 * Nothing is remembered but the record of each swap: a fleet that has the wanted version says so, and has nothing to do.
 *
 * @example
 * const outcome = await runSwapWaves({
 *   waves: [['eu'], ['us']],
 *   swaps: {
 *     eu: { plan: eu.plan, store: eu.store, run: (how) => runSwap({ ...eu, ...how }) },
 *     us: { plan: us.plan, store: us.store, run: (how) => runSwap({ ...us, ...how }) },
 *   },
 * });
 *
 * @throws InvalidInput for waves that name an unknown swap, name one twice or leave one out
 */
export async function runSwapWaves(run: SwapWavesRun): Promise<SwapWavesOutcome> {
  const problems = swapWavesPlanProblems(run, Object.keys(run.swaps));
  if (problems.length > 0) {
    throw new InvalidInput('waves', problems);
  }
  return new SwapWavesDriver(run).drive();
}

/** A store that hangs must not keep the others from their begin. */
const lookTimeoutMs = 10_000;

/** A wait is cut into pieces: the longest timer of Node.js is shorter than the longest wait. */
const longestSleepMs = 3_600_000;

/** As many as the log of one swap has. */
const mostLines = 2_000;

class SwapWavesDriver {
  private readonly clock: Clock;
  private readonly isBack: boolean;
  private readonly startedAt: number;
  private readonly outcomes: Record<string, SwapOutcome | null>;
  private readonly states: Record<string, WaveSwapState> = {};

  public constructor(private readonly run: SwapWavesRun) {
    this.clock = run.clock ?? systemClock;
    this.isBack = (run.ask ?? 'forward') !== 'forward';
    this.startedAt = this.clock.now();
    this.outcomes = Object.fromEntries(Object.keys(run.swaps).map((name) => [name, null]));
  }

  public async drive(): Promise<SwapWavesOutcome> {
    if (this.run.signal) {
      // Every swap listens to it, and Node.js warns of more than ten.
      setMaxListeners(Infinity, this.run.signal);
    }
    const problems = await this.look();
    if (problems.length > 0 && !this.isBack) {
      const unknown = 'Nothing was changed: what has been done so far is not known. Run it again.';
      return this.outcome({ verdict: 'aborted', isUnread: true, reason: [...problems, unknown].join('\n') });
    }
    const stop = await this.runWaves();
    return this.outcome(endOfWaves(this.outcomes, { isBack: this.isBack, ...stop }));
  }

  /** @returns why there is more to be done than was done */
  private async runWaves(): Promise<Omit<WavesStop, 'isBack'>> {
    for (let waited = -1; ;) {
      const step = this.next();
      if (step.do === 'end' || this.run.signal?.aborted === true) {
        return { isCut: step.do !== 'end' };
      }
      if (step.do === 'run') {
        await this.runAll(step.swaps);
        continue;
      }
      const wave = this.run.waves[step.wave]!;
      if (this.run.waits === false) {
        return { isCut: false, later: { until: step.until, wave } };
      }
      if (waited !== step.wave) {
        waited = step.wave;
        this.say(`The next wave (${wave.join(', ')}) begins at ${new Date(step.until).toISOString()}.`);
      }
      const left = step.until - this.clock.now();
      await this.clock.sleep(Math.min(left, longestSleepMs), this.run.signal);
    }
  }

  private next(): SwapWavesStep {
    return this.isBack
      ? nextWaveBack(this.run, this.states)
      : nextSwapWave(this.run, this.states, this.clock.now());
  }

  /** @returns what could not be read */
  private async look(): Promise<readonly string[]> {
    const found = await Promise.all(
      Object.entries(this.run.swaps).map(async ([name, { plan, store }]) => {
        try {
          const look = await within(lookTimeoutMs, this.run.signal, (signal) => store.look(signal));
          // One that an interrupt left out may be open.
          this.states[name] = look ? waveStateOf(look.record, plan, this.isBack) : { open: {} };
          return [];
        } catch (error) {
          // On the way back each swap counts: its own run says what is wrong.
          this.states[name] = { open: {} };
          return [`${name}: ${storeProblem(store, error)}`];
        }
      }),
    );
    return found.flat();
  }

  /** Side by side. What one of them throws is thrown when all have ended. */
  private async runAll(swaps: readonly WaveRun[]): Promise<void> {
    const ended = await Promise.allSettled(swaps.map((swap) => this.runOne(swap)));
    for (const each of ended) {
      if (each.status === 'rejected') {
        throw each.reason;
      }
    }
  }

  private async runOne(swap: WaveRun): Promise<void> {
    const { name, only } = swap;
    const { ask = 'forward', waits, signal, swaps } = this.run;
    const { plan, run } = swaps[name]!;
    const outcome = await run({
      plan: only === undefined ? plan : { ...plan, versions: [only] },
      ask,
      ...(waits !== undefined && { waits }),
      ...(signal && { signal }),
    });
    this.outcomes[name] = joined(this.outcomes[name]!, outcome);
    this.states[name] = waveStateAfter(swap, outcome);
  }

  private say(text: string): void {
    this.run.log?.({ at: this.clock.now(), text: oneLine(text) });
  }

  private outcome(end: SwapEnd): SwapWavesOutcome {
    return {
      schemaVersion: 1,
      ...end,
      waves: this.run.waves,
      swaps: this.outcomes,
      startedAt: this.startedAt,
      endedAt: this.clock.now(),
    };
  }
}

/** Two runs of one fleet: the swap that was open, and those after it. */
function joined(before: SwapOutcome | null, after: SwapOutcome): SwapOutcome {
  if (!before) {
    return after;
  }
  const { unchanged: _, ...end } = after;
  const known = new Set(before.phases.map(({ swap }) => swap));
  return {
    ...end,
    startedAt: before.startedAt,
    phases: [...before.phases, ...after.phases.filter(({ swap }) => !known.has(swap))],
    log: [...before.log, ...after.log].slice(-mostLines),
  };
}

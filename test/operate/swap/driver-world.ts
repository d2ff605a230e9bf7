import type { Clock } from '../../../lib/core/async';
import type { FleetConfiguration, FleetProgram, ProgramChange, SwapPlan } from '../../../lib/operate/swap';
import { ProgramChanged, sameConfiguration } from '../../../lib/operate/swap';
import { runSwap } from '../../../lib/operate/swap/driver';
import { memorySwapStore } from '../../../lib/operate/swap/store';
import type { SwapMemory, SwapStore } from '../../../lib/operate/swap/store';
import type { RunPhase, SwapOutcome, SwapRun } from '../../../lib/operate/swap/swap-run';
import type { PhaseAnswer, PhaseRun, PhaseRunner } from '../../../lib/operate/swap/runner';
import { deployedOn, planOf, seenOf, t0 } from './machine/plans';

/** What a process that is killed throws: it stands for its end. */
export class Killed extends Error {}

type RunAnswer = (run: PhaseRun, signal: AbortSignal) => PhaseAnswer | Promise<PhaseAnswer>;

/** A fleet with a program, clusters and traffic; time passes while somebody waits. */
export class SwapWorld {
  public now = t0;
  public seen = seenOf({ blue: ['1.35', 100] });
  /** What the program has been told; it is deployed when a deployment ends. */
  public configuration: FleetConfiguration = this.seen.configuration;
  public memory: SwapMemory = {};
  /** What was done, in order: `deploy shift`, `run try green`. */
  public readonly done: string[] = [];
  public readonly lines: string[] = [];
  public plan: SwapPlan = planOf();
  /** Changes that previews show, before and after a deployment of a title. */
  public changes: (when: 'before' | 'after') => readonly ProgramChange[] = () => [];
  /** How phases answer. @default - each passes */
  public answers: Partial<Record<RunPhase, RunAnswer>> = {};
  /** Is called in the middle of a deployment: the configuration is written, and nothing made of it. */
  public amid: (signal: AbortSignal) => void | Promise<void> = () => undefined;
  private runs = 0;

  public readonly clock: Clock = {
    now: () => this.now,
    sleep: (milliseconds) => {
      this.now += milliseconds;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };

  public readonly program: FleetProgram = {
    name: 'program',
    read: () => Promise.resolve(this.configuration),
    preview: (configuration) => {
      const isThere = sameConfiguration(configuration, this.seen.configuration);
      return Promise.resolve(this.changes(isThere ? 'after' : 'before'));
    },
    deploy: async ({ configuration, expected, title }, signal) => {
      if (!expected.some((each) => sameConfiguration(each, this.configuration))) {
        throw new ProgramChanged('somebody else has changed it', this.configuration);
      }
      this.configuration = configuration;
      await this.amid(signal);
      signal.throwIfAborted();
      this.done.push(title);
      this.seen = deployedOn(this.seen, configuration);
    },
  };

  public store(): SwapStore {
    this.runs += 1;
    return memorySwapStore({ memory: this.memory, holder: `run ${this.runs}`, clock: this.clock });
  }

  public swap(more: Partial<SwapRun> = {}): SwapRun {
    const runner = (phase: RunPhase): PhaseRunner => ({
      phase,
      run: async (run, signal) => {
        this.done.push(`${phase} ${run.slot.name}${run.back ? ' back' : ''}`);
        return (await this.answers[phase]?.(run, signal)) ?? { passed: true };
      },
    });
    const phases = ['ready', 'deliver', 'try', 'prescale', 'soak', 'drain'] as const;
    return {
      plan: this.plan,
      program: this.program,
      observe: () => Promise.resolve({ ...this.seen, configuration: this.configuration }),
      runners: Object.fromEntries(phases.map((each) => [each, runner(each)])) as SwapRun['runners'],
      store: this.store(),
      approvals: { how: () => 'say yes', answer: () => Promise.resolve({ approvedBy: 'bo' }) },
      by: 'ana@laptop',
      observer: { log: ({ text }) => this.lines.push(text) },
      clock: this.clock,
      random: () => 0,
      ...more,
    };
  }

  public run(more: Partial<SwapRun> = {}): Promise<SwapOutcome> {
    return runSwap(this.swap(more));
  }

  /** Runs until something kills it; a new run finds the lease of the old one expired. */
  public async killed(more: Partial<SwapRun>): Promise<boolean> {
    try {
      await this.run(more);
      return false;
    } catch (error) {
      if (!(error instanceof Killed)) {
        throw error;
      }
      this.now += 300_001;
      return true;
    }
  }
}

/** What a swap does in a world where all goes well, in order. */
export const wholeWay = [
  'ready green',
  'Swap 1.35 to 1.36: add slot green (1.36)',
  'deliver green',
  'try green',
  'prescale green',
  'Swap 1.35 to 1.36: shift traffic to green',
  'soak green',
  'drain blue',
  'Swap 1.35 to 1.36: remove slot blue',
];

/** A world with something in it. */
export function worldOf(seen: SwapWorld['seen']): SwapWorld {
  const world = new SwapWorld();
  Object.assign(world, { seen, configuration: seen.configuration });
  return world;
}

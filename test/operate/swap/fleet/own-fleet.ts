import { checkExpected, memorySwapStore, sameConfiguration, versionOf } from 'cluster-canary/swap';
import type {
  FleetConfiguration,
  FleetProgram,
  ProgramChange,
  ProgramDeployment,
  RunsPhase,
  SwapFleetOptions,
  SwapMemory,
  SwapObserve,
} from 'cluster-canary/swap';

/** 2026-03-02, a Monday, 10:00 in London. */
export const t0 = Date.UTC(2026, 2, 2, 10);

/** A fleet as a user's test has it: a program of one's own, and what it makes of its configuration. */
export class OwnFleet implements FleetProgram {
  public readonly name = 'our own program';
  public now = t0;
  public configuration: FleetConfiguration = { slots: { blue: '1.35' }, weights: { blue: 100 } };
  public readonly memory: SwapMemory = {};
  public readonly done: string[] = [];
  public readonly lines: string[] = [];
  /** What comes of phases. @default - each passes */
  public answers: Partial<Record<string, RunsPhase>> = {};
  private runs = 0;

  public read(): Promise<FleetConfiguration> {
    return Promise.resolve(this.configuration);
  }

  public preview(configuration: FleetConfiguration): Promise<readonly ProgramChange[]> {
    return Promise.resolve(
      sameConfiguration(configuration, this.configuration)
        ? []
        : [{ op: 'update', type: 'ours:fleet:Slots', name: 'apps' }],
    );
  }

  public deploy(change: ProgramDeployment): Promise<void> {
    if (checkExpected(this.configuration, change, 'our configuration')) {
      this.configuration = change.configuration;
    }
    this.done.push(change.title);
    return Promise.resolve();
  }

  public readonly observe: SwapObserve = () => {
    const { configuration } = this;
    const clusters = Object.entries(configuration.slots).map(([name, setting]) => [
      name,
      { version: versionOf(setting), status: 'ACTIVE' },
    ]);
    return Promise.resolve({
      configuration,
      clusters: Object.fromEntries(clusters) as Record<string, { version: string; status: string }>,
      live: Object.fromEntries(Object.entries(configuration.weights!).filter(([, weight]) => weight > 0)),
    });
  };

  /** Options with which nothing outside of the process is asked. */
  public options(more: SwapFleetOptions = {}): SwapFleetOptions {
    this.runs += 1;
    const clock = {
      now: () => this.now,
      sleep: (milliseconds: number) => {
        this.now += milliseconds;
        return new Promise<void>((resolve) => setImmediate(resolve));
      },
    };
    const runner =
      (phase: string): RunsPhase =>
      async (run, signal) => {
        this.done.push(`${phase} ${run.slot.name}${run.back ? ' back' : ''}`);
        return (await this.answers[phase]?.(run, signal)) ?? { passed: true };
      };
    const phases = ['ready', 'deliver', 'try', 'prescale', 'soak', 'drain'] as const;
    return {
      ...{ clock, observe: this.observe, by: 'alex@laptop' },
      store: memorySwapStore({ memory: this.memory, holder: `run ${this.runs}`, clock }),
      runners: Object.fromEntries(phases.map((phase) => [phase, runner(phase)])),
      observer: { log: ({ text }) => this.lines.push(text) },
      ...more,
    };
  }
}

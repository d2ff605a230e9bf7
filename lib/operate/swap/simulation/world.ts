import { sameConfiguration, versionOf } from '../configuration';
import type { FleetConfiguration } from '../configuration';
import type { SwapAction } from '../machine/events';
import type { SwapPhase } from '../phases';
import type { SwapRecord } from '../record';
import type { SeenCluster, SwapSeen } from '../seen';
import type { Meddling, PersonFate, PhaseFate, SwapScenario } from './scenario';

/** One write of a configuration, with what there was before it. */
export interface WorldWrite {
  /** The record of the swap that writes. */
  readonly swap: string;
  readonly phase: SwapPhase;
  readonly back: boolean;
  readonly before: FleetConfiguration;
  readonly after: FleetConfiguration;
  readonly live: Readonly<Record<string, number>>;
  readonly clusters: Readonly<Record<string, SeenCluster>>;
  /** Slots that have been drained, and to which nothing was deployed since. */
  readonly drained: readonly string[];
  /** Slots in whose clusters a drain has deleted something that is not there again. */
  readonly emptied: readonly string[];
}

type Deployment = Extract<SwapAction, { type: 'deploy' }>;
type PhaseAsked = Extract<SwapAction, { type: 'run' }>;

/** A fleet with its program, its clusters, its traffic and its people, without any AWS. */
export class SwapWorld {
  public configuration: FleetConfiguration;
  public clusters: Record<string, SeenCluster> = { blue: { version: '1.34', status: 'ACTIVE' } };
  public live: Record<string, number> = { blue: 100 };
  public at = Date.UTC(2026, 2, 27, 14);
  public record: SwapRecord | undefined;
  public readonly writes: WorldWrite[] = [];
  /** The most clusters that there were at once, but for those of somebody else. */
  public mostClusters = 1;
  /** The first slot that had traffic without a cluster that serves. */
  public unserved: string | undefined;
  private drained: readonly string[] = [];
  /** Who has something to make again in a cluster, by slot. */
  private missing: Readonly<Record<string, readonly ('Argo CD' | 'program')[]>> = {};
  private readonly firstAsked = new Map<string, number>();

  public constructor(private readonly scenario: SwapScenario) {
    this.configuration =
      scenario.plan.moves === 'hub'
        ? { slots: { blue: '1.34' }, active: 'blue' }
        : { slots: { blue: '1.34' }, weights: { blue: 100 } };
  }

  public seen(): SwapSeen {
    return { configuration: this.configuration, clusters: { ...this.clusters }, live: { ...this.live } };
  }

  /** Deploys; `parts` ends it after so many parts, as a kill does. */
  public deploy(action: Deployment, parts = Infinity): 'deployed' | 'changed' | 'failed' | 'killed' {
    if (!action.expected.some((each) => sameConfiguration(each, this.configuration))) {
      return 'changed';
    }
    const fate = this.fateOf(action);
    const fails = fate.is === 'bad' || fate.is === 'never';
    const { restore } = action;
    const steps = [
      () => this.write(action),
      ...this.stepsTo(action.configuration, fails),
      ...(restore && !fails ? [() => this.madeAgain(restore.slot, 'program')] : []),
    ];
    for (const [index, step] of steps.entries()) {
      if (index >= parts) {
        return 'killed';
      }
      this.at += 60_000;
      step();
      this.lookForUnserved();
      this.mostClusters = Math.max(this.mostClusters, this.ownClusters());
    }
    return fails ? 'failed' : 'deployed';
  }

  /** Clusters that nobody else has made. */
  private ownClusters(): number {
    return Object.keys(this.clusters).filter((name) => name !== 'purple').length;
  }

  private write({ phase, back, configuration }: Deployment): void {
    const { configuration: before, live, clusters, drained, record } = this;
    const emptied = Object.keys(this.missing).filter((name) => this.missing[name]!.length > 0);
    const now = { before, live: { ...live }, clusters: { ...clusters }, drained, emptied };
    this.writes.push({ swap: record?.id ?? 'none', phase, back, after: configuration, ...now });
    this.configuration = configuration;
  }

  /** What a program does, part by part; where it fails, all but the last one. */
  private stepsTo(configuration: FleetConfiguration, fails: boolean): readonly (() => void)[] {
    const { slots } = configuration;
    const steps: (() => void)[] = [];
    for (const [name, setting] of Object.entries(slots)) {
      if (this.clusters[name]?.status !== 'ACTIVE') {
        const version = versionOf(setting);
        steps.push(
          () => (this.clusters[name] = { version, status: 'CREATING' }),
          () => (this.clusters[name] = { version, status: 'ACTIVE' }),
        );
      }
    }
    const wanted = wantedTraffic(configuration);
    if (wanted && this.live[wanted] !== 100) {
      steps.push(
        () =>
          (this.live = {
            ...Object.fromEntries(Object.keys(this.live).map((name) => [name, 60])),
            [wanted]: 40,
          }),
        () => (this.live = { [wanted]: 100 }),
      );
    }
    for (const name of Object.keys(this.clusters).filter((each) => !(each in slots))) {
      steps.push(
        () => (this.clusters[name] = { ...this.clusters[name]!, status: 'DELETING' }),
        () => {
          delete this.clusters[name];
          this.missing = { ...this.missing, [name]: [] };
        },
      );
    }
    return fails ? steps.slice(0, -1) : steps;
  }

  /** Keeps the first slot that has traffic and no cluster for it. */
  private lookForUnserved(): void {
    const { live, clusters } = this;
    const missing = Object.keys(live).find((name) => live[name]! > 0 && clusters[name]?.status !== 'ACTIVE');
    this.unserved = this.unserved ?? missing;
  }

  /** Runs a phase that deploys nothing. */
  public run({ phase, slot, back }: PhaseAsked): { readonly passed: boolean; readonly final: boolean } {
    const { id } = this.record!;
    const fate = this.fateOf({ phase, back: back || this.record!.back !== undefined });
    const passed = this.fateNow(fate, `${id} ${phase} ${slot.name}`);
    this.at += 30_000;
    if (phase === 'drain') {
      const others = this.drained.filter((name) => name !== slot.name);
      this.drained = back || passed !== 'passed' ? others : [...others, slot.name];
      if (!back) {
        // One that has not passed has deleted something as well.
        this.missing = { ...this.missing, [slot.name]: ['Argo CD', 'program'] };
      } else if (passed === 'passed') {
        this.madeAgain(slot.name, 'Argo CD');
      }
    }
    return { passed: passed === 'passed', final: passed === 'failed' };
  }

  private madeAgain(name: string, by: 'Argo CD' | 'program'): void {
    this.missing = { ...this.missing, [name]: (this.missing[name] ?? []).filter((each) => each !== by) };
  }

  private fateOf({ phase, back }: { readonly phase: SwapPhase; readonly back: boolean }): PhaseFate {
    const { fates, backFates } = this.scenario;
    return back ? backFates[phase] : fates[phase];
  }

  private fateNow(fate: PhaseFate, what: string): 'passed' | 'failed' | 'notYet' {
    const asked = this.sinceFirst(what);
    switch (fate.is) {
      case 'good':
        return 'passed';
      case 'late':
        return asked >= fate.ms ? 'passed' : 'notYet';
      case 'bad':
        return asked >= fate.ms ? 'failed' : 'notYet';
      case 'never':
        return 'notYet';
    }
  }

  /** What a person answers by now. */
  public answer(phase: SwapPhase): 'agrees' | 'refuses' | 'silent' {
    const person: PersonFate = this.scenario.people[phase];
    const asked = this.at - (this.record?.askedAt ?? this.at);
    return person.is === 'silent' || asked < person.ms ? 'silent' : person.is;
  }

  private sinceFirst(what: string): number {
    const first = this.firstAsked.get(what) ?? this.at;
    this.firstAsked.set(what, first);
    return this.at - first;
  }

  /** Somebody else changes something. */
  public meddle({ does }: Meddling): void {
    const { configuration, live } = this;
    const { slots, weights } = configuration;
    switch (does) {
      case 'addSlot':
        this.configuration = { ...configuration, slots: { ...slots, purple: '1.33' } };
        return;
      case 'addCluster':
        this.clusters['purple'] = { version: '1.33', status: 'ACTIVE' };
        return;
      case 'moveWeights':
        this.configuration = weights
          ? { ...configuration, weights: Object.fromEntries(Object.keys(slots).map((name) => [name, 50])) }
          : { ...configuration, active: 'nobody' };
        return;
      case 'moveTraffic': {
        const serving = Object.keys(this.clusters).filter((name) => this.clusters[name]!.status === 'ACTIVE');
        const target = serving.find((name) => !(live[name]! > 0)) ?? serving[0];
        this.live = target === undefined ? live : { [target]: 100 };
        return;
      }
      case 'undo':
        this.configuration = this.record?.before ?? configuration;
    }
  }
}

function wantedTraffic({ weights, active }: FleetConfiguration): string | undefined {
  return weights ? Object.keys(weights).find((name) => weights[name] === 100) : active;
}

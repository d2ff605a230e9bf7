import type { CheckSettings } from '../../../../lib/shift/checks';
import type { Clock } from '../../../../lib/core/async';
import type { AwsClients } from '../../../../lib/core/aws/clients';
import type { KnownCapacity } from '../../../../lib/pulumi/traffic/shift/capacity-args';
import { openProgramNotifier } from '../../../../lib/pulumi/traffic/shift/notify';
import type { ShiftDependencies } from '../../../../lib/pulumi/traffic/shift/dependencies';
import type { LiveSplit } from '../../../../lib/pulumi/traffic/shift/split-kind';
import type { Capacity, Check, ShiftRecord, ShiftSubject, Weights } from '../../../../lib/shift/engine';
import { refuseChanged, runShift } from '../../../../lib/shift/engine';
import { withMissingTargets } from '../../../../lib/shift/routers/attaching-router';
import type { OpenRouter, RouteSettings } from '../../../../lib/shift/routers';

export const region = 'eu-west-1';
const head = `arn:aws:elasticloadbalancing:${region}:123456789012`;
export const listenerArn = `${head}:listener/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2`;
export const otherListenerArn = `${head}:listener/app/edge/50dc6c495c0c9188/0000000000000000`;
export const ruleArn = (id: number, listener = listenerArn): string =>
  `${listener.replace(':listener/', ':listener-rule/')}/${String(id).padStart(16, '0')}`;
export const groupArn = (name: string): string => `${head}:targetgroup/${name}/50dc6c495c0c9188`;

/** Rules in memory: every write is kept. */
export class FakeLoadBalancer {
  public readonly rules: LiveSplit[] = [];
  public readonly groupTags = new Map<string, Record<string, string>>();
  /** What a step takes its time for. */
  public waits: readonly string[] = [];
  public writeMilliseconds = 0;
  public readonly writes: { readonly rule: string; readonly weights: Weights }[] = [];
  public leaseSettings: unknown;
  public holder = '';
  /** What leases were opened for, in order. */
  public readonly leased: string[] = [];
  public record: ShiftRecord | undefined;
  public checks: Check[] = [];
  /** Settings that checks were made of. */
  public readonly checkSettings: (readonly CheckSettings[])[] = [];
  public readonly subjects: unknown[] = [];
  /** What capacity was opened for. */
  public readonly capacities: {
    readonly known: KnownCapacity;
    readonly subjects: readonly ShiftSubject[];
    readonly id: string;
  }[] = [];
  public capacity: Capacity = {
    prepare: () => Promise.resolve({ status: 'pass', reason: '', figures: [] }),
    giveBack: () => Promise.resolve(undefined),
  };
  public closed = 0;
  /** Called before each write. */
  public beforeWrite: () => void | Promise<void> = () => undefined;

  public add(rule: Partial<LiveSplit> & Pick<LiveSplit, 'id' | 'targets'>): void {
    this.rules.push({ place: listenerArn, priority: 10, tags: {}, ...rule });
  }

  public takesBack = false;

  public set(arn: string, weights: Record<string, number>): void {
    const index = this.rules.findIndex((rule) => rule.id === arn);
    const targets = Object.entries(weights).map(([group, weight]) => ({ arn: group, weight }));
    this.rules[index] = { ...this.rules[index]!, targets };
  }

  public weightsOf(arn: string): Record<string, number> {
    const rule = this.rules.find((each) => each.id === arn)!;
    return Object.fromEntries(rule.targets.map(({ arn: group, weight }) => [group!, weight]));
  }

  public parts(clock: Clock): ShiftDependencies {
    return {
      clients: () => ({ region, close: () => (this.closed += 1) }) as unknown as AwsClients,
      rules: () => ({
        at: (place) => Promise.resolve(this.rules.filter((rule) => rule.place === place)),
        around: () => Promise.resolve(this.rules),
        tagsOf: (arns) =>
          Promise.resolve(new Map(arns.map((arn) => [arn, this.groupTags.get(arn) ?? {}] as const))),
      }),
      router: (settings) => this.router(settings),
      lease: (settings, { holder, routerId }) => {
        this.leaseSettings = settings;
        this.leased.push(routerId);
        this.holder = holder;
        return Promise.resolve({
          lease: {
            name: 'lease in memory',
            acquire: () => Promise.resolve(this.record ? { record: this.record } : {}),
            look: () => Promise.resolve(this.record ? { record: this.record } : {}),
            keep: (record) => Promise.resolve(void (this.record = record)),
            release: (record) => Promise.resolve(void (this.record = record ?? this.record)),
            seize: (record) => Promise.resolve(void (this.record = record)).then(() => undefined),
          },
          close: () => undefined,
        });
      },
      checks: (settings, subject) => {
        this.checkSettings.push(settings);
        this.subjects.push(subject);
        return this.checks;
      },
      capacity: (known, subjects, id) => {
        this.capacities.push({ known, subjects, id });
        return this.capacity;
      },
      notifier: openProgramNotifier,
      run: (run) => runShift({ ...run, clock, random: () => 0.5 }),
      takesBack: () => this.takesBack,
      clock,
    };
  }

  private router({ router, slots }: RouteSettings): OpenRouter {
    const { ruleArn: arn } = (router as Extract<typeof router, { albRule: unknown }>).albRule;
    const targetGroupArns = Object.fromEntries(
      Object.entries(slots).map(([slot, { targetGroupArn = '' }]) => [slot, targetGroupArn]),
    );
    const read = (): Weights => {
      const live = this.weightsOf(arn);
      return Object.fromEntries(
        Object.entries(targetGroupArns).map(([slot, group]) => [slot, live[group] ?? 0]),
      );
    };
    const opened: OpenRouter = {
      name: `ALB rule ${arn}`,
      id: arn,
      subject: {
        layer: 'http',
        slots: Object.fromEntries(
          Object.entries(targetGroupArns).map(([slot, targetGroupArn]) => [slot, { targetGroupArn }]),
        ),
      },
      read: () => Promise.resolve(read()),
      write: async (weights, _signal, expected) => {
        await this.beforeWrite();
        refuseChanged(arn, read(), expected);
        this.set(
          arn,
          Object.fromEntries(Object.entries(targetGroupArns).map(([slot, group]) => [group, weights[slot]!])),
        );
        this.writes.push({ rule: arn, weights });
      },
      describe: () => {
        const live = this.weightsOf(arn);
        const missing = Object.keys(targetGroupArns).filter((slot) => !(targetGroupArns[slot]! in live));
        return Promise.resolve({ name: arn, weights: read(), missing, notes: [] });
      },
      minimumWait: () =>
        Promise.resolve({ milliseconds: 0, writeMilliseconds: this.writeMilliseconds, because: this.waits }),
      withMissingTargets: (wanted) => withMissingTargets(opened, wanted),
    };
    return opened;
  }
}

/** Time that passes only by waiting. */
export function fakeClock(): Clock & { time: number } {
  const clock = {
    time: Date.UTC(2026, 0, 1),
    now: () => clock.time,
    sleep: (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      clock.time += signal?.aborted ? 0 : milliseconds;
      return Promise.resolve();
    },
  };
  return clock;
}

/** The record of an evacuation of these slots. */
export const evacuated = (slots: readonly string[]): ShiftRecord => ({
  origin: { blue: 40, green: 60 },
  wanted: { blue: 100, green: 0 },
  written: { blue: 100, green: 0 },
  startedAt: 0,
  ended: { at: 0, verdict: 'evacuated', live: { blue: 100, green: 0 } },
  evacuated: { slots, by: 'alex@laptop' },
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { ssmLeaseParameter } from 'cluster-canary/leases';
import type { PlanSettings } from 'cluster-canary/plan-file';
import type { Weights } from 'cluster-canary/shift';
import type { AwsCall } from './aws-proxy-call';
import { onCleanUp } from './clean-up';
import type { CommandResult, RunningCommand } from './command';
import { startCommand } from './command';
import { eventually } from './eventually';
import type { Moto } from './moto';
import { moto } from './moto';
import { forward, RouterWorld } from './router-world';
import { temporaryFolder } from './temporary';

/** A rule on a moto, and the real command that shifts it. */
export class ShiftCommandBench {
  private readonly folder = temporaryFolder('shift-command');
  private readonly ssm: SSMClient;
  private plans = 0;

  private constructor(
    public readonly aws: Moto,
    private readonly world: RouterWorld,
    /** ARN of the rule's listener. */
    public readonly listenerArn: string,
    private readonly ruleArn: string,
    /** ARNs of the target groups, by slot. */
    public readonly targetGroupArns: Readonly<Record<string, string>>,
  ) {
    this.ssm = new SSMClient(aws.directSettings);
    onCleanUp(() => this.ssm.destroy());
  }

  /** A rule that sends everything to blue; green is not on it. */
  public static async start(): Promise<ShiftCommandBench> {
    const aws = await moto();
    const world = new RouterWorld(aws);
    onCleanUp(() => world.close());
    return ShiftCommandBench.on(aws, world);
  }

  private static async on(aws: Moto, world: RouterWorld): Promise<ShiftCommandBench> {
    const groups = await world.targetGroups('HTTP', 'blue', 'green');
    const blue = forward({ [groups.blue!]: 1 });
    const listener = await world.listener('application', 'HTTP', [blue]);
    return new ShiftCommandBench(aws, world, listener, await world.rule(listener, [blue]), groups);
  }

  /** Another such rule on the same moto, for a shift at the same time. */
  public another(): Promise<ShiftCommandBench> {
    return ShiftCommandBench.on(this.aws, this.world);
  }

  /** Adds rules before this one that lead to a slot by the value of a header. */
  public async addPreviews(header: string, values: Readonly<Record<string, string>>): Promise<void> {
    for (const [index, [slot, value]] of Object.entries(values).entries()) {
      await this.world.balancing.createRule({
        ListenerArn: this.listenerArn,
        Priority: index + 1,
        Conditions: [{ Field: 'http-header', HttpHeaderConfig: { HttpHeaderName: header, Values: [value] } }],
        Actions: [forward({ [this.targetGroupArns[slot]!]: 1 })],
      });
    }
  }

  /** ARN of the load balancer. */
  public get loadBalancerArn(): string {
    return this.listenerArn.replace(':listener/', ':loadbalancer/').replace(/\/[^/]+$/, '');
  }

  /** Tags of the load balancer. */
  public async loadBalancerTags(): Promise<Readonly<Record<string, string>>> {
    const found = await this.world.balancing.describeTags({ ResourceArns: [this.loadBalancerArn] });
    return Object.fromEntries(found.TagDescriptions![0]!.Tags!.map(({ Key, Value }) => [Key!, Value!]));
  }

  /** Sets the weights past the proxy, and takes away what an earlier shift left. */
  public async reset(weights: Weights): Promise<void> {
    this.aws.proxy.heal();
    await this.set(weights);
    await this.changeLease(() => ({ schemaVersion: 1, expiresAt: 0 }));
  }

  /** Sets the weights past the proxy, as somebody else does. */
  public async set(weights: Weights): Promise<void> {
    const byArn = Object.entries(weights).map(([slot, weight]) => [this.targetGroupArns[slot]!, weight]);
    const action = forward(Object.fromEntries(byArn) as Record<string, number>);
    await this.world.balancing.modifyRule({ RuleArn: this.ruleArn, Actions: [action] });
  }

  /** A plan file for the rule. */
  public plan({
    previews = {},
    ...settings
  }: Pick<PlanSettings, 'shift' | 'lease' | 'notify'> & {
    readonly weights?: Weights;
    /** In the place of the slots of the rule. */
    readonly slots?: object;
    /** What leads to a slot alone. */
    readonly previews?: Readonly<Record<string, object>>;
  }): string {
    const slots = Object.entries(this.targetGroupArns).map(([slot, targetGroupArn]) => [
      slot,
      { targetGroupArn, preview: previews[slot] },
    ]);
    const file = join(this.folder, `plan-${++this.plans}.yaml`);
    const plan = {
      router: { albRule: { ruleArn: this.ruleArn } },
      slots: Object.fromEntries(slots) as object,
      weights: { green: 100 },
      ...settings,
    };
    writeFileSync(file, JSON.stringify(plan));
    return file;
  }

  /** Starts `cluster-canary`. */
  public start(...args: string[]): RunningCommand {
    return startCommand(this.aws.env, ...args);
  }

  /** Runs `cluster-canary` to its end. */
  public run(...args: string[]): Promise<CommandResult> {
    return this.start(...args).result;
  }

  /** The live weights. */
  public async weights(): Promise<Weights> {
    const [action] = (await this.world.ruleAt(this.ruleArn)).Actions!;
    const groups = action!.ForwardConfig!.TargetGroups!;
    return this.bySlot(groups.map(({ TargetGroupArn, Weight }) => [TargetGroupArn!, Weight!]));
  }

  /** Weights that were asked for since a moment, whatever came of it. */
  public asked(since: number): Weights[] {
    return this.writes(since).map(({ body }) =>
      this.bySlot(
        Object.keys(body)
          .filter((key) => key.endsWith('.TargetGroupArn'))
          .map((key) => [String(body[key]), Number(body[key.replace(/TargetGroupArn$/, 'Weight')])]),
      ),
    );
  }

  /** Waits until so many writes are under way or done. */
  public async begun(since: number, count = 1): Promise<void> {
    await eventually(`write ${count}`, () => this.writes(since).length >= count, { every: 5 });
  }

  /** Waits until the last write has had its effect, if it has one. */
  public async settled(): Promise<void> {
    await sleep(100);
  }

  /** How often the weights were read. */
  public looks(since: number): number {
    return this.aws.proxy.callsOf('DescribeRules').filter(({ at }) => at >= since).length;
  }

  /** Waits until they were read so often, or are being read. */
  public async looked(count: number, since: number): Promise<void> {
    await eventually(`look ${count}`, () => this.looks(since) >= count, { every: 5 });
  }

  /** How often the weights were read before each write, since the one before. */
  public looksBeforeWrites(since: number): number[] {
    const counts: number[] = [];
    let looks = 0;
    for (const { action, at } of this.aws.proxy.calls) {
      if (at >= since && action === 'DescribeRules') {
        looks += 1;
      } else if (at >= since && action === 'ModifyRule') {
        counts.push(looks);
        looks = 0;
      }
    }
    return counts;
  }

  /** Waits until so many writes are done. */
  public async written(count: number, since: number): Promise<void> {
    const done = () => this.writes(since).filter(({ status }) => status === 200).length;
    await eventually(`${count} writes`, () => done() >= count, { every: 20 });
  }

  /** What stands in the lease; undefined where there is none. */
  public async lease(): Promise<any> {
    try {
      const { Parameter } = await this.ssm.send(new GetParameterCommand({ Name: this.leaseName }));
      return JSON.parse(Parameter!.Value!);
    } catch (error) {
      if ((error as Error).name === 'ParameterNotFound') {
        return undefined;
      }
      throw error;
    }
  }

  /** In place of waiting until the lease of a run that was killed has expired. */
  public async letLeaseExpire(): Promise<void> {
    await this.changeLease((lease) => ({ ...lease, expiresAt: Date.now() - 1 }));
  }

  private writes(since: number): AwsCall[] {
    return this.aws.proxy
      .callsOf('ModifyRule')
      .filter(({ at, body }) => at >= since && body['RuleArn'] === this.ruleArn);
  }

  private get leaseName(): string {
    return ssmLeaseParameter(this.ruleArn);
  }

  private async changeLease(change: (lease: any) => object): Promise<void> {
    const lease = await this.lease();
    if (lease !== undefined) {
      const Value = JSON.stringify(change(lease));
      await this.ssm.send(new PutParameterCommand({ Name: this.leaseName, Value, Overwrite: true }));
    }
  }

  private bySlot(weights: readonly (readonly [string, number])[]): Weights {
    const slotOf = new Map(Object.entries(this.targetGroupArns).map(([slot, arn]) => [arn, slot]));
    return Object.fromEntries(weights.map(([arn, weight]) => [slotOf.get(arn) ?? arn, weight]));
  }
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DescribeRulesCommand,
  ElasticLoadBalancingV2Client,
  ModifyRuleCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { TrafficShiftArgs } from '../../../lib/pulumi/traffic';
import type { CheckSettings } from '../../../lib/shift/checks';
import { program } from '../../../lib/shift/checks';
import type { AwsCall } from './aws-proxy-call';
import { onCleanUp } from './clean-up';
import { eventually } from './eventually';
import type { Moto } from './moto';
import { moto } from './moto';
import { killEngines } from './pulumi-kill';
import type { Program, PulumiStack } from './pulumi-stack';
import { pulumiStack } from './pulumi-stack';
import type { ShiftProgramOptions } from './shift-program';
import { shiftProgram } from './shift-program';
import { temporaryFolder } from './temporary';

/** Weights by the target group's name without what is random. */
export type LiveWeights = Record<string, number>;

/** A shift that takes no longer than a test has patience: three steps. */
export const quick: TrafficShiftArgs = {
  step: [10, 50],
  every: '300ms',
  checkEvery: '300ms',
  bake: '300ms',
  checks: [],
};

/** A check that fails as soon as green has so much weight, with a figure. */
export function failingCheck(green: number): CheckSettings {
  const figures = [{ name: 'error share', slot: 'green', value: 0.05, unit: 'share', max: 0.01 }];
  const script = [
    `const green = Number(/green=(\\d+)/.exec(process.env.CLUSTER_CANARY_LIVE)[1]);`,
    `console.log(${JSON.stringify(JSON.stringify({ reason: 'too many errors', figures }))});`,
    `process.exit(green >= ${green} ? 1 : 0);`,
  ];
  return program({ name: 'errors', command: [process.execPath, '-e', script.join('')] });
}

/** A stack whose rules are shifted, over a moto. */
export class ShiftBench {
  private readonly client: ElasticLoadBalancingV2Client;

  public constructor(
    public readonly aws: Moto,
    public readonly stack: PulumiStack,
    private readonly common: Pick<ShiftProgramOptions, 'vpcId' | 'subnetIds' | 'certificateArn'>,
  ) {
    this.client = new ElasticLoadBalancingV2Client(aws.directSettings);
    onCleanUp(() => this.client.destroy());
  }

  /** A program that runs in the test's process. */
  public program(options: Partial<ShiftProgramOptions> = {}): Program {
    return shiftProgram(this.options(options));
  }

  /** The same in a file, for plain `pulumi up`. */
  public file(options: Partial<ShiftProgramOptions> = {}): string {
    const file = join(temporaryFolder('program'), 'index.js');
    const path = join(__dirname, 'shift-program.ts');
    writeFileSync(
      file,
      `const { shiftProgram } = require(${JSON.stringify(path)});\n` +
        `module.exports = shiftProgram(${JSON.stringify(this.options(options))});\n`,
    );
    return file;
  }

  /** The live weights of a rule by its priority. */
  public async weights(priority = 10): Promise<LiveWeights> {
    const rule = await this.rule(priority);
    return record(
      rule.Actions![0]!.ForwardConfig!.TargetGroups!.map((each) => [each.TargetGroupArn!, each.Weight!]),
    );
  }

  /** ARN of a rule by its priority. */
  public async ruleArn(priority = 10): Promise<string> {
    return (await this.rule(priority)).RuleArn!;
  }

  /** Somebody else writes weights. */
  public async setWeights(weights: LiveWeights, priority = 10): Promise<void> {
    const rule = await this.rule(priority);
    const groups = rule.Actions![0]!.ForwardConfig!.TargetGroups!;
    await this.client.send(
      new ModifyRuleCommand({
        RuleArn: rule.RuleArn,
        Actions: [
          {
            Type: 'forward',
            ForwardConfig: {
              ...rule.Actions![0]!.ForwardConfig,
              TargetGroups: groups.map(({ TargetGroupArn }) => ({
                TargetGroupArn,
                Weight: weights[nameOf(TargetGroupArn!)] ?? 0,
              })),
            },
          },
        ],
      }),
    );
  }

  /** Every write of weights since a moment, in order: those of one rule, or of all. */
  public writes(since = 0, priority?: number): LiveWeights[] {
    return this.aws.proxy
      .callsOf('ModifyRule')
      .filter(({ at, status }) => at >= since && status === 200)
      .filter(
        ({ body }) => priority === undefined || String(body.RuleArn).endsWith(this.ruleIds.get(priority)!),
      )
      .map(weightsWritten);
  }

  /** Waits until so many writes have succeeded since a moment. */
  public async written(count: number, since: number): Promise<void> {
    await eventually(`${count} writes`, () => this.writes(since).length >= count, {
      every: 20,
    });
  }

  /**
   * Kills an engine of this test file that runs `up`, its plugins and its program, as `kill -9` does, and opens the stack
   * again. Other test files have engines, too.
   */
  public async kill(): Promise<void> {
    await killEngines();
    await this.stack.stack.cancel();
  }

  /** The weights in the engine's state. */
  public async stateWeights(name = 'apps-web'): Promise<LiveWeights> {
    const state = await this.stack.state();
    const rule = state.find(({ urn }) => urn.endsWith(`ListenerRule::${name}`));
    const groups = rule!.inputs.actions[0].forward.targetGroups as { arn: string; weight: number }[];
    return record(groups.map(({ arn, weight }) => [arn, weight]));
  }

  private readonly ruleIds = new Map<number, string>();

  private async rule(priority: number) {
    const state = await this.stack.state();
    const listeners = state.filter(({ type }) => type === 'aws:lb/listener:Listener').map(({ id }) => id!);
    for (const ListenerArn of listeners) {
      const { Rules } = await this.client.send(new DescribeRulesCommand({ ListenerArn }));
      const found = Rules!.find((each) => each.Priority === String(priority));
      if (found) {
        this.ruleIds.set(priority, found.RuleArn!.split('/').at(-1)!);
        return found;
      }
    }
    throw new Error(`no rule with priority ${priority}`);
  }

  private options(options: Partial<ShiftProgramOptions>): ShiftProgramOptions {
    return { ...this.common, slots: ['blue', 'green'], weights: { blue: 100 }, ...options };
  }
}

function nameOf(arn: string): string {
  return arn
    .split('/')
    .at(-2)!
    .replace(/-[0-9a-f]{7}$/, '');
}

function record(weights: readonly (readonly [arn: string, weight: number])[]): LiveWeights {
  return Object.fromEntries(weights.map(([arn, weight]) => [nameOf(arn).replace(/^apps-/, ''), weight]));
}

function weightsWritten({ body }: AwsCall): LiveWeights {
  const found: [string, number][] = [];
  for (let index = 1; ; index += 1) {
    const key = `Actions.member.1.ForwardConfig.TargetGroups.member.${index}`;
    const arn = body[`${key}.TargetGroupArn`];
    if (typeof arn !== 'string') {
      return record(found);
    }
    found.push([arn, Number(body[`${key}.Weight`])]);
  }
}

/** Starts a moto and a stack; nothing is up yet. */
export async function shiftBench(): Promise<ShiftBench> {
  const aws = await moto();
  const { vpcId, subnetIds } = await aws.network();
  const common = { vpcId, subnetIds, certificateArn: await aws.certificate('www') };
  const stack = await pulumiStack(() => Promise.resolve(), { aws });
  return new ShiftBench(aws, stack, common);
}

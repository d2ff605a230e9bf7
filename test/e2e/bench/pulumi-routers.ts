import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action, Listener } from '@aws-sdk/client-elastic-load-balancing-v2';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { Route53 } from '@aws-sdk/client-route-53';
import { onCleanUp } from './clean-up';
import type { Moto } from './moto';
import { moto } from './moto';
import { killEngines } from './pulumi-kill';
import type { Program, PulumiStack } from './pulumi-stack';
import { pulumiStack } from './pulumi-stack';
import type { RouterProgramOptions } from './router-program';
import { routerProgram } from './router-program';
import { temporaryFolder } from './temporary';

const change = /^POST \/2013-04-01\/hostedzone\/[^/]+\/rrset/;

/** A stack whose listeners and records are shifted, over a moto. */
export class RouterBench {
  private readonly balancing: ElasticLoadBalancingV2;
  private readonly dns: Route53;

  public constructor(
    public readonly aws: Moto,
    public readonly stack: PulumiStack,
    private readonly common: Pick<RouterProgramOptions, 'vpcId' | 'subnetIds' | 'zoneId'>,
  ) {
    // Past the proxy its ARNs would be others.
    this.balancing = new ElasticLoadBalancingV2(aws.settings);
    this.dns = new Route53(aws.directSettings);
    onCleanUp(() => {
      this.balancing.destroy();
      this.dns.destroy();
    });
  }

  /** What a change of records is called on the wire. */
  public readonly changesRecords = change;

  /** A program that runs in the test's process. */
  public program(options: Partial<RouterProgramOptions>): Program {
    return routerProgram(this.options(options));
  }

  /** The same in a file, for an engine that is killed. */
  public file(options: Partial<RouterProgramOptions>): string {
    const file = join(temporaryFolder('program'), 'index.js');
    writeFileSync(
      file,
      `const { routerProgram } = require(${JSON.stringify(join(__dirname, 'router-program.ts'))});\n` +
        `module.exports = routerProgram(${JSON.stringify(this.options(options))});\n`,
    );
    return file;
  }

  /** Live weights of a listener, by slot. */
  public async listenerWeights(port: number): Promise<Record<string, number>> {
    return weightsIn((await this.listener(port)).DefaultActions!);
  }

  /** ARN of a listener. */
  public async listenerArn(port: number): Promise<string> {
    return (await this.listener(port)).ListenerArn!;
  }

  /** Live weights of the records of a type, by slot. */
  public async recordWeights(type = 'A'): Promise<Record<string, number>> {
    const sets = await this.recordSets(type);
    return Object.fromEntries(
      sets.map(({ SetIdentifier, Weight }) => [slotIn(SetIdentifier!), Number(Weight)]),
    );
  }

  /** Somebody else gives records other weights. */
  public async setRecords(weights: Readonly<Record<string, number>>): Promise<void> {
    const sets = (await this.recordSets()).filter(({ SetIdentifier }) => slotIn(SetIdentifier!) in weights);
    await this.dns.changeResourceRecordSets({
      HostedZoneId: this.common.zoneId,
      ChangeBatch: {
        Changes: sets.map((set) => ({
          Action: 'UPSERT',
          ResourceRecordSet: { ...set, Weight: weights[slotIn(set.SetIdentifier!)]! },
        })),
      },
    });
  }

  /** Every change of records since a moment: what each says of A records' weights, by slot. */
  public recordWrites(since: number): Record<string, number>[] {
    return this.aws.proxy.calls
      .filter(({ at, action, status }) => at >= since && change.test(action) && status === 200)
      .map(({ body }) => weightsOfBatch(String(body.text)))
      .filter((weights) => Object.keys(weights).length > 0);
  }

  /** Every write of a listener's weights since a moment: its port and green's weight. */
  public async listenerWrites(since: number, ...ports: number[]): Promise<string[]> {
    const portOf = new Map<string, number>();
    for (const port of ports) {
      portOf.set(await this.listenerArn(port), port);
    }
    return this.aws.proxy
      .callsOf('ModifyListener')
      .filter(({ at, status }) => at >= since && status === 200)
      .map(({ body }) => {
        const arns = Object.keys(body).filter((key) => /TargetGroupArn$/.test(key));
        const green = arns.find((key) => /\/apps-green-/.test(String(body[key])));
        return `${portOf.get(String(body.ListenerArn))}: ${String(body[green!.replace(/TargetGroupArn$/, 'Weight')])}`;
      });
  }

  /** Kills the engine that runs `up`, as `kill -9` does, and opens the stack again. */
  public async kill(): Promise<void> {
    await killEngines();
    await this.stack.stack.cancel();
  }

  private async listener(port: number): Promise<Listener> {
    const state = await this.stack.state();
    const arns = state.filter(({ type }) => type === 'aws:lb/listener:Listener').map(({ id }) => id!);
    const { Listeners } = await this.balancing.describeListeners({ ListenerArns: arns });
    return Listeners!.find(({ Port }) => Port === port)!;
  }

  private async recordSets(type?: string): Promise<ResourceRecordSet[]> {
    const { ResourceRecordSets } = await this.dns.listResourceRecordSets({
      HostedZoneId: this.common.zoneId,
    });
    return ResourceRecordSets!.filter(
      ({ SetIdentifier, Type }) => SetIdentifier !== undefined && (type === undefined || Type === type),
    );
  }

  private options(options: Partial<RouterProgramOptions>): RouterProgramOptions {
    return { ...this.common, slots: ['blue', 'green'], weights: { blue: 100 }, ...options };
  }
}

function slotIn(setIdentifier: string): string {
  return setIdentifier.replace(/^names-/, '');
}

function weightsIn(actions: readonly Action[]): Record<string, number> {
  const groups = actions[0]!.ForwardConfig!.TargetGroups!;
  return Object.fromEntries(
    groups.map(({ TargetGroupArn, Weight }) => [/\/apps-([a-z]+)-/.exec(TargetGroupArn!)![1]!, Weight!]),
  );
}

function weightsOfBatch(xml: string): Record<string, number> {
  const sets = xml
    .split('<ResourceRecordSet>')
    .filter(
      (set) => set.includes('<Type>A</Type>') && !/^[^]*DELETE/.test(set.split('</ResourceRecordSet>')[0]!),
    );
  return Object.fromEntries(
    sets.map((set) => [
      slotIn(/<SetIdentifier>([^<]*)</.exec(set)![1]!),
      Number(/<Weight>(\d+)</.exec(set)![1]),
    ]),
  );
}

/** Starts a moto and a stack; nothing is up yet. */
export async function routerBench(): Promise<RouterBench> {
  const aws = await moto();
  aws.proxy.networkNames = 'edge';
  const { vpcId, subnetIds } = await aws.network();
  const dns = new Route53(aws.directSettings);
  const { HostedZone } = await dns.createHostedZone({ Name: 'example.com', CallerReference: 'routers' });
  dns.destroy();
  const zoneId = HostedZone!.Id!.replace('/hostedzone/', '');
  const stack = await pulumiStack(() => Promise.resolve(), { aws });
  return new RouterBench(aws, stack, { vpcId, subnetIds, zoneId });
}

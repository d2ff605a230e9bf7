import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EKS } from '@aws-sdk/client-eks';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { parse, stringify } from 'yaml';
import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import type { AwsCall } from './aws-proxy-call';
import { onCleanUp } from './clean-up';
import type { RunningCommand } from './command';
import { startCommand } from './command';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { objectsBelow } from './crds';
import type { Moto } from './moto';
import { moto } from './moto';
import { clusterEnvironment } from './pulumi-clusters';
import type { Edit } from './pulumi-example';
import { exampleFile } from './pulumi-example';
import { pluginSettings, programEnvironment } from './pulumi-providers';
import { temporaryFolder } from './temporary';

const run = promisify(execFile);

const names = ['apps-blue', 'apps-green', 'hub-blue'] as const;

/** The clusters of the talk's example, with one that runs Argo CD. */
export type SwapCluster = (typeof names)[number];

/** What the bench has no figures for, and a shift that lasts seconds. */
const edits: readonly Edit[] = [
  { from: "      step: 'geometric',\n      every: '2m',\n      bake: '10m',\n", to: "      step: 50,\n      every: '1s',\n      bake: '1s',\n" },
  { from: "        checks.argoApplications(hub),\n", to: '' },
  { from: "        checks.cloudWatch.comparison({ slowAbove: '500ms' }),\n", to: '' },
  { from: "        checks.datadog.comparison({ requests: counted('hits'), errors: counted('errors') }),\n", to: '' },
  { from: '        checks.cloudWatch.errorShare({ max: 0.02, minRequests: 200 }),\n', to: '' },
  { from: "    shift: { step: 100, bake: '2m' },\n", to: "    shift: { step: 100, bake: '1s' },\n" },
];

/** A stack of `examples/talk` in a folder of its own, and the real command that swaps its clusters. */
export class SwapWorld {
  private readonly eks: EKS;
  private readonly balancing: ElasticLoadBalancingV2;
  private swaps = 0;

  public constructor(
    public readonly aws: Moto,
    public readonly planes: Readonly<Record<SwapCluster, ControlPlane>>,
    /** The folder of the program. */
    public readonly folder: string,
    private readonly pulumiProgram: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.eks = new EKS(aws.directSettings);
    this.balancing = new ElasticLoadBalancingV2(aws.directSettings);
    onCleanUp(() => [this.eks, this.balancing].forEach((client) => client.destroy()));
    aws.proxy.standIn = (call) => this.describeCluster(call);
    const timer = setInterval(() => void this.registerTargets().catch(() => undefined), 500);
    onCleanUp(() => clearInterval(timer));
  }

  /** What the stack's configuration says. */
  public get configuration(): Record<string, any> {
    return (parse(readFileSync(this.stackFile, 'utf8')) as { config: Record<string, any> }).config;
  }

  /** Changes the stack's configuration, as a person does. */
  public configure(values: Readonly<Record<string, unknown>>): void {
    writeFileSync(this.stackFile, stringify({ config: { ...this.configuration, ...values } }));
  }

  /** `pulumi` with these arguments, on the stack. */
  public async pulumi(...args: string[]): Promise<string> {
    const all = [...args, '--stack', 'production', '--non-interactive', '--color', 'never'];
    const options = { cwd: this.folder, env: { ...process.env, ...this.env }, maxBuffer: 1e8 };
    const { stdout } = await run(this.pulumiProgram, all, options);
    return stdout;
  }

  /** A swap file for the fleet `apps`. */
  public swapFile(settings: object): string {
    const file = join(this.folder, `swap-${++this.swaps}.yaml`);
    writeFileSync(file, stringify(settings));
    return file;
  }

  /** Starts `cluster-canary`. */
  public start(...args: string[]): RunningCommand {
    return startCommand(this.env, ...args);
  }

  /** The EKS clusters that there are, with their versions. */
  public async clusters(): Promise<Record<string, string>> {
    const { clusters = [] } = await this.eks.listClusters({});
    const found = await Promise.all(clusters.map((name) => this.eks.describeCluster({ name })));
    return Object.fromEntries(found.map(({ cluster }) => [cluster!.name!, cluster!.version!]));
  }

  /** moto's clusters have no API server; a control plane stands for each. */
  private describeCluster({ action, body: _ }: AwsCall): object | undefined {
    const [, name = ''] = /^GET \/clusters\/([^/]+)$/.exec(action) ?? [];
    const plane = (this.planes as Readonly<Record<string, ControlPlane | undefined>>)[name];
    const calls = this.aws.proxy.calls.filter((call) => (call.status ?? 0) < 300);
    const made = calls.findLast((call) => call.action === 'POST /clusters' && call.body['name'] === name);
    const gone = calls.findLast((call) => call.action === `DELETE /clusters/${name}`);
    if (plane === undefined || made === undefined || (gone !== undefined && calls.indexOf(gone) > calls.indexOf(made))) {
      return undefined;
    }
    return {
      cluster: {
        ...made.body,
        ...{ name, status: 'ACTIVE', endpoint: plane.server },
        arn: `arn:aws:eks:eu-west-1:123456789012:cluster/${name}`,
        certificateAuthority: { data: Buffer.from(plane.certificateAuthority).toString('base64') },
      },
    };
  }

  /** As the AWS Load Balancer Controller registers the pods of a Service in a slot's target groups. */
  private async registerTargets(): Promise<void> {
    const { TargetGroups = [] } = await this.balancing.describeTargetGroups({});
    for (const [index, { TargetGroupArn }] of TargetGroups.entries()) {
      const { TargetHealthDescriptions = [] } = await this.balancing.describeTargetHealth({ TargetGroupArn });
      if (TargetHealthDescriptions.length === 0) {
        const Targets = [1, 2].map((pod) => ({ Id: `10.0.${index}.${pod}`, Port: 9898 }));
        await this.balancing.registerTargets({ TargetGroupArn, Targets });
      }
    }
  }

  private get stackFile(): string {
    return join(this.folder, 'Pulumi.production.yaml');
  }
}

/** Starts all of it: a stack with nothing in it yet. */
export async function swapWorld(configuration: Readonly<Record<string, unknown>>): Promise<SwapWorld> {
  const [aws, ...started] = await Promise.all([
    moto(),
    ...names.map(async (name) => [name, await controlPlane({ name, nodes: 1 })] as const),
  ]);
  const planes = Object.fromEntries(started) as Record<SwapCluster, ControlPlane>;
  const ofTargets = [...objectsBelow(crdFolder('cert-manager')), ...objectsBelow(join(__dirname, 'definitions'))];
  const argocd = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } };
  const ofHub = [...objectsBelow(crdFolder('argo-cd')), ...ofTargets, argocd];
  await Promise.all(names.map((name) => planes[name].apply(name === 'hub-blue' ? ofHub : ofTargets)));

  const folder = temporaryFolder('swap');
  const own = temporaryFolder('swap-bench');
  for (const each of ['bin', 'home', 'state']) {
    mkdirSync(join(own, each));
  }
  const pulumiProgram = join(own, 'bin', 'pulumi');
  symlinkSync(programPath('pulumi'), pulumiProgram);
  const access = clusterEnvironment(own, planes);
  const env = {
    ...programEnvironment(),
    ...aws.env,
    ...access,
    PATH: `${join(own, 'bin')}:${access.PATH}`,
    PULUMI_BACKEND_URL: `file://${join(own, 'state')}`,
    PULUMI_HOME: join(own, 'home'),
    PULUMI_CONFIG_PASSPHRASE: 'test',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    XDG_STATE_HOME: join(own, 'state'),
  };
  const project = { name: 'talk', runtime: 'nodejs', main: exampleFile('talk/index.ts', edits), plugins: pluginSettings() };
  writeFileSync(join(folder, 'Pulumi.yaml'), stringify(project));
  writeFileSync(join(folder, 'Pulumi.production.yaml'), stringify({ config: {} }));
  const world = new SwapWorld(aws, planes, folder, pulumiProgram, env);
  await world.pulumi('stack', 'init');
  const { vpcId, subnetIds } = await aws.network();
  const salt = world.configuration;
  world.configure({
    ...salt,
    'aws:region': aws.settings.region,
    'talk:vpcId': vpcId,
    'talk:publicSubnetIds': subnetIds,
    'talk:privateSubnetIds': subnetIds,
    'talk:certificateArn': await aws.certificate('www'),
    'talk:adminCidrs': ['203.0.113.0/24'],
    ...configuration,
  });
  return world;
}

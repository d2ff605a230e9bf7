import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EKS } from '@aws-sdk/client-eks';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { SSM } from '@aws-sdk/client-ssm';
import { parse, stringify } from 'yaml';
import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import type { ArgoCd } from './argo-cd';
import { argoCd } from './argo-cd';
import type { AwsCall } from './aws-proxy-call';
import { onCleanUp } from './clean-up';
import type { RunningCommand } from './command';
import { startCommand } from './command';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { objectsBelow } from './crds';
import { EksUpgrade } from './eks-upgrade';
import { GitRepository } from './git-repository';
import type { Moto } from './moto';
import { moto } from './moto';
import { bridgeCluster, clusterEnvironment } from './pulumi-clusters';
import type { Edit } from './pulumi-example';
import { exampleFile } from './pulumi-example';
import { pluginSettings, programEnvironment } from './pulumi-providers';
import { clustersVariable } from './providers/cluster-map';
import { temporaryFolder } from './temporary';

const run = promisify(execFile);

/** Control planes that stand for the clusters one after the other, by the cluster's name: each emulates another version. */
const planesOf = {
  'apps-blue': ['1.33', '1.35'],
  'apps-green': ['1.34'],
  'hub-blue': ['1.35'],
} as const;

/** The clusters of the talk's example, with one that runs Argo CD. */
export type SwapCluster = keyof typeof planesOf;

/** The control planes of each cluster, in the order in which they stand for it. */
export type SwapPlanes = Readonly<Record<SwapCluster, readonly ControlPlane[]>>;

/** What the repository has of podinfo. */
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'podinfo' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'podinfo' } },
    template: {
      metadata: { labels: { app: 'podinfo' } },
      spec: { containers: [{ name: 'podinfo', image: 'registry.example.com/podinfo:test' }] },
    },
  },
};

/** What the bench has no figures for, and a shift that lasts seconds. */
const editsFor = (repository: string): readonly Edit[] => [
  {
    from: "import { appsProject, podinfo, podinfoRepository } from '../manifests/podinfo';\n",
    to:
      "import { appsProject, podinfo } from '../manifests/podinfo';\n" +
      `const podinfoRepository = { repoURL: '${repository}', path: 'podinfo', targetRevision: 'main' };\n`,
  },
  {
    from: "      step: 'geometric',\n      every: '2m',\n      bake: '10m',\n",
    to: "      step: 50,\n      every: '1s',\n      bake: '1s',\n",
  },
  { from: "        checks.cloudWatch.comparison({ slowAbove: '500ms' }),\n", to: '' },
  {
    from: "        checks.datadog.comparison({ requests: counted('hits'), errors: counted('errors') }),\n",
    to: '',
  },
  { from: '        checks.cloudWatch.errorShare({ max: 0.02, minRequests: 200 }),\n', to: '' },
  { from: "    shift: { step: 100, bake: '2m' },\n", to: "    shift: { step: 100, bake: '1s' },\n" },
];

/** What a swap file says besides, or otherwise. */
export interface SwapFile {
  readonly phases?: object;
  readonly [key: string]: unknown;
}

/** A stack of `examples/talk` in a folder of its own, and the real command that swaps its clusters. */
export class SwapWorld {
  private readonly eks: EKS;
  private readonly balancing: ElasticLoadBalancingV2;
  private readonly ssm: SSM;
  private readonly bridged = new Map<string, ControlPlane>();
  private swaps = 0;

  public constructor(
    public readonly aws: Moto,
    public readonly planes: SwapPlanes,
    /** On `hub-blue`. */
    public readonly argo: ArgoCd,
    /** The folder of the program. */
    public readonly folder: string,
    private readonly pulumiProgram: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.eks = new EKS(aws.directSettings);
    this.balancing = new ElasticLoadBalancingV2(aws.directSettings);
    this.ssm = new SSM(aws.directSettings);
    onCleanUp(() => [this.eks, this.balancing, this.ssm].forEach((client) => client.destroy()));
    // Insights, versions and add-ons are those of a stand-in of their own.
    new EksUpgrade(aws);
    const upgrade = aws.proxy.standIn;
    aws.proxy.standIn = (call, path) => {
      this.bridge();
      return this.describeCluster(call) ?? upgrade?.(call, path);
    };
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
  public swapFile({ phases, ...settings }: SwapFile): string {
    const file = join(this.folder, `swap-${++this.swaps}.yaml`);
    const kubeconfig = this.planes['hub-blue'][0]!.kubeconfigFile;
    writeFileSync(
      file,
      stringify({
        fleet: 'apps',
        region: this.aws.settings.region,
        program: { pulumi: { stack: 'production', slots: 'talk:apps', weights: 'talk:weights' } },
        ...settings,
        phases: {
          ready: { subjects: ['eks-versions'] },
          deliver: { timeout: '2m' },
          soak: { for: '2s', every: '1s' },
          drain: { timeout: '2m', idleFor: '1s', hubs: [{ kubeconfig }] },
          ...phases,
        },
      }),
    );
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

  private bridge(): void {
    for (const name of Object.keys(this.planes)) {
      const plane = this.planeOf(name);
      if (plane !== undefined && this.bridged.get(name) !== plane) {
        this.bridged.set(name, plane);
        bridgeCluster(this.env[clustersVariable]!, name, plane);
      }
    }
  }

  /** Weights on the rule of the fleet `apps`, by the target group's name without what is random. */
  public async weights(): Promise<Record<string, number>> {
    const { TargetGroups = [] } = await this.balancing.describeTargetGroups({});
    const names = new Map(
      TargetGroups.map(({ TargetGroupArn, TargetGroupName }) => [
        TargetGroupArn,
        TargetGroupName!.replace(/-[0-9a-f]{7}$/, ''),
      ]),
    );
    const { LoadBalancers = [] } = await this.balancing.describeLoadBalancers({});
    const listeners = await Promise.all(
      LoadBalancers.map(({ LoadBalancerArn }) => this.balancing.describeListeners({ LoadBalancerArn })),
    );
    const rules = await Promise.all(
      listeners
        .flatMap(({ Listeners = [] }) => Listeners)
        .map(({ ListenerArn }) => this.balancing.describeRules({ ListenerArn })),
    );
    const groups = rules
      .flatMap(({ Rules = [] }) => Rules)
      .flatMap(({ Actions = [] }) => Actions)
      .flatMap(({ ForwardConfig }) => ForwardConfig?.TargetGroups ?? [])
      .map(({ TargetGroupArn, Weight }) => [names.get(TargetGroupArn) ?? '', Weight ?? 1] as const);
    return Object.fromEntries(groups.filter(([name]) => name.startsWith('apps-')));
  }

  /** In place of waiting until the lease of a run that was killed has expired. */
  public async letLeaseExpire(): Promise<void> {
    const { Parameters = [] } = await this.ssm.getParametersByPath({
      Path: '/cluster-canary/leases',
      Recursive: true,
    });
    for (const { Name, Value } of Parameters) {
      const lease = JSON.parse(Value!) as { expiresAt?: number };
      if (lease.expiresAt !== undefined) {
        const expired = JSON.stringify({ ...lease, expiresAt: Date.now() - 1 });
        await this.ssm.putParameter({ Name, Value: expired, Overwrite: true });
      }
    }
  }

  /** moto's clusters have no API server; a control plane stands for each. */
  private describeCluster({ action }: AwsCall): object | undefined {
    const [, name = ''] = /^GET \/clusters\/([^/]+)$/.exec(action) ?? [];
    const plane = this.planeOf(name);
    const made = this.callsOn(name).at(-1);
    if (plane === undefined || made?.action !== 'POST /clusters') {
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

  /** What made the cluster and deleted it, in order. */
  private callsOn(name: string): AwsCall[] {
    return this.aws.proxy.calls.filter(
      ({ action, body, status = 500 }) =>
        status < 300 &&
        ((action === 'POST /clusters' && body['name'] === name) || action === `DELETE /clusters/${name}`),
    );
  }

  /** The control plane that stands for a cluster now: another one after each deletion. */
  public planeOf(name: string): ControlPlane | undefined {
    const deleted = this.callsOn(name).filter(({ action }) => action.startsWith('DELETE')).length;
    return this.planes[name as SwapCluster]?.[deleted];
  }

  /** As the AWS Load Balancer Controller registers the pods of a Service in a slot's target groups. */
  private async registerTargets(): Promise<void> {
    const { TargetGroups = [] } = await this.balancing.describeTargetGroups({});
    for (const [index, { TargetGroupArn, LoadBalancerArns = [] }] of TargetGroups.entries()) {
      const { TargetHealthDescriptions = [] } = await this.balancing.describeTargetHealth({ TargetGroupArn });
      if (TargetHealthDescriptions.length === 0) {
        const Targets = [1, 2].map((pod) => ({ Id: `10.0.${index}.${pod}`, Port: 9898 }));
        await this.balancing.registerTargets({ TargetGroupArn, Targets });
      }
      if (LoadBalancerArns.length === 0) {
        await this.connect(TargetGroupArn!);
      }
    }
  }

  /** moto says what load balancer a target group has only where a rule was created with it, not where one was changed. */
  private async connect(group: string): Promise<void> {
    const { LoadBalancers = [] } = await this.balancing.describeLoadBalancers({});
    for (const { LoadBalancerArn } of LoadBalancers) {
      const { Listeners = [] } = await this.balancing.describeListeners({ LoadBalancerArn });
      for (const { ListenerArn } of Listeners) {
        const { Rules = [] } = await this.balancing.describeRules({ ListenerArn });
        const leads = Rules.some(({ Actions = [] }) => JSON.stringify(Actions).includes(group));
        if (leads) {
          const { Rules: [made] = [] } = await this.balancing.createRule({
            ListenerArn,
            Priority: 49_999,
            Conditions: [{ Field: 'path-pattern', Values: ['/none'] }],
            Actions: [{ Type: 'forward', TargetGroupArn: group }],
          });
          await this.balancing.deleteRule({ RuleArn: made!.RuleArn });
        }
      }
    }
  }

  private get stackFile(): string {
    return join(this.folder, 'Pulumi.production.yaml');
  }
}

/** Starts all of it: a stack with nothing in it yet. */
export async function swapWorld(configuration: Readonly<Record<string, unknown>>): Promise<SwapWorld> {
  const clusters = Object.entries(planesOf) as [SwapCluster, readonly string[]][];
  const [aws, ...started] = await Promise.all([
    moto(),
    ...clusters.map(async ([name, versions]) => {
      const planes = versions.map((version) => controlPlane({ name, nodes: 1, emulatedVersion: version }));
      return [name, await Promise.all(planes)] as const;
    }),
  ]);
  const planes = Object.fromEntries(started) as Record<SwapCluster, ControlPlane[]>;
  const ofTargets = [
    ...objectsBelow(crdFolder('cert-manager')),
    ...objectsBelow(join(__dirname, 'definitions')),
  ];
  const argocd = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } };
  const ofHub = [...objectsBelow(crdFolder('argo-cd')), ...ofTargets, argocd];
  await Promise.all(
    started.flatMap(([name, all]) =>
      all.map((plane) => plane.apply(name === 'hub-blue' ? ofHub : ofTargets)),
    ),
  );

  const folder = temporaryFolder('swap');
  const own = temporaryFolder('swap-bench');
  for (const each of ['bin', 'home', 'state']) {
    mkdirSync(join(own, each));
  }
  const pulumiProgram = join(own, 'bin', 'pulumi');
  symlinkSync(programPath('pulumi'), pulumiProgram);
  const first = Object.fromEntries(started.map(([name, [plane]]) => [name, plane!]));
  const access = clusterEnvironment(own, first);
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
  // Argo CD logs in to an EKS cluster by this program.
  const login = `#!/bin/sh\nexec cat "${access[clustersVariable]}/$3.credential.json"\n`;
  writeFileSync(join(own, 'bin', 'argocd-k8s-auth'), login, { mode: 0o700 });
  process.env.PATH = `${join(own, 'bin')}:${process.env.PATH}`;
  const argo = await argoCd(planes['hub-blue'][0]!);
  const repository = new GitRepository();
  repository.commit({ 'podinfo/deployment.yaml': JSON.stringify(deployment) });
  const project = {
    name: 'talk',
    runtime: 'nodejs',
    main: exampleFile('talk/index.ts', editsFor(repository.url)),
    plugins: pluginSettings(),
  };
  writeFileSync(join(folder, 'Pulumi.yaml'), stringify(project));
  writeFileSync(join(folder, 'Pulumi.production.yaml'), stringify({ config: {} }));
  const world = new SwapWorld(aws, planes, argo, folder, pulumiProgram, env);
  await world.pulumi('stack', 'init');
  const { vpcId, subnetIds } = await aws.network();
  world.configure({
    ...world.configuration,
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

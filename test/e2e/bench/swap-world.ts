import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EC2 } from '@aws-sdk/client-ec2';
import { EKS } from '@aws-sdk/client-eks';
import { SSM } from '@aws-sdk/client-ssm';
import { parse, stringify } from 'yaml';
import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import type { ArgoCd } from './argo-cd';
import { argoCd } from './argo-cd';
import { onCleanUp } from './clean-up';
import type { RunningCommand } from './command';
import { startCommand } from './command';
import type { ControlPlane } from './control-plane';
import { objectsBelow } from './crds';
import { EksUpgrade } from './eks-upgrade';
import { GitRepository } from './git-repository';
import type { Moto } from './moto';
import { moto } from './moto';
import { clusterEnvironment } from './pulumi-clusters';
import type { Edit } from './pulumi-example';
import { exampleFile } from './pulumi-example';
import { pluginSettings, programEnvironment } from './pulumi-providers';
import { clustersVariable } from './providers/cluster-map';
import type { PlaneVersions } from './swap-planes';
import { SwapPlanes } from './swap-planes';
import { replayed } from './swap-faults';
import { TargetController } from './target-controller';
import { temporaryFolder } from './temporary';

const run = promisify(execFile);

/** The cluster that runs Argo CD. */
const hub = 'hub-blue';

/** One swap from 1.33 to 1.34, and one on to 1.35. */
const twoSwaps: PlaneVersions = { 'apps-blue': ['1.33', '1.35'], 'apps-green': ['1.34'], [hub]: ['1.35'] };

/** What else differs from the example, for a stack in this folder. */
export type EditsIn = (folder: string) => readonly Edit[];

/** Beside the program: with what status a check of its shift ends. */
const statusFile = 'shift-status';

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

/** What the bench has no figures for, and a shift that lasts seconds. A check of it, once the first step is live, ends as a file says. */
const editsFor = (repository: string, status: string): readonly Edit[] => [
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
  {
    from: "        checks.cloudWatch.comparison({ slowAbove: '500ms' }),\n",
    to: `        checks.program({ command: ['sh', '-c', 'exit $(cat ${status})'], stages: ['after'] }),\n`,
  },
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

/** What there is of a stack and its fleet. */
export interface ThereIs {
  readonly clusters: Readonly<Record<string, string>>;
  readonly weights: Readonly<Record<string, number>>;
  readonly configuration: object;
  /** Names of target groups, without what is random. */
  readonly groups: readonly string[];
  /** URNs in the stack's state. */
  readonly resources: readonly string[];
  /** Types of what an engine was making when it was killed, as the state has it. */
  readonly pending: readonly string[];
  /** Applications with their state: `apps-blue-podinfo Synced Healthy`. */
  readonly applications: readonly string[];
}

/** A stack of `examples/talk` in a folder of its own, and the real command that swaps its clusters. */
export class SwapWorld {
  /** Weights, target groups. */
  public readonly targets: TargetController;
  private readonly eks: EKS;
  private readonly ssm: SSM;
  private swaps = 0;

  public constructor(
    public readonly aws: Moto,
    public readonly planes: SwapPlanes,
    /** On `hub-blue`. */
    public readonly argo: ArgoCd,
    /** The folder of the program. */
    public readonly folder: string,
    private readonly pulumiProgram: string,
    /** Environment of the commands. */
    public readonly env: Readonly<Record<string, string>>,
  ) {
    this.targets = new TargetController(aws);
    this.eks = new EKS(aws.directSettings);
    this.ssm = new SSM(aws.directSettings);
    onCleanUp(() => [this.eks, this.ssm].forEach((client) => client.destroy()));
    // Insights, versions and add-ons are those of a stand-in of their own.
    new EksUpgrade(aws);
    const upgrade = aws.proxy.standIn;
    aws.proxy.standIn = (call, path) => {
      planes.bridge(env[clustersVariable]!);
      return planes.described(call) ?? upgrade?.(call, path);
    };
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
    const kubeconfig = this.hub.kubeconfigFile;
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

  /** Weights on the rule of the fleet `apps`, by the target group's name without what is random. */
  public weights(): Promise<Record<string, number>> {
    return this.targets.weights('apps');
  }

  /** What a check of the program's shift answers, once the first step is live. @default 'pass' */
  public checkOfShift(answer: 'pass' | 'fail' | 'inconclusive'): void {
    const status = { pass: 0, fail: 1, inconclusive: 2 }[answer];
    writeFileSync(join(this.folder, statusFile), String(status));
  }

  /** What there is: a swap that was killed leaves what one that ran through does. */
  public async there(): Promise<ThereIs> {
    const [clusters, weights, groups, exported, applications] = await Promise.all([
      this.clusters(),
      this.weights(),
      this.targets.groups(),
      this.pulumi('stack', 'export'),
      this.hub.api.list('argoproj.io/v1alpha1', 'Application', { namespace: 'argocd' }),
    ]);
    const { resources = [], pending_operations: pending = [] } = JSON.parse(exported).deployment as {
      readonly resources?: readonly { readonly urn: string }[];
      readonly pending_operations?: readonly { readonly resource: { readonly type: string } }[];
    };
    return {
      ...{ clusters, weights, groups },
      pending: pending.map(({ resource: { type } }) => type),
      configuration: { apps: this.configuration['talk:apps'], weights: this.configuration['talk:weights'] },
      resources: resources.map(({ urn }) => urn).sort(),
      applications: applications
        .map(({ metadata, status }) =>
          [metadata.name, status?.sync?.status, status?.health?.status].join(' '),
        )
        .sort(),
    };
  }

  /**
   * Deletes security group rules that the stack's state does not know, as a person does after a kill: AWS refuses a second one that is
   * the same, and only AWS knows the ID of the first one.
   */
  public async removeUnknownRules(): Promise<void> {
    const ec2 = new EC2(this.aws.directSettings);
    try {
      const { deployment } = JSON.parse(await this.pulumi('stack', 'export')) as {
        readonly deployment: { readonly resources?: readonly { readonly id?: string }[] };
      };
      const known = new Set(deployment.resources?.map(({ id }) => id));
      const { SecurityGroupRules = [] } = await ec2.describeSecurityGroupRules({});
      for (const { GroupId, SecurityGroupRuleId, Description = '' } of SecurityGroupRules) {
        if (/^Load balancer to apps /.test(Description) && !known.has(SecurityGroupRuleId)) {
          await ec2.revokeSecurityGroupIngress({
            GroupId: GroupId!,
            SecurityGroupRuleIds: [SecurityGroupRuleId!],
          });
        }
      }
    } finally {
      ec2.destroy();
    }
  }

  /** What went wrong so far that a swap must never do: with clusters, weights, Applications. */
  public faults(): readonly string[] {
    const { faults } = replayed(this.aws.proxy.calls, 'apps');
    const pruned = ['apps-blue', 'apps-green'].flatMap((name) =>
      this.planes
        .of(name)
        .flatMap((plane) => plane.audit({ namespace: 'podinfo' }))
        .filter(({ verb, resource }) => verb.startsWith('delete') && resource === 'deployments')
        .map(({ at, user, uri }) => `${at.toISOString()}: ${user} deletes ${uri} of ${name}`),
    );
    return [...faults, ...pruned, ...this.lostApplications()];
  }

  /** Applications that were deleted while traffic led to what they deploy. */
  private lostApplications(): readonly string[] {
    return this.hub
      .audit({ resource: 'applications', status: 200 })
      .filter(({ verb }) => verb.startsWith('delete'))
      .flatMap(({ at, name, uri }) => {
        const before = this.aws.proxy.calls.filter((call) => call.at <= at.getTime());
        const last = replayed(before, 'apps').written.at(-1) ?? {};
        const slot = /^apps-([a-z]+)-/.exec(name ?? '')?.[1];
        return slot === undefined || (last[slot] ?? 0) > 0
          ? [`${at.toISOString()}: ${uri} is deleted, while weights are ${JSON.stringify(last)}`]
          : [];
      });
  }

  private get hub(): ControlPlane {
    return this.planes.of(hub)[0]!;
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

  private get stackFile(): string {
    return join(this.folder, 'Pulumi.production.yaml');
  }
}

/**
 * Starts all of it, and deploys the stack: a cluster of Kubernetes 1.33 has all traffic, and a hub deploys to it.
 *
 * @param versions of the control planes that stand for the clusters
 * @param options how long EKS takes to make a cluster, in milliseconds; what else differs from the example
 */
export async function deployedWorld(
  versions?: PlaneVersions,
  { makingTakes = 0, edits = () => [] }: { readonly makingTakes?: number; readonly edits?: EditsIn } = {},
): Promise<SwapWorld> {
  const world = await swapWorld(
    {
      'talk:apps': { blue: '1.33' },
      'talk:weights': { blue: 100 },
      'talk:hubs': { blue: '1.35' },
      'talk:activeHub': 'blue',
    },
    versions,
    edits,
  );
  world.planes.makingTakes = makingTakes;
  await world.pulumi('up', '--yes', '--skip-preview');
  await world.argo.synced('apps-blue-podinfo');
  return world;
}

/**
 * Starts all of it: a stack with nothing in it yet.
 *
 * @param versions of the control planes that stand for the clusters
 */
async function swapWorld(
  configuration: Readonly<Record<string, unknown>>,
  versions: PlaneVersions = twoSwaps,
  edits: EditsIn = () => [],
): Promise<SwapWorld> {
  const aws = await moto();
  const planes = await SwapPlanes.start(aws, versions);
  const ofTargets = [
    ...objectsBelow(crdFolder('cert-manager')),
    ...objectsBelow(join(__dirname, 'definitions')),
  ];
  const argocd = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } };
  const ofHub = [...objectsBelow(crdFolder('argo-cd')), ...ofTargets, argocd];
  await Promise.all(
    Object.keys(versions).flatMap((name) =>
      planes.of(name).map((plane) => plane.apply(name === hub ? ofHub : ofTargets)),
    ),
  );

  const folder = temporaryFolder('swap');
  const own = temporaryFolder('swap-bench');
  for (const each of ['bin', 'home', 'state']) {
    mkdirSync(join(own, each));
  }
  const pulumiProgram = join(own, 'bin', 'pulumi');
  symlinkSync(programPath('pulumi'), pulumiProgram);
  const access = clusterEnvironment(own, planes.first);
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
  const argo = await argoCd(planes.of(hub)[0]!);
  const repository = new GitRepository();
  repository.commit({ 'podinfo/deployment.yaml': JSON.stringify(deployment) });
  const project = {
    name: 'talk',
    runtime: 'nodejs',
    main: exampleFile('talk/index.ts', [
      ...editsFor(repository.url, join(folder, statusFile)),
      ...edits(folder),
    ]),
    plugins: pluginSettings(),
  };
  writeFileSync(join(folder, 'Pulumi.yaml'), stringify(project));
  writeFileSync(join(folder, 'Pulumi.production.yaml'), stringify({ config: {} }));
  const world = new SwapWorld(aws, planes, argo, folder, pulumiProgram, env);
  world.checkOfShift('pass');
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

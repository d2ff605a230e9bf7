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
import type { AuditEntry } from './audit';
import type { AwsCall } from './aws-proxy-call';
import { onCleanUp } from './clean-up';
import type { RunningCommand } from './command';
import { startCommand } from './command';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { objectsBelow } from './crds';
import { eksFront } from './eks-front';
import { EksUpgrade } from './eks-upgrade';
import { eventually } from './eventually';
import { GitRepository } from './git-repository';
import { loginProgram } from './hub-bench';
import type { HubSlot } from './hub-bench';
import { HubEks } from './hub-eks';
import { descendants, runningProcesses } from './listeners';
import type { Moto } from './moto';
import { moto } from './moto';
import { clusterEnvironment } from './pulumi-clusters';
import type { Edit } from './pulumi-example';
import { exampleFile } from './pulumi-example';
import { pluginSettings, programEnvironment } from './pulumi-providers';
import { temporaryFolder } from './temporary';

const run = promisify(execFile);

const names = ['hub-blue', 'hub-green', 'apps-blue'] as const;

/** The clusters of the talk's example that there are, or will be. */
type ClusterName = (typeof names)[number];

const podinfo = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'podinfo', namespace: 'podinfo' },
};

/** What the bench has no figures for, and a handover that lasts seconds. */
const editsFor = (repository: string): readonly Edit[] => [
  {
    from: "import { appsProject, podinfo, podinfoRepository } from '../manifests/podinfo';\n",
    to:
      "import { appsProject, podinfo } from '../manifests/podinfo';\n" +
      `const podinfoRepository = { repoURL: '${repository}', path: 'podinfo', targetRevision: 'main' };\n`,
  },
  {
    from: '  applicationSets: [podinfo(podinfoRepository)],\n',
    to:
      '  applicationSets: [podinfo(podinfoRepository)],\n' +
      "  handover: { compareWithin: '60s', finishWithin: '40s', settle: '1s' },\n",
  },
  {
    from: "        checks.cloudWatch.comparison({ slowAbove: '500ms' }),\n",
    to: '',
  },
  {
    from: "        checks.datadog.comparison({ requests: counted('hits'), errors: counted('errors') }),\n",
    to: '',
  },
  { from: '        checks.cloudWatch.errorShare({ max: 0.02, minRequests: 200 }),\n', to: '' },
  { from: "    shift: { step: 100, bake: '2m' },\n", to: "    shift: { step: 100, bake: '1s' },\n" },
];

/** A stack of `examples/talk` whose cluster of Argo CD is swapped by the real command. */
export class SwapHubWorld {
  private readonly eks: EKS;
  private readonly balancing: ElasticLoadBalancingV2;
  private readonly ssm: SSM;
  private replicas = 0;
  private swaps = 0;

  public constructor(
    public readonly aws: Moto,
    public readonly planes: Readonly<Record<ClusterName, ControlPlane>>,
    public readonly argo: Readonly<Record<HubSlot, ArgoCd>>,
    /** Who may do what on `apps-blue`. */
    public readonly rights: HubEks,
    private readonly repository: GitRepository,
    private readonly folder: string,
    private readonly pulumiProgram: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.eks = new EKS(aws.directSettings);
    this.balancing = new ElasticLoadBalancingV2(aws.directSettings);
    this.ssm = new SSM(aws.directSettings);
    onCleanUp(() => [this.eks, this.balancing, this.ssm].forEach((client) => client.destroy()));
    const upgrade = aws.proxy.standIn;
    aws.proxy.standIn = (call, path) => this.describeCluster(call) ?? upgrade?.(call, path);
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

  /** A swap file for the fleet `hub`. */
  public swapFile(phases: object = {}): string {
    const file = join(this.folder, `swap-${++this.swaps}.yaml`);
    writeFileSync(
      file,
      stringify({
        ...{ fleet: 'hub', region: this.aws.settings.region, to: '1.35', moves: 'hub' },
        program: { pulumi: { stack: 'production', slots: 'talk:hubs', active: 'talk:activeHub' } },
        phases: {
          ready: { subjects: ['eks-versions'] },
          soak: { for: '2s', every: '1s' },
          drain: { timeout: '2m', idleFor: '1s' },
          ...phases,
        },
      }),
    );
    return file;
  }

  /** Starts `cluster-canary swap`. */
  public start(file: string, ...args: string[]): RunningCommand {
    return startCommand(this.env, 'swap', file, ...args);
  }

  /** Kills a run with the engine that it runs, once something holds, and lets its lease expire. */
  public async killAt(
    what: string,
    run: RunningCommand,
    isTime: (printed: string) => boolean | Promise<boolean>,
  ): Promise<void> {
    let end: string | undefined;
    void run.result.then(({ stdout, stderr }) => (end = `${stdout}\n${stderr}`));
    const moment = async (): Promise<boolean> => end !== undefined || isTime(run.printed.stderr);
    await eventually(what, moment, { within: 300_000, every: 10 });
    if (end !== undefined) {
      throw new Error(`it ended before it could be killed (${what}): ${end}`);
    }
    const all = runningProcesses();
    const engines = descendants(process.pid, all).filter(({ command }) =>
      /\/bin\/pulumi (up|preview) /.test(command),
    );
    run.kill();
    for (const { pid } of engines.flatMap((engine) => [...descendants(engine.pid, all), engine])) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    await run.result;
    await this.letLeaseExpire();
  }

  /** The EKS clusters that there are, with their versions. */
  public async clusters(): Promise<Record<string, string>> {
    const { clusters = [] } = await this.eks.listClusters({});
    const found = await Promise.all(clusters.map((name) => this.eks.describeCluster({ name })));
    return Object.fromEntries(found.map(({ cluster }) => [cluster!.name!, cluster!.version!]));
  }

  /** Commits another number of replicas, has Argo CD look at it, and waits until it is deployed. */
  public async deploys(): Promise<void> {
    const replicas = this.commit();
    await eventually(
      `${replicas} replicas`,
      async () => {
        await this.refresh();
        return (await this.planes['apps-blue'].api.get(podinfo)).spec.replicas === replicas;
      },
      { every: 1_000 },
    );
  }

  /** Identities of what is deployed: another one is another object. */
  public async uids(): Promise<string[]> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'podinfo' } };
    const { api } = this.planes['apps-blue'];
    const objects = await Promise.all([podinfo, namespace].map((each) => api.get(each)));
    return objects.map(({ metadata }) => String(metadata.uid));
  }

  /** What hubs have written on `apps-blue` since a moment, in order. */
  public writes(since: Date): AuditEntry[] {
    return this.planes['apps-blue']
      .audit({ since })
      .filter(({ user, status, group, uri }) => {
        const asks = group === 'authorization.k8s.io' || uri.includes('dryRun=');
        return user.startsWith('hub-') && status < 300 && !asks;
      })
      .sort((one, other) => one.at.getTime() - other.at.getTime());
  }

  /** What has been wrong since a moment with who may write, and who has written. */
  public faults(since: Date): string[] {
    const unlawful = this.writes(since)
      .filter(({ user, at }) => !this.rights.couldWrite(user, at))
      .map(({ user, at, uri }) => `${at.toISOString()}: ${user} writes ${uri} without the right`);
    const holders = new Set<string>();
    const several = this.rights.changes.flatMap(({ user, policy, has, at }) => {
      if (policy !== 'AmazonEKSClusterAdminPolicy') {
        return [];
      }
      holders[has ? 'add' : 'delete'](user);
      return holders.size > 1 ? [`${at.toISOString()}: ${[...holders].join(' and ')} may write`] : [];
    });
    const deleted = this.writes(since)
      .filter(({ verb }) => verb.startsWith('delete'))
      .map(({ user, at, uri }) => `${at.toISOString()}: ${user} deletes ${uri}`);
    return [...unlawful, ...several, ...deleted];
  }

  /** Whether the program has written one of the ConfigMaps of a handover on a hub. */
  public hasTold(slot: HubSlot, name: string, since: Date): boolean {
    return (
      this.planes[`hub-${slot}`].audit({ since, user: 'admin', resource: 'configmaps', name }).length > 0
    );
  }

  public commit(): number {
    this.replicas += 1;
    const spec = {
      replicas: this.replicas,
      selector: { matchLabels: { app: 'podinfo' } },
      template: {
        metadata: { labels: { app: 'podinfo' } },
        spec: { containers: [{ name: 'podinfo', image: 'registry.example.com/podinfo:test' }] },
      },
    };
    const object = { ...podinfo, metadata: { name: 'podinfo' }, spec };
    this.repository.commit({ 'podinfo/deployment.yaml': JSON.stringify(object) });
    return this.replicas;
  }

  /** As a webhook of the repository would. */
  private async refresh(): Promise<void> {
    for (const slot of ['blue', 'green'] as const) {
      const { api } = this.planes[`hub-${slot}`];
      const applications = await api.list('argoproj.io/v1alpha1', 'Application', { namespace: 'argocd' });
      for (const { apiVersion, kind, metadata } of applications) {
        const ref = { apiVersion, kind, metadata: { name: metadata.name, namespace: 'argocd' } };
        const annotations = { 'argocd.argoproj.io/refresh': 'hard' };
        await api.patch(ref, { metadata: { annotations } }).catch(() => undefined);
      }
    }
  }

  /** moto's clusters have no API server; a control plane stands for each. */
  private describeCluster({ action }: AwsCall): object | undefined {
    const [, name = ''] = /^GET \/clusters\/([^/]+)$/.exec(action) ?? [];
    const plane = this.planes[name as ClusterName];
    const last = this.aws.proxy.calls
      .filter(
        ({ action: each, body, status = 500 }) =>
          status < 300 &&
          ((each === 'POST /clusters' && body.name === name) || each === `DELETE /clusters/${name}`),
      )
      .at(-1);
    if (plane === undefined || last?.action !== 'POST /clusters') {
      return undefined;
    }
    return {
      cluster: {
        ...last.body,
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
        const Targets = [1, 2].map((pod) => ({ Id: `10.0.${index}.${pod}`, Port: 8080 }));
        await this.balancing.registerTargets({ TargetGroupArn, Targets });
      }
    }
  }

  private async letLeaseExpire(): Promise<void> {
    const Path = '/cluster-canary/leases';
    const { Parameters = [] } = await this.ssm.getParametersByPath({ Path, Recursive: true });
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

/** Starts all of it: a stack that is deployed, with one cluster of applications and one of Argo CD, both on slot `blue`. */
export async function swapHubWorld(): Promise<SwapHubWorld> {
  const versions: Readonly<Record<ClusterName, string>> = {
    'hub-blue': '1.34',
    'hub-green': '1.35',
    'apps-blue': '1.35',
  };
  const [aws, ...started] = await Promise.all([
    moto(),
    ...names.map((name) => controlPlane({ name, nodes: 1, emulatedVersion: versions[name] })),
  ]);
  const planes = Object.fromEntries(started.map((plane, index) => [names[index]!, plane])) as Record<
    ClusterName,
    ControlPlane
  >;
  const ofTargets = [
    ...objectsBelow(crdFolder('cert-manager')),
    ...objectsBelow(join(__dirname, 'definitions')),
  ];
  const argocd = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } };
  const ofHub = [...objectsBelow(crdFolder('argo-cd')), ...ofTargets, argocd];
  await Promise.all(names.map((name) => planes[name].apply(name === 'apps-blue' ? ofTargets : ofHub)));
  new EksUpgrade(aws);
  const rights = new HubEks(planes['apps-blue'], (arn) => `hub-${/argocd-(blue|green)/.exec(arn)![1]!}`);
  await rights.prepare();

  const folder = temporaryFolder('swap-hub');
  const own = temporaryFolder('swap-hub-bench');
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
    AWS_ENDPOINT_URL_EKS: await eksFront(rights, aws.proxy.url),
    PATH: `${join(own, 'bin')}:${access.PATH}`,
    PULUMI_BACKEND_URL: `file://${join(own, 'state')}`,
    PULUMI_HOME: join(own, 'home'),
    PULUMI_CONFIG_PASSPHRASE: 'test',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    XDG_STATE_HOME: join(own, 'state'),
  };
  // Each Argo CD logs in as a user of its own, who has the rights that EKS knows of its role.
  const hubs = [planes['hub-blue'], planes['hub-green']];
  process.env.PATH = `${await loginProgram(hubs, planes['apps-blue'])}:${process.env.PATH}`;
  const [blue, green] = await Promise.all([argoCd(planes['hub-blue']), argoCd(planes['hub-green'])]);
  const repository = new GitRepository();
  const project = {
    name: 'talk',
    runtime: 'nodejs',
    main: exampleFile('talk/index.ts', editsFor(repository.url)),
    plugins: pluginSettings(),
  };
  writeFileSync(join(folder, 'Pulumi.yaml'), stringify(project));
  writeFileSync(join(folder, 'Pulumi.production.yaml'), stringify({ config: {} }));
  const world = new SwapHubWorld(
    aws,
    planes,
    { blue, green },
    rights,
    repository,
    folder,
    pulumiProgram,
    env,
  );
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
    'talk:apps': { blue: '1.35' },
    'talk:weights': { blue: 100 },
    'talk:hubs': { blue: '1.34' },
    'talk:activeHub': 'blue',
  });
  // The rule of the applications waits until Argo CD has them in step.
  world.commit();
  await world.pulumi('up', '--yes', '--skip-preview');
  await world.deploys();
  return world;
}
